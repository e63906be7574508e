// What each row is like at a reference point w0, and the sums of it over the rows covered so far.
//
//     slope    f_i = psi'(w0.x_i, y_i)                         as SVRG's snapshot has it
//     linear   f_i = w0.x_i, and the same for rows of the output's own class alone
//
//     sums_l = sum over rows covered of q_i x_i f_l(i)'        K numbers a row and feature
//
// The point is renewed seldom: rows that come are added to the sums at the price of a margin and an addition. With w0 fixed
// and all rows covered, slopes as features make the estimate SVRG's; before that it is SVRG's of the rows covered.
#pragma once

#include <memory>

#include "base/buffer.hpp"
#include "stochastic/estimators/regression.hpp"
#include "stochastic/outputs.hpp"

namespace s3gd {

// Products of some rows with tables of K numbers a feature, whatever the rows' layout.
template <class T>
class SomeRows {
 public:
  virtual ~SomeRows() = default;
  virtual void times(std::span<const Index> rows, const T* table, double* out) = 0;
  virtual void add(std::span<const Index> rows, const double* coefficients, T* table) = 0;
  virtual void prefetch(std::span<const Index> rows) const = 0;
};

template <class T>
class Reference {
 public:
  Reference(const StochasticProblem& problem, bool linear);

  bool is_set() const { return !w_.empty(); }
  std::size_t features() const;
  // Of row i and output k, from out[0] on.
  void of(Index row, Index k, double* out) const {
    const double own = static_cast<double>(kept_[row * outputs_ + k]);
    out[0] = own;
    if (by_class_) out[1] = is_own_class(row, k) ? own : 0.0;
  }

  // psi' at the reference, of rows that are covered.
  void slopes(std::span<const Index> rows, double* out) const;

  // A new point. The sums are of all rows, or those given.
  void renew(std::span<const double> w, std::span<const Index> rows);
  void renew(std::span<const double> w);
  // These rows are covered as well.
  void add(std::span<const Index> rows);

  // drift += factor * sum_l coefficients[l] sums_l
  void add_to_drift(const double* coefficients, double factor, std::span<double> drift) const;

  void state(Archive& a) {
    a(w_, kept_, sums_, partial_, rows_in_partial_);
    if (a.reading() && is_set()) make_table();
  }

 private:
  bool is_own_class(Index row, Index k) const { return problem_->class_of(row) == k; }
  void place(std::span<const double> w);
  void make_table();
  void add_block(std::span<const Index> rows);
  void make_features(std::span<const Index> rows, double* margins);
  void weigh(std::span<const Index> rows, std::size_t feature, double* out) const;
  void empty_partial();

  StochasticProblem problem_;
  bool linear_, by_class_;
  Index outputs_, width_;
  std::unique_ptr<SomeRows<T>> some_rows_;
  std::vector<double> w_;
  std::vector<T> table_;                 // w_, in the precision and form of products
  GrowBuffer<T> kept_;                   // rows x K: slopes or margins at w_
  std::vector<double> sums_;             // features() x dim
  std::vector<std::vector<T>> partial_;  // not yet in sums_, each a table of K numbers a feature
  Index rows_in_partial_ = 0;
  std::vector<double> margins_, weighted_;
};

}  // namespace s3gd
