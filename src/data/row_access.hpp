// Rows of either layout, one at a time: length, addition, expansion, prefetching. Each costs O(entries of the row).
#pragma once

#include <algorithm>
#include <type_traits>

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

// Asks the cache for the first lines of a row; the hardware follows a stream once it has started.
inline void prefetch_bytes(const void* start, std::size_t bytes) {
  const auto* p = static_cast<const char*>(start);
  for (std::size_t offset = 0; offset < bytes; offset += 64) __builtin_prefetch(p + offset);
}

template <class View>
void prefetch_row(const View& view, Index i) {
  constexpr std::size_t kMost = 1024;
  if constexpr (is_dense_view<View>) {
    prefetch_bytes(view.row(i), std::min(kMost, static_cast<std::size_t>(view.cols) * sizeof(*view.values)));
  } else {
    const auto count = static_cast<std::size_t>(view.row_nonzeros(i));
    prefetch_bytes(view.columns + view.starts[i], std::min(kMost, count * sizeof(*view.columns)));
    prefetch_bytes(view.values + view.starts[i], std::min(kMost, count * sizeof(*view.values)));
  }
}

// Asks for the places of an array that a sparse row points to, when the array is too large for the first caches.
template <class View, class Cell>
void prefetch_entries(const View& view, Index i, const Cell* cells) {
  constexpr std::size_t kCached = 128 << 10;
  if (static_cast<std::size_t>(view.cols) * sizeof(Cell) <= kCached) return;
  for (auto k = view.starts[i]; k < view.starts[i + 1]; ++k) __builtin_prefetch(cells + view.columns[k]);
}

}  // namespace s3gd
