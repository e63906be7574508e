#include "model/loss.hpp"
#include "s3gd/problem.hpp"
namespace s3gd {
Theory theory(const Problem& problem, Index batch, std::uint64_t) {
  Theory t;
  double mean = 0;
  double mx = 0;
  problem.x().visit([&](const auto& v) {
    for (Index i = 0; i < v.rows; ++i) {
      double s = 1;
      if constexpr (requires { v.stride; })
        for (Index j = 0; j < v.cols; ++j) s += double(v.row(i)[j]) * double(v.row(i)[j]);
      else
        for (auto k = v.starts[i]; k < v.starts[i + 1]; ++k) s += double(v.values[k]) * double(v.values[k]);
      mean += s / double(v.rows);
      mx = std::max(mx, s);
    }
  });
  const double c = Loss(problem.spec().loss).curvature_bound() * problem.total_weight();
  t.suggested_step = 1 / (c * (mean * 0.5 + mx / double(batch)));
  return t;
}
}  // namespace s3gd
