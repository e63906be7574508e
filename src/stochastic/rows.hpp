// Rows of a batch against tables of K numbers for each column, and what the forms of the iterate over them share.
//
// A form is compiled twice: for one output (Single), where a table is a plain vector and the tuned kernels serve, and for
// several, whose tables have rows of `width` numbers (kernel/kernel.hpp).
#pragma once

#include <array>
#include <span>
#include <vector>

#include "base/index.hpp"
#include "data/row_access.hpp"
#include "problem/block_products.hpp"
#include "stochastic/iterate.hpp"

namespace s3gd {

struct Single {
  explicit Single(Index) {}
  static constexpr Index outputs = 1, width = 1;
  using Numbers = std::array<double, 1>;  // one for each output
};
struct Several {
  explicit Several(Index count) : outputs(count), width(kernel::table_width(count)) {}
  Index outputs, width;
  using Numbers = std::vector<double>;
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
      kernel::dot_rows(pointers_.data(), std::ssize(rows), w, view_.cols, out);
    } else {
      for (const Index row : rows) {
        const auto start = view_.starts[row];
        *out++ = kernel::sparse_dot(view_.values + start, view_.columns + start, view_.row_nonzeros(row), w);
      }
    }
  }
  // Rows that lie side by side.
  void times_block(const T* block, Index count, const T* w, double* out) {
    pointers_.resize(at(count));
    for (Index j = 0; j < count; ++j) pointers_[at(j)] = block + j * view_.cols;
    kernel::dot_rows(pointers_.data(), count, w, view_.cols, out);
  }
  // w += sum_b coefficients[b] x_row[b], and factor * other where that is not null.
  void add(std::span<const Index> rows, const double* coefficients, T* w, double factor = 0, const T* other = nullptr) {
    if constexpr (is_dense_view<View>) {
      point_to(rows);
      if (other != nullptr) {
        factors_.assign(coefficients, coefficients + rows.size());
        pointers_.push_back(other);
        factors_.push_back(factor);
        coefficients = factors_.data();
      }
      kernel::axpy_rows(coefficients, pointers_.data(), std::ssize(pointers_), w, view_.cols);
    } else {
      for (const Index row : rows) {
        const auto start = view_.starts[row];
        kernel::sparse_axpy(*coefficients++, view_.values + start, view_.columns + start, view_.row_nonzeros(row), w);
      }
      if (other != nullptr) kernel::axpy(factor, other, w, view_.cols);
    }
  }
  void prefetch(Index row, const T* w) const { prefetch_entries(view_, row, w); }

 private:
  void point_to(std::span<const Index> rows) {
    pointers_.resize(rows.size());
    for (std::size_t b = 0; b < rows.size(); ++b) pointers_[b] = view_.row(rows[b]);
  }

  View view_;
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
    u_.resize(at(count) * width());
    blas::gemm(blas::Op::plain, blas::Op::plain, count, count_.width, view_.cols, T(1), block, view_.cols, table,
               count_.width, T(0), u_.data(), count_.width);
    unpad(at(count), out);
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

  void prefetch(Index row, const T* table) const {
    constexpr std::size_t kCached = 128 << 10;  // bytes: what the second cache holds anyway
    if (at(view_.cols) * width() * sizeof(T) <= kCached) return;
    for (auto k = view_.starts[row]; k < view_.starts[row + 1]; ++k)
      prefetch_bytes(table + view_.columns[k] * count_.width, width() * sizeof(T));
  }

 private:
  std::size_t width() const { return at(count_.width); }
  void unpad(std::size_t rows, double* out) const {
    for (std::size_t b = 0; b < rows; ++b)
      for (Index k = 0; k < count_.outputs; ++k) *out++ = static_cast<double>(u_[b * width() + at(k)]);
  }
  void pad(std::size_t rows, const double* numbers) {
    u_.assign(rows * width(), T(0));
    for (std::size_t b = 0; b < rows; ++b)
      for (Index k = 0; k < count_.outputs; ++k) u_[b * width() + at(k)] = static_cast<T>(*numbers++);
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
    for (Index k = 0; k < count.outputs; ++k) table[j * count.width + k] = static_cast<T>(w[at(j * count.outputs + k)]);
}

// What the forms share that hold W as scale * V: the parts of a step and of margins that do not depend on where the drift is.
template <class View, class Count>
class TableIterate : public Iterate<typename View::Value> {
 protected:
  using T = typename View::Value;

  TableIterate(const View& view, const StochasticProblem& problem, const DriftBasis<T>* basis, Index features)
      : view_(view),
        problem_(problem),
        penalty_(problem_->penalty()),
        count_(problem->outputs()),
        products_(view_, count_),
        basis_(basis),
        intercept_(problem->has_intercept()),
        v_(at(features * count_.width), T(0)) {
    if constexpr (std::is_same_v<Count, Several>) sums_.resize(at(count_.outputs));
  }

  void set_shrink(double eta, bool uniform) {
    eta_ = eta;
    shrink_ = uniform ? penalty_.shrink(eta) : 1.0;
    intercept_shrink_ = intercept_ && uniform && penalty_.factor(view_.cols) > 0 ? shrink_ : 1.0;
  }

  // scale * (rows x K products) + constants, in place
  void to_margins(std::size_t rows, const double* constants, double* products) const {
    for (std::size_t b = 0; b < rows; ++b, products += count_.outputs)
      for (Index k = 0; k < count_.outputs; ++k) products[k] = scale_ * products[k] + constants[k];
  }

  // sums_ = sum_b of the K coefficients of row b
  void add_up(std::size_t rows, const double* coefficients) {
    std::fill(sums_.begin(), sums_.end(), 0.0);
    for (std::size_t b = 0; b < rows; ++b, coefficients += count_.outputs)
      for (Index k = 0; k < count_.outputs; ++k) sums_[at(k)] += coefficients[k];
  }

  // factor * coefficients, until the next call
  const double* times(double factor, std::size_t rows, const double* coefficients) {
    scaled_.resize(rows * at(count_.outputs));
    for (std::size_t c = 0; c < scaled_.size(); ++c) scaled_[c] = factor * coefficients[c];
    return scaled_.data();
  }

  View view_;
  StochasticProblem problem_;
  const Penalty& penalty_;
  Count count_;
  RowProducts<View, Count> products_;
  const DriftBasis<T>* basis_;
  bool intercept_;
  double eta_ = 0, shrink_ = 1, intercept_shrink_ = 1;
  double scale_ = 1;
  std::vector<T> v_;  // features x width
  typename Count::Numbers sums_{};
  std::vector<double> scaled_;
};

}  // namespace s3gd
