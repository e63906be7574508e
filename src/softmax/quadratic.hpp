// The quadratic that stands for the loss around a point, as proximal steps need it: products with its Hessian
//
//     B = M + corrections,      M = A kron I, A a sampled Hessian over the features
//
// corrected by the memory of past steps (limited-memory BFGS in its compact form). Over all features, or over some.
#pragma once

#include <deque>
#include <vector>

#include "softmax/metric.hpp"

namespace s3gd {

// A quadratic over some of the features.
class QuadraticPart {
 public:
  virtual ~QuadraticPart() = default;
  virtual void times(std::span<const double> v, std::span<double> out) const = 0;  // chosen x K
  virtual std::vector<double> diagonal() const = 0;  // about its own, one number for each chosen feature
  virtual double passes() const { return 0; }        // over the rows that products took so far
};

class LossQuadratic {
 public:
  explicit LossQuadratic(const SoftmaxProblem& problem);

  void build(const Curvatures& curvatures, Index sample, Rng& rng);  // M anew; the memory stays
  void remember(std::vector<double> moved, std::vector<double> change);
  void forget() { pairs_.clear(); }

  // B over the features in `chosen` (ascending), ready for products.
  class Part final : public QuadraticPart {
   public:
    void times(std::span<const double> v, std::span<double> out) const override;
    std::vector<double> diagonal() const override;  // of M

   private:
    friend class LossQuadratic;
    Index size_ = 0, classes_ = 0;
    std::vector<double> matrix_;   // size x size
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
  std::vector<double> matrix_;  // features x features
  std::deque<Pair> pairs_;
};

}  // namespace s3gd
