// The Hessian of the loss part over a sample of the rows, the coupling of the classes included:
//
//     H = sum over the sample of weight_i (diag p_i - p_i p_i') kron x_i x_i' + 2 lambda diag(f)
//
// as products with it, and H^-1 v by conjugate gradients, preconditioned by a simpler metric (exact/softmax_metric.hpp), or
// with few weights by the factor of H over a part of the sample (exact/coupled_factor.hpp).
// A product costs a pass over the sample without exponentials, in float for float rows.
#pragma once

#include <functional>
#include <vector>

#include "exact/coupled_factor.hpp"
#include "exact/softmax_metric.hpp"

namespace s3gd {

class SampledCurvature {
 public:
  SampledCurvature(const SoftmaxProblem& problem, const MatrixPenalty& penalty, const Metric& preconditioner);

  // At w, from about `sample` rows drawn by their curvatures among `rows` (empty = all), whose loss counts `scale` times.
  void build(std::span<const double> w, std::span<const Index> rows, std::span<const double> sizes, double scale,
             Index sample, Rng& rng);
  Index sample() const { return count_; }

  void times(std::span<const double> v, std::span<double> out) const;  // H v
  // v <- about H^-1 v. Returns the products made. `stop` is asked between them; where it says yes, the answer is what there
  // is.
  Index solve(std::vector<double>& v, const std::function<bool()>& stop = {}) const;

 private:
  const SoftmaxProblem& problem_;
  const Metric& preconditioner_;
  std::vector<double> ridge_;  // 2 lambda f_j
  Matrix x_;                   // the sample's rows
  Index count_ = 0;
  std::vector<double> weights_;
  std::vector<float> probabilities_;  // sample x K
  CoupledFactor coupled_;
};

}  // namespace s3gd
