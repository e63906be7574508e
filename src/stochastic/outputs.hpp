// A problem as the stochastic loop sees it, whatever the number of its outputs: rows, weights, and what margins become.
//
//     F(W) = sum_i q_i psi(u_i, y_i) + R(W),      u_i = W'x_i      K margins, K slopes d psi / d u_i for each row
//
// One output (K = 1) is a Problem; a SoftmaxProblem has K of them, which its loss couples; the classes of one-vs-rest are K
// Problems that share their rows and nothing else. Parameters are one vector of dim()
// numbers, features x K: a feature's K weights side by side, those of the constant feature (the intercepts) last. Margins,
// slopes and coefficients of a batch are rows x K.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "anchor/propagate.hpp"
#include "base/index.hpp"
#include "problem/full_pass.hpp"
#include "problem/penalty.hpp"
#include "s3gd/problem.hpp"
#include "s3gd/softmax.hpp"

namespace s3gd {

// Which smoothness an automatic step goes by: of rows drawn by weight, of rows in shuffled order, or of these, estimated at
// once from a few rows.
enum class Smoothness : std::uint8_t { weighted, shuffled, quick };

class OutputProblem {
 public:
  virtual ~OutputProblem() = default;

  const Matrix& x() const { return shape_.x; }
  Index rows() const { return shape_.x.rows(); }
  Index cols() const { return shape_.x.cols(); }
  Index outputs() const { return shape_.outputs; }  // K
  bool has_intercept() const { return shape_.has_intercept; }
  Index features() const { return cols() + (has_intercept() ? 1 : 0); }  // the constant one included
  Index dim() const { return features() * outputs(); }
  int threads() const { return shape_.threads; }
  std::span<const double> weights() const { return shape_.weights; }  // q_i: EMPTY when all are 1/n
  double weight(Index i) const {
    return shape_.weights.empty() ? 1.0 / static_cast<double>(rows()) : shape_.weights[at(i)];
  }
  double total_weight() const { return shape_.total_weight; }

  // Some rows: their slopes, and sum_b weights[b] psi(u_b, y_b).
  virtual void slopes(std::span<const Index> rows, const double* margins, double* out) const = 0;
  virtual double loss(std::span<const Index> rows, const double* weights, const double* margins) const = 0;

  // Slopes over the graph. Where they separate, slope = phi(u) - c(y), and one X M serves all rows; elsewhere there is one for
  // each group of rows with the same label, phi is the slope of that label, and c is 0.
  virtual bool separable() const = 0;
  virtual Index groups() const { return 1; }
  virtual RowGroup group(Index) const { return {}; }
  virtual void phi(std::span<const double> margins, double* out) const = 0;  // groups x margins
  virtual void labels(std::span<const Index> rows, double* out) const = 0;   // c(y), rows x K
  virtual void check_propagates() const {}                                   // throws where neither is so

  // Classes of rows with the same label (one class where labels are numbers, with their mean as the label): slopes and second
  // derivatives (K x K) of class c at u.
  virtual Index classes() const = 0;
  virtual Index class_of(Index row) const = 0;
  virtual void derivatives(Index c, const double* u, double* slopes, double* curvatures) const = 0;

  // All rows, on all threads, in double.
  virtual void margins(std::span<const double> w, std::span<double> out) const = 0;
  virtual void row_sum(std::span<const double> c, std::span<double> out) const = 0;  // sum_i c_i x_i: a number a row
  // sum_i x_i c_i', K numbers a row: one output after the other, for what is needed now and then.
  void transpose_times(std::span<const double> coefficients, std::span<double> out) const;
  // Both, with the coefficients that `fill` makes of the margins of some rows.
  virtual void margins_then_sum(std::span<const double> w, const Fill& fill, std::span<double> out) const = 0;
  // Loss part, its gradient, and the slopes of all rows.
  virtual double gradient(std::span<const double> w, std::span<double> gradient, std::span<double> slopes) const = 0;
  virtual std::vector<double> second_moment(std::span<const double> h) const = 0;  // sum_i h_i x_i x_i', features^2
  virtual std::vector<double> squared_row_norms() const = 0;                       // plus 1 with an intercept
  virtual double objective(std::span<const double> w) const = 0;
  virtual Certificate certify(std::span<const double> w) const = 0;

  // The penalty: on each weight for itself, alike for all outputs (separable), or as its prox says.
  bool separable_penalty() const { return shape_.couples_outputs ? false : penalty_.separable(); }
  bool uniform_shrink() const { return shape_.couples_outputs ? false : penalty_.uniform_shrink(); }
  const Penalty& penalty() const { return penalty_; }  // of one output; means nothing where outputs are coupled
  virtual double penalty_value(std::span<const double> w) const = 0;
  virtual void prox(double eta, std::span<double> w) const = 0;

  virtual double automatic_step(Smoothness smoothness, Index batch, std::uint64_t seed) const = 0;

 protected:
  struct Shape {
    Matrix x;
    Index outputs = 1;
    bool has_intercept = false;
    int threads = 0;
    std::span<const double> weights;
    double total_weight = 1;
    bool couples_outputs = false;  // the penalty
  };
  OutputProblem(Shape shape, Penalty penalty) : shape_(std::move(shape)), penalty_(std::move(penalty)) {}

 private:
  Shape shape_;
  Penalty penalty_;
};

// Cheap to copy, immutable: what solvers hold.
class StochasticProblem {
 public:
  StochasticProblem(const Problem& problem);         // NOLINT(google-explicit-constructor): a Problem is one output
  StochasticProblem(const SoftmaxProblem& problem);  // NOLINT(google-explicit-constructor)
  // One class against the rest each: the same rows, weights, loss and penalty.
  explicit StochasticProblem(std::span<const Problem> classes);

  const OutputProblem* operator->() const { return problem_.get(); }
  const OutputProblem& operator*() const { return *problem_; }

 private:
  std::shared_ptr<const OutputProblem> problem_;
};

// to (columns x rows) = from (rows x columns) turned round.
void turn(std::span<const double> from, Index rows, std::vector<double>& to);

// Calls visit(b, place) for each slope of a batch: row b, place in rows x K.
template <class Visit>
void for_each_slope(std::size_t rows, Index outputs, Visit&& visit) {
  if (outputs == 1) {
    for (std::size_t b = 0; b < rows; ++b) visit(b, b);
    return;
  }
  for (std::size_t b = 0, place = 0; b < rows; ++b)
    for (Index k = 0; k < outputs; ++k, ++place) visit(b, place);
}

}  // namespace s3gd
