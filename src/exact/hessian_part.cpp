#include "exact/hessian_part.hpp"

#include <algorithm>
#include <limits>

#include "base/index.hpp"
#include "data/row_access.hpp"
#include "exact/output_products.hpp"
#include "kernel/kernel.hpp"

namespace s3gd {
namespace {

template <class View>
Matrix chosen_columns(const View& x, std::span<const Index> chosen) {
  using T = typename View::Value;
  std::vector<std::int32_t> place(at(x.cols), -1);
  for (std::size_t c = 0; c < chosen.size(); ++c) place[at(chosen[c])] = static_cast<std::int32_t>(c);
  std::vector<T> values;
  std::vector<std::int32_t> columns;
  std::vector<std::int64_t> starts{0};
  for (Index i = 0; i < x.rows; ++i) {
    for_each_nonzero(x, i, [&](Index j, T value) {
      if (place[at(j)] < 0) return;
      values.push_back(value);
      columns.push_back(place[at(j)]);
    });
    starts.push_back(static_cast<std::int64_t>(values.size()));
  }
  return Matrix::own_csr(std::move(values), std::move(columns), std::move(starts), static_cast<Index>(chosen.size()));
}

}  // namespace

HessianPart::HessianPart(const SoftmaxProblem& problem, const Probabilities& probabilities,
                         std::span<const Index> chosen)
    : problem_(problem), probabilities_(probabilities) {
  const auto columns = chosen.first(chosen.size() - (problem.has_intercept() ? 1 : 0));
  x_ = problem.x().visit([&](const auto& view) { return chosen_columns(view, columns); });
  const Index classes = problem.classes();
  diagonal_.assign(chosen.size() * at(classes), 0.0);
  std::vector<double> bent(at(classes));
  x_.visit([&](const auto& view) {
    for (Index i = 0; i < view.rows; ++i) {
      const float* p = probabilities_.of_row(i);
      for (Index k = 0; k < classes; ++k)
        bent[at(k)] = problem.weight(i) * static_cast<double>(p[k]) * (1.0 - static_cast<double>(p[k]));
      for_each_nonzero(view, i, [&](Index j, auto value) {
        kernel::axpy(static_cast<double>(value) * static_cast<double>(value), bent.data(),
                     diagonal_.data() + j * classes, classes);
      });
      if (problem.has_intercept())
        kernel::axpy(1.0, bent.data(), diagonal_.data() + diagonal_.size() - classes, classes);
    }
  });
  const double largest = diagonal_.empty() ? 0 : *std::max_element(diagonal_.begin(), diagonal_.end());
  for (double& one : diagonal_) one = std::max({one, 1e-6 * largest, std::numeric_limits<double>::min()});
}

double HessianPart::passes() const {
  return static_cast<double>(products_) * static_cast<double>(x_.stored()) /
         static_cast<double>(std::max<Index>(1, problem_.x().stored()));
}

void HessianPart::times(std::span<const double> v, std::span<double> out) const {
  ++products_;
  const Index classes = problem_.classes();
  const OutputProducts products{x_, classes, problem_.has_intercept(), problem_.spec().threads};
  products.times(v, out, [&](Index row, auto* u) {
    using T = std::decay_t<decltype(*u)>;
    const float* p = probabilities_.of_row(row);
    T mean = 0;
    for (Index k = 0; k < classes; ++k) mean += static_cast<T>(p[k]) * u[k];
    const T weight = static_cast<T>(problem_.weight(row));
    for (Index k = 0; k < classes; ++k) u[k] = weight * static_cast<T>(p[k]) * (u[k] - mean);
  });
}

}  // namespace s3gd
