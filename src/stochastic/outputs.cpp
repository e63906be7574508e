#include "stochastic/outputs.hpp"

namespace s3gd {

void OutputProblem::transpose_times(std::span<const double> coefficients, std::span<double> out) const {
  const auto k = static_cast<std::size_t>(outputs());
  if (k == 1) return row_sum(coefficients, out);
  std::vector<double> column(coefficients.size() / k), sum(out.size() / k);
  for (std::size_t o = 0; o < k; ++o) {
    for (std::size_t i = 0; i < column.size(); ++i) column[i] = coefficients[i * k + o];
    row_sum(column, sum);
    for (std::size_t j = 0; j < sum.size(); ++j) out[j * k + o] = sum[j];
  }
}

}  // namespace s3gd
