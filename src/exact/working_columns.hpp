// Sparse rows turned into columns, once for many products and many choices of columns.
#pragma once

#include <variant>

#include "s3gd/matrix.hpp"
#include "s3gd/problem.hpp"

namespace s3gd {

class Transposed {
 public:
  // None for dense rows, which have their columns at hand, and where a second copy would take more than `most` bytes.
  static std::optional<Transposed> of(const Matrix& x, Index most);

  Index stored_in(std::span<const Index> columns) const;
  // out_j = sum_i c_i x_ij; each column is summed over its rows in order, so threads do not matter.
  void times(std::span<const double> c, std::span<double> out, int threads) const;
  // The columns asked for (ascending), as rows again. O(rows + entries in them).
  Matrix rows_of(std::span<const Index> columns) const;
  Index rows() const { return rows_; }
  // f(x'), as a view of sparse rows.
  template <class F>
  auto visit(F&& f) const {
    using Narrow = CsrView<float, std::int32_t>;
    using Wide = CsrView<double, std::int32_t>;
    const auto* narrow = std::get_if<Narrow>(&columns_.view());
    return narrow != nullptr ? f(*narrow) : f(std::get<Wide>(columns_.view()));
  }

 private:
  Transposed(Matrix columns, Index rows) : columns_(std::move(columns)), rows_(rows) {}

  Matrix columns_;  // x', in CSR
  Index rows_;
};

// Columns of a matrix one after another: what coordinate descent walks along.

// Entries keep the data's precision, sums are double.
class ColumnStore {
 public:
  virtual ~ColumnStore() = default;
  virtual double dot(Index k, const double* v) const = 0;     // x_k . v
  virtual double square(Index k, const double* h) const = 0;  // sum_i h_i x_ik^2
  // v_i += factor h_i x_ik; all h_i are 1 without them
  virtual void add(Index k, double factor, const double* h, double* v) const = 0;
};

// The chosen columns (ascending); x.cols() stands for a column of ones. Those of `all` are used where they lie.
std::unique_ptr<ColumnStore> make_column_store(const Matrix& x, const std::vector<Index>& chosen, int threads);
std::unique_ptr<ColumnStore> make_column_store(const Transposed& all, const std::vector<Index>& chosen);

// The same rows with these columns alone (ascending).
Matrix gather_columns(const Matrix& x, const std::vector<Index>& features, int threads);

// The columns of a working set, gathered once: as rows of s numbers (for products and Gram matrices) and, where
// coordinate descent walks along columns, column by column.
class WorkingColumns {
 public:
  // `chosen` ascending, the intercept (problem.cols()) last where there is one. Gathers only when that saves.
  // `all`: the columns of the whole problem, where somebody has them; they must outlive this.
  WorkingColumns(const Problem& problem, std::vector<Index> chosen, const Transposed* all = nullptr);

  Index size() const { return static_cast<Index>(chosen_.size()); }
  const std::vector<Index>& chosen() const { return chosen_; }
  bool gathered() const { return gathered_.has_value(); }  // false: the original rows serve as well
  double share() const { return share_; }  // of a pass over all rows that a product with these columns costs

  void times(std::span<const double> d, std::span<double> out) const;    // out_i = sum_k x_ik d_k
  std::vector<double> transpose_times(std::span<const double> c) const;  // sum_i c_i x_i
  std::vector<double> gram(std::span<const double> h) const;             // sum_i h_i x_i x_i', symmetric
  const ColumnStore& store() const;                                      // made at the first call
  bool prefers_gram() const { return prefers_gram_; }
  double gram_cost() const { return gram_cost_; }  // of gram(), in steps with the matrix at hand

 private:
  const Problem& rows() const { return gathered_ ? *gathered_ : problem_; }

  Problem problem_;
  const Transposed* all_;
  std::vector<Index> chosen_;
  std::vector<Index> places_;        // of chosen_ among the coordinates of rows()
  std::optional<Problem> gathered_;  // the chosen columns alone, the same rows
  double share_ = 1;
  bool prefers_gram_ = true;
  bool by_columns_ = false;  // whether products go along the columns of all_
  double gram_cost_ = 0;
  mutable std::unique_ptr<ColumnStore> store_;
};

// The quadratic model of F over a working set of s coordinates, the 1-norm kept as it is:
//
//     m(d) = g.d + d'(H + diag(ridge) - c v v')d / 2 + sum_k l1_k |x_k + d_k|
//
// g is the gradient of everything smooth. H is the Hessian of the loss, either as a matrix (minimise_by_gram: s^2 a
// sweep, and a factorisation of the support where sweeps are slow) or through columns (minimise_by_columns).
struct L1Model {
  std::vector<double> x, gradient, l1, ridge;
  std::vector<double> radial;   // v, or empty: the direction in which a 2-norm is not curved
  double radial_curvature = 0;  // c
  std::vector<double> start;    // a guess of d, or empty (by columns)
  double accuracy = 1e-6;       // ends when a sweep gains less than this share of all gains, or ...
  double slack = 0;             // ... where the model is F itself, finds no slope wrong by more than this (by columns)
  std::function<bool()> must_stop;

  Index size() const { return static_cast<Index>(x.size()); }
};

// Both return d. `gram` is H, s x s and symmetric.
std::vector<double> minimise_by_gram(const L1Model& model, std::vector<double> gram);
std::vector<double> minimise_by_columns(const L1Model& model, const WorkingColumns& columns,
                                        std::span<const double> curvatures);

// What one coordinate moves by when it alone is minimised; `slope` is the model's at the present x.
inline double coordinate_change(double x, double slope, double curvature, double l1) {
  const double free = curvature * x - slope;
  const double kept = free > l1 ? free - l1 : free < -l1 ? free + l1 : 0.0;
  return kept / curvature - x;
}

}  // namespace s3gd
