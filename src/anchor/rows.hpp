// Rows of either layout, one at a time: length, equality, expansion, gathering. Each costs O(entries of the row).
#pragma once

#include <algorithm>
#include <span>
#include <type_traits>
#include <vector>

#include "kernel/kernel.hpp"
#include "s3gd/matrix.hpp"

namespace s3gd {

template <class View>
inline constexpr bool is_dense_view = requires(const View& view) { view.stride; };

// ||x_i||^2, summed in the precision of the data
template <class T>
double row_square(const DenseView<T>& x, Index i) {
  return kernel::dot(x.row(i), x.row(i), x.cols);
}
template <class T, class I>
double row_square(const CsrView<T, I>& x, Index i) {
  return kernel::dot(x.values + x.starts[i], x.values + x.starts[i], x.row_nonzeros(i));
}

// out += a x_i
template <class T>
void add_row(double a, const DenseView<T>& x, Index i, double* out) {
  kernel::axpy(a, x.row(i), out, x.cols);
}
template <class T, class I>
void add_row(double a, const CsrView<T, I>& x, Index i, double* out) {
  kernel::sparse_axpy(a, x.values + x.starts[i], x.columns + x.starts[i], x.row_nonzeros(i), out);
}

// Calls visit(column, value) for the entries of a row that are not zero, in ascending order.
template <class T, class Visit>
void for_each_nonzero(const DenseView<T>& x, Index i, Visit&& visit) {
  const T* row = x.row(i);
  for (Index j = 0; j < x.cols; ++j)
    if (row[j] != T(0)) visit(j, row[j]);
}

template <class T, class I, class Visit>
void for_each_nonzero(const CsrView<T, I>& x, Index i, Visit&& visit) {
  for (auto k = x.starts[i]; k < x.starts[i + 1]; ++k)
    if (x.values[k] != T(0)) visit(static_cast<Index>(x.columns[k]), x.values[k]);
}

// Writes row i, zeros included, to out[0 .. cols).
template <class View, class Out>
void expand_row(const View& x, Index i, Out* out) {
  if constexpr (is_dense_view<View>) {
    std::transform(x.row(i), x.row(i) + x.cols, out, [](auto value) { return static_cast<Out>(value); });
  } else {
    std::fill(out, out + x.cols, Out(0));
    for_each_nonzero(x, i, [&](Index j, auto value) { out[j] = static_cast<Out>(value); });
  }
}

// The same numbers in both rows (stored zeros count as absent).
bool rows_equal(const Matrix& x, Index a, Index b);

// A copy of the given rows, in their order and in the layout of x. Parallel.
Matrix gather_rows(const Matrix& x, std::span<const Index> rows, int threads);

}  // namespace s3gd
