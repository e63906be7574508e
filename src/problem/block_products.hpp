// Blocks of rows against a table of `width` numbers for each column (kernel/kernel.hpp), and back.
//
//     times   u (rows x width) = X table          add   sum (columns x width) += X' slopes, for the rows of the last times() or take()
//
// Dense rows go through matrix products, sparse ones entry by entry. W is the type of the arithmetic.
#pragma once

#include <algorithm>
#include <span>
#include <type_traits>
#include <vector>

#include "data/row_access.hpp"
#include "kernel/blas.hpp"
#include "kernel/kernel.hpp"

namespace s3gd {

constexpr std::size_t kMostPlaces = 256;  // rows that are multiplied with one vector, or summed, at once

// out[r] = w . (row places[r])
template <class T, class W>
void dot_places(const DenseView<T>& x, std::span<const Index> places, const W* w, double* out) {
  const T* rows[kMostPlaces];
  for (std::size_t r = 0; r < places.size(); ++r) rows[r] = x.row(places[r]);
  kernel::dot_rows(rows, static_cast<Index>(places.size()), w, x.cols, out);
}
template <class T, class I, class W>
void dot_places(const CsrView<T, I>& x, std::span<const Index> places, const W* w, double* out) {
  for (const Index i : places) {
    const auto start = x.starts[i];
    *out++ = kernel::sparse_dot(x.values + start, x.columns + start, x.row_nonzeros(i), w);
  }
}

// out += sum_r coefficients[r] * (row places[r], its columns in [begin, end)); out is indexed by column.
template <class T, class W>
void add_places(const DenseView<T>& x, std::span<const Index> places, const double* coefficients, Index begin,
                Index end, W* out) {
  const T* rows[kMostPlaces];
  for (std::size_t r = 0; r < places.size(); ++r) rows[r] = x.row(places[r]) + begin;
  kernel::axpy_rows(coefficients, rows, static_cast<Index>(places.size()), out + begin, end - begin);
}
template <class T, class I, class W>
void add_places(const CsrView<T, I>& x, std::span<const Index> places, const double* coefficients, Index begin,
                Index end, W* out) {
  for (std::size_t r = 0; r < places.size(); ++r) {
    if (coefficients[r] == 0) continue;
    const I* first = x.columns + x.starts[places[r]];
    const I* last = x.columns + x.starts[places[r] + 1];
    if (begin > 0) first = std::lower_bound(first, last, static_cast<I>(begin));
    if (end < x.cols) last = std::lower_bound(first, last, static_cast<I>(end));
    kernel::sparse_axpy(coefficients[r], x.values + (first - x.columns), first, last - first, out);
  }
}

// Dense rows that do not lie as BLAS wants them are copied, once for both. adjacent: the rows follow each other.
template <class View, class W>
class BlockProducts;

template <class T, class W>
class BlockProducts<DenseView<T>, W> {
 public:
  BlockProducts(const DenseView<T>& x, Index width) : x_(x), width_(width) {}

  // The rows of the products to come; times() takes its own.
  void take(std::span<const Index> rows, bool adjacent) {
    count_ = static_cast<Index>(rows.size());
    if constexpr (std::is_same_v<T, W>) {
      if (adjacent) {
        block_ = x_.row(rows[0]);
        stride_ = x_.stride;
      } else {
        copy(rows);
      }
    } else {
      copy(rows);
    }
  }
  void times(std::span<const Index> rows, bool adjacent, const W* table, W* u) {
    take(rows, adjacent);
    blas::gemm(blas::Op::plain, blas::Op::plain, count_, width_, x_.cols, W(1), block_, stride_, table, width_, W(0), u,
               width_);
  }
  void add(std::span<const Index>, const W* slopes, W* sum) const {
    blas::gemm(blas::Op::transposed, blas::Op::plain, x_.cols, width_, count_, W(1), block_, stride_, slopes, width_,
               W(1), sum, width_);
  }

 private:
  void copy(std::span<const Index> rows) {
    copied_.resize(static_cast<std::size_t>(count_ * x_.cols));
    for (Index r = 0; r < count_; ++r) expand_row(x_, rows[static_cast<std::size_t>(r)], copied_.data() + r * x_.cols);
    block_ = copied_.data();
    stride_ = x_.cols;
  }

  const DenseView<T>& x_;
  Index width_, count_ = 0, stride_ = 0;
  const W* block_ = nullptr;
  std::vector<W> copied_;
};

template <class T, class I, class W>
class BlockProducts<CsrView<T, I>, W> {
 public:
  BlockProducts(const CsrView<T, I>& x, Index width) : x_(x), width_(width) {}

  void take(std::span<const Index>, bool) const {}
  void times(std::span<const Index> rows, bool, const W* table, W* u) const {
    for (const Index i : rows) {
      kernel::times_table(x_.values + x_.starts[i], x_.columns + x_.starts[i], x_.row_nonzeros(i), table, width_, u);
      u += width_;
    }
  }
  void add(std::span<const Index> rows, const W* slopes, W* sum) const {
    for (const Index i : rows) {
      kernel::add_to_table(x_.values + x_.starts[i], x_.columns + x_.starts[i], x_.row_nonzeros(i), slopes, width_,
                           sum);
      slopes += width_;
    }
  }

 private:
  const CsrView<T, I>& x_;
  Index width_;
};

}  // namespace s3gd
