// The quadratic that stands for the loss around a point, as proximal steps need it: products with its Hessian
//
//     B = M + corrections,      M = A kron I, A a sampled Hessian over the features; with few weights, M the sampled
//                               Hessian itself, the coupling of the classes included
//
// corrected by the memory of past steps (limited-memory BFGS). Over all features, or over some.
//
// Rows are drawn by how much they add to the curvature of their columns, so that those with few entries are in the sample
// too. Where it still lacks most of a column's own curvature, that is put on the diagonal: a column that looks flat would
// get steps without bounds.
#pragma once

#include <deque>
#include <vector>

#include "exact/finisher.hpp"
#include "exact/metric.hpp"
#include "exact/softmax_hessian.hpp"

namespace s3gd {

// Another quadratic, steeper by so many times its own diagonal: what a step is shortened by where the quadratic proved to
// be flatter than the loss.
class Damped final : public QuadraticPart {
 public:
  Damped(const QuadraticPart& part, double damping) : part_(part), damping_(damping), diagonal_(part.diagonal()) {}
  void times(std::span<const double> v, std::span<double> out) const override;
  std::vector<double> diagonal() const override;

 private:
  const QuadraticPart& part_;
  double damping_;
  std::vector<double> diagonal_;  // of the part
};

class LossQuadratic {
 public:
  explicit LossQuadratic(const SoftmaxProblem& problem);
  bool is_coupled() const { return coupled_; }

  // M anew at w, from about `sample` rows; the memory stays. No feature has less than half the curvature that all rows give it.
  void build(std::span<const double> w, const Curvatures& curvatures, Index sample, Rng& rng);
  void remember(std::vector<double> moved, std::vector<double> change);
  void forget() { pairs_.clear(); }

  // B over the features in `chosen` (ascending), ready for products.
  class Part final : public QuadraticPart {
   public:
    void times(std::span<const double> v, std::span<double> out) const override;
    std::vector<double> diagonal() const override;  // of M
    std::vector<double> dense() &&;                 // B, of a coupled quadratic

   private:
    friend class LossQuadratic;
    Index size_ = 0;              // of the matrix: chosen features, or their weights
    Index classes_ = 0;           // K
    Index outputs_ = 0;           // columns that the matrix is multiplied with: K, or 1
    std::vector<double> matrix_;  // size x size
    std::vector<double>
        vectors_;  // one correction a row, over the chosen features: B = M + vectors' diag(weights) vectors
    std::vector<double> weights_;
  };
  Part part(std::span<const Index> chosen) const;

 private:
  struct Pair {
    std::vector<double> moved, change;
    double product;
    std::vector<double> image;  // M moved
  };
  std::vector<double> metric_times(std::span<const double> v) const;  // M v over all features
  std::vector<double> coupled(std::span<const double> w, const RowSample& drawn,
                              std::span<const double> curvatures) const;
  void raise_flat(std::span<const double> whole, std::span<const double> without_mean);
  void take_intercepts_away(std::span<double> diagonal) const;

  const SoftmaxProblem& problem_;
  bool coupled_;
  Index size_;                  // of the matrix: features, or all weights
  Index outputs_;               // columns that it is multiplied with: K, or 1
  std::vector<double> matrix_;  // size x size
  std::deque<Pair> pairs_;
};

// One proximal Newton step where all that is at hand of the quadratic are products with it.

// min over x of  g.(x - w) + 1/2 (x - w)'B(x - w) + R(x), over the chosen features.
struct InnerProblem {
  const QuadraticPart& quadratic;
  const MatrixPenalty& penalty;
  std::span<const double> w, gradient;
};

// How steep a quadratic with this diagonal is along each weight; alike for those that the penalty couples.
std::vector<double> steepness(std::vector<double> diagonal, const MatrixPenalty& penalty, Index classes);

// Accelerated proximal gradient with restarts; one product with B a step. `curvature` is B's against its steepness, adapted
// on the way. Ends where steps have become `accuracy` of the first.
std::vector<double> minimise(const InnerProblem& inner, Index classes, double accuracy, double& curvature,
                             const Progress& progress);

}  // namespace s3gd
