#include "anchor/comparison.hpp"

#include <algorithm>

#include "anchor/rows.hpp"
#include "data/convert.hpp"

namespace s3gd {
namespace {

// Share of non-zeros in a few of the rows.
double nonzero_share(const Matrix& x) {
  const Index step = std::max<Index>(1, x.rows() / 1000);
  Index count = 0, looked_at = 0;
  x.visit([&](const auto& view) {
    for (Index i = 0; i < view.rows; i += step, looked_at += view.cols)
      for_each_nonzero(view, i, [&](Index, auto) { ++count; });
  });
  return looked_at == 0 ? 1.0 : static_cast<double>(count) / static_cast<double>(looked_at);
}

}  // namespace

bool compares_as_sparse(const Matrix& x) {
  constexpr double kMostlyZeros = 0.3;  // share of non-zeros below which that holds
  return x.is_dense() && nonzero_share(x) <= kMostlyZeros;
}

Matrix for_comparison(const Matrix& x, int threads) {
  return compares_as_sparse(x) ? with_layout(x, Layout::sparse, x.precision(), threads) : x;
}

}  // namespace s3gd
