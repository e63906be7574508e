// Row access shared by the forms of the iterate: margins and spikes of a batch against a plain vector.
#pragma once

#include <vector>

#include "anchor/rows.hpp"
#include "kernel/kernel.hpp"
#include "s3gd/matrix.hpp"

namespace s3gd {

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

// out[b] = x_row[b] . w (no intercept)
template <class T>
void batch_dots(const DenseView<T>& view, std::span<const Index> rows, const T* w, double* out,
                std::vector<const T*>& pointers) {
  pointers.resize(rows.size());
  for (std::size_t b = 0; b < rows.size(); ++b) pointers[b] = view.row(rows[b]);
  kernel::dot_rows(pointers.data(), static_cast<Index>(rows.size()), w, view.cols, out);
}

template <class T, class I>
void batch_dots(const CsrView<T, I>& view, std::span<const Index> rows, const T* w, double* out,
                std::vector<const T*>&) {
  for (std::size_t b = 0; b < rows.size(); ++b) {
    const auto start = view.starts[rows[b]];
    out[b] = kernel::sparse_dot(view.values + start, view.columns + start, view.row_nonzeros(rows[b]), w);
  }
}

// w += sum_b coefficients[b] x_row[b] (no intercept)
template <class T>
void batch_axpys(const DenseView<T>& view, std::span<const Index> rows, const double* coefficients, T* w,
                 std::vector<const T*>& pointers) {
  pointers.resize(rows.size());
  for (std::size_t b = 0; b < rows.size(); ++b) pointers[b] = view.row(rows[b]);
  kernel::axpy_rows(coefficients, pointers.data(), static_cast<Index>(rows.size()), w, view.cols);
}

template <class T, class I>
void batch_axpys(const CsrView<T, I>& view, std::span<const Index> rows, const double* coefficients, T* w,
                 std::vector<const T*>&) {
  for (std::size_t b = 0; b < rows.size(); ++b) {
    const auto start = view.starts[rows[b]];
    kernel::sparse_axpy(coefficients[b], view.values + start, view.columns + start, view.row_nonzeros(rows[b]), w);
  }
}

}  // namespace s3gd
