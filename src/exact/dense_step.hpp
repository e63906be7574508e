// One proximal Newton step where the quadratic is a matrix in memory:
//
//     min over x of  g.(x - w) + 1/2 (x - w)'M(x - w) + R(x)
//
// Free intercepts are minimised over in closed form: what is left is as if the columns were centred, without which columns
// far from mean zero are all alike. Then two kinds of steps take turns. A sweep goes over the features (or, for the
// nuclear norm, is a proximal step) and finds what is zero. A leap is a Newton step over the rest, where R is smooth; it
// is damped by a multiple of M's diagonal that shrinks while leaps gain. Both cost a product with M, a leap a Cholesky
// factor, too.
#pragma once

#include <memory>

#include "exact/finisher.hpp"
#include "problem/matrix_penalty.hpp"

namespace s3gd {

struct DenseModel {
  Index size = 0;
  std::vector<double> matrix;       // M, size x size
  std::vector<double> w, gradient;  // where the quadratic touches the loss
  std::vector<double> x, slope;     // where the search is; slope = gradient + M (x - w)

  const double* row(Index c) const { return matrix.data() + c * size; }
  double diagonal(Index c) const { return matrix[static_cast<std::size_t>(c * size + c)]; }
  void move(Index c, double by);                                                        // one weight
  std::vector<double> slope_at(std::span<const double> there) const;                    // one product
  double value(std::span<const double> at, std::span<const double> slope_there) const;  // without R
};

// The steps that suit a penalty.
class Descent {
 public:
  virtual ~Descent() = default;
  virtual double penalty(std::span<const double> x) const = 0;  // R
  virtual double sweep() = 0;  // moves the model; returns how far, squared, in M's diagonal
  // Over what is not zero, with so much of M's diagonal added; empty: there is none.
  virtual std::vector<double> direction(double damping) const = 0;
  struct Leap {
    std::vector<double> to;
    bool crosses = false;  // many weights reached zero on the way: the step was a long one
  };
  virtual Leap leap(std::span<const double> direction, double length) const = 0;
};

// l2, l1, elastic-net, none (entry by entry) and group lasso (`classes` weights at a time); the nuclear norm.
std::unique_ptr<Descent> group_descent(DenseModel& model, const MatrixPenalty& penalty, Index classes);
std::unique_ptr<Descent> nuclear_descent(DenseModel& model, const MatrixPenalty& penalty, Index classes);

struct DenseStep {
  std::vector<double> matrix;  // chosen features x K either way
  const MatrixPenalty& penalty;
  std::span<const double> w, gradient;
  Index classes;
  bool free_intercepts;  // the last K weights
  double most_gain;      // a quadratic that promises more than there is to gain is too flat to be minimised
};

// x, once a sweep after a leap moves by no more than `accuracy` of the first one, or the two gain no more than that of what
// was gained. `damping` is what leaps needed so far.
std::vector<double> minimise(DenseStep step, double accuracy, double& damping, const Progress& progress);

}  // namespace s3gd
