// The quadratic that stands for the loss around a point, as proximal steps need it: products with its Hessian
//
//     B = M + corrections,      M = A kron I (a sampled Hessian over the features) or a diagonal
//
// corrected by the memory of past steps (limited-memory BFGS in its compact form). Over all features, or over some.
#pragma once

#include <deque>
#include <vector>

#include "softmax/metric.hpp"

namespace s3gd {

class LossQuadratic {
 public:
  explicit LossQuadratic(const SoftmaxProblem& problem);

  void build(const Curvatures& curvatures, Index sample, Rng& rng);  // M anew; the memory stays
  void remember(std::vector<double> moved, std::vector<double> change);
  void forget() { pairs_.clear(); }

  // B over the features in `chosen` (ascending), ready for products.
  class Part {
   public:
    void times(std::span<const double> v, std::span<double> out) const;  // chosen x K
    std::vector<double> diagonal() const;                                // of M, one for each chosen feature

   private:
    friend class LossQuadratic;
    Index size_ = 0, classes_ = 0;
    bool diagonal_ = false;
    std::vector<double> matrix_;   // size x size, or the diagonal
    std::vector<double> vectors_;  // one correction a row, over the chosen features
    std::vector<double> middle_;   // corrections x corrections: B = M - vectors' middle vectors
  };
  Part part(std::span<const Index> chosen) const;

 private:
  struct Pair {
    std::vector<double> moved, change;
    double product;
    std::vector<double> image;  // M moved
  };
  std::vector<double> metric_times(std::span<const double> v) const;  // M v over all features

  const SoftmaxProblem& problem_;
  MetricKind kind_;
  std::vector<double> matrix_;  // features x features, or the diagonal
  std::deque<Pair> pairs_;
};

}  // namespace s3gd
