// Rows of a batch against tables of K numbers for each column, for the forms of the iterate.
//
// A form is compiled twice: for one output (Single), where a table is a plain vector and the tuned kernels serve, and for
// several, whose tables have rows of `width` numbers (kernel/kernel.hpp).
#pragma once

#include <span>
#include <vector>

#include "data/row_access.hpp"
#include "problem/block_products.hpp"

namespace s3gd {

struct Single {
  explicit Single(Index) {}
  static constexpr Index outputs = 1, width = 1;
};
struct Several {
  explicit Several(Index count) : outputs(count), width(kernel::table_width(count)) {}
  Index outputs, width;
};

// Margins and coefficients are rows x K, in double; constants of the rows (intercepts) are left out.
template <class View, class Count>
class RowProducts;

template <class View>
class RowProducts<View, Single> {
 public:
  using T = typename View::Value;
  RowProducts(const View& view, Single) : view_(view) {}

  // out[b] = x_row[b] . w
  void times(std::span<const Index> rows, const T* w, double* out) {
    if constexpr (is_dense_view<View>) {
      point_to(rows);
      kernel::dot_rows(pointers_.data(), static_cast<Index>(rows.size()), w, view_.cols, out);
    } else {
      for (std::size_t b = 0; b < rows.size(); ++b) times_row(rows[b], w, out + b);
    }
  }
  // Rows that lie side by side.
  void times_block(const T* block, Index count, const T* w, double* out) {
    pointers_.resize(static_cast<std::size_t>(count));
    for (Index j = 0; j < count; ++j) pointers_[static_cast<std::size_t>(j)] = block + j * view_.cols;
    kernel::dot_rows(pointers_.data(), count, w, view_.cols, out);
  }
  // w += sum_b coefficients[b] x_row[b], and factor * other where that is not null.
  void add(std::span<const Index> rows, const double* coefficients, T* w, double factor = 0, const T* other = nullptr) {
    if constexpr (is_dense_view<View>) {
      point_to(rows);
      factors_.assign(coefficients, coefficients + rows.size());
      if (other != nullptr) {
        pointers_.push_back(other);
        factors_.push_back(factor);
      }
      kernel::axpy_rows(factors_.data(), pointers_.data(), static_cast<Index>(pointers_.size()), w, view_.cols);
    } else {
      for (std::size_t b = 0; b < rows.size(); ++b) add_row(rows[b], coefficients + b, w);
      if (other != nullptr) kernel::axpy(factor, other, w, view_.cols);
    }
  }

  // Sparse rows, one at a time.
  void times_row(Index row, const T* w, double* out) const {
    const auto start = view_.starts[row];
    *out = kernel::sparse_dot(view_.values + start, view_.columns + start, view_.row_nonzeros(row), w);
  }
  void add_row(Index row, const double* coefficient, T* w) const {
    const auto start = view_.starts[row];
    kernel::sparse_axpy(*coefficient, view_.values + start, view_.columns + start, view_.row_nonzeros(row), w);
  }
  void prefetch(Index row, const T* w) const { prefetch_entries(view_, row, w); }

 private:
  void point_to(std::span<const Index> rows) {
    pointers_.resize(rows.size());
    for (std::size_t b = 0; b < rows.size(); ++b) pointers_[b] = view_.row(rows[b]);
  }

  const View& view_;
  std::vector<const T*> pointers_;
  std::vector<double> factors_;
};

template <class View>
class RowProducts<View, Several> {
 public:
  using T = typename View::Value;
  RowProducts(const View& view, Several count) : view_(view), count_(count), products_(view, count.width) {}

  void times(std::span<const Index> rows, const T* table, double* out) {
    taken_.assign(rows.begin(), rows.end());
    u_.resize(rows.size() * width());
    if (!rows.empty()) products_.times(rows, false, table, u_.data());
    unpad(rows.size(), out);
  }
  void times_block(const T* block, Index count, const T* table, double* out) {
    u_.resize(static_cast<std::size_t>(count) * width());
    blas::gemm(blas::Op::plain, blas::Op::plain, count, count_.width, view_.cols, T(1), block, view_.cols, table,
               count_.width, T(0), u_.data(), count_.width);
    unpad(static_cast<std::size_t>(count), out);
  }
  void add(std::span<const Index> rows, const double* coefficients, T* table, double factor = 0,
           const T* other = nullptr) {
    if (!rows.empty()) {
      if (!std::equal(rows.begin(), rows.end(), taken_.begin(), taken_.end())) products_.take(rows, false);
      taken_.assign(rows.begin(), rows.end());
      pad(rows.size(), coefficients);
      products_.add(rows, u_.data(), table);
    }
    if (other != nullptr) kernel::axpy(factor, other, table, view_.cols * count_.width);
  }

  void times_row(Index row, const T* table, double* out) {
    u_.resize(width());
    products_.times({&row, 1}, false, table, u_.data());
    unpad(1, out);
  }
  void add_row(Index row, const double* coefficients, T* table) {
    pad(1, coefficients);
    products_.add({&row, 1}, u_.data(), table);
  }
  void prefetch(Index row, const T* table) const {
    constexpr std::size_t kCached = 128 << 10;
    if (static_cast<std::size_t>(view_.cols) * width() * sizeof(T) <= kCached) return;
    for (auto k = view_.starts[row]; k < view_.starts[row + 1]; ++k)
      prefetch_bytes(table + view_.columns[k] * count_.width, width() * sizeof(T));
  }

 private:
  std::size_t width() const { return static_cast<std::size_t>(count_.width); }
  void unpad(std::size_t rows, double* out) const {
    for (std::size_t b = 0; b < rows; ++b)
      for (Index k = 0; k < count_.outputs; ++k)
        *out++ = static_cast<double>(u_[b * width() + static_cast<std::size_t>(k)]);
  }
  void pad(std::size_t rows, const double* numbers) {
    u_.assign(rows * width(), T(0));
    for (std::size_t b = 0; b < rows; ++b)
      for (Index k = 0; k < count_.outputs; ++k)
        u_[b * width() + static_cast<std::size_t>(k)] = static_cast<T>(*numbers++);
  }

  const View& view_;
  Several count_;
  BlockProducts<View, T> products_;
  std::vector<Index> taken_;
  std::vector<T> u_;
};

// Parameters (features x K) as a table features x width, and back.
template <class Count, class T>
void to_table(Count count, std::span<const double> w, T* table) {
  const auto features = static_cast<Index>(w.size()) / count.outputs;
  for (Index j = 0; j < features; ++j)
    for (Index k = 0; k < count.outputs; ++k)
      table[j * count.width + k] = static_cast<T>(w[static_cast<std::size_t>(j * count.outputs + k)]);
}

}  // namespace s3gd
