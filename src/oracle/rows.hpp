// Row access shared by the forms of the iterate: margins and spikes of a batch against a plain vector.
#pragma once

#include <span>
#include <vector>

#include "data/row_access.hpp"

namespace s3gd {

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
