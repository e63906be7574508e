// Rows of either layout, one at a time: length, addition, expansion, prefetching. Each costs O(entries of the row).
#pragma once

#include <algorithm>
#include <cmath>

#include "kernel/kernel.hpp"

namespace s3gd {

template <class View>
inline constexpr bool is_dense_view = requires(const View& view) { view.stride; };

// The values held of row i: all of them, or those of its entries.
template <class View>
std::span<const typename View::Value> row_values(const View& x, Index i) {
  if constexpr (is_dense_view<View>)
    return {x.row(i), static_cast<std::size_t>(x.cols)};
  else
    return {x.values + x.starts[i], static_cast<std::size_t>(x.row_nonzeros(i))};
}

// ||x_i||^2, summed in the precision of the data
template <class View>
double row_square(const View& x, Index i) {
  const auto values = row_values(x, i);
  return kernel::dot(values.data(), values.data(), static_cast<Index>(values.size()));
}

// out += a x_i
template <class View>
void add_row(double a, const View& x, Index i, double* out) {
  if constexpr (is_dense_view<View>)
    kernel::axpy(a, x.row(i), out, x.cols);
  else
    kernel::sparse_axpy(a, x.values + x.starts[i], x.columns + x.starts[i], x.row_nonzeros(i), out);
}

// Calls visit(column, value) for the entries of a row that are held, in ascending order; below: unless they are zero.
template <class View, class Visit>
void for_each_entry(const View& x, Index i, Visit&& visit) {
  if constexpr (is_dense_view<View>)
    for (Index j = 0; j < x.cols; ++j) visit(j, x.row(i)[j]);
  else
    for (auto k = x.starts[i]; k < x.starts[i + 1]; ++k) visit(static_cast<Index>(x.columns[k]), x.values[k]);
}
template <class View, class Visit>
void for_each_nonzero(const View& x, Index i, Visit&& visit) {
  for_each_entry(x, i, [&](Index j, typename View::Value value) {
    if (value != 0) visit(j, value);
  });
}

// Writes row i, zeros included, to out[0 .. cols).
template <class View, class Out>
void expand_row(const View& x, Index i, Out* out) {
  if constexpr (!is_dense_view<View>) std::fill(out, out + x.cols, Out(0));
  for_each_entry(x, i, [&](Index j, typename View::Value value) {
    if (is_dense_view<View> || value != 0) out[j] = static_cast<Out>(value);
  });
}

// The length of a row, right also where the squares of its entries leave the range of a double.
struct RowLength {
  double largest = 0, rest = 1;  // their product is the length
  double unit(double value) const { return largest == 0 ? value : value / largest / rest; }
};
template <class View>
RowLength row_length(const View& x, Index i) {
  double largest = 0, squares = 0;
  for (const auto value : row_values(x, i)) largest = std::max(largest, std::abs(static_cast<double>(value)));
  if (largest == 0) return {};
  for (const auto value : row_values(x, i)) {
    const double share = static_cast<double>(value) / largest;
    squares += share * share;
  }
  return {largest, std::sqrt(squares)};
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
