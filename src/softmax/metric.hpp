// The metric of a step on W. The Hessian of the loss part is sum_i q_i (diag p_i - p_i p_i') kron x_i x_i'; as a metric
// it is simplified to
//
//     shared      A kron I,  A = sum_i c_i x_i x_i',  c_i = q_i (1 - sum_k p_ik^2) / (K - 1), the mean curvature of row i over
//                 the directions that change its probabilities: one factorisation for all classes
//     by_class    a block for each class, c_ik = q_i p_ik (1 - p_ik) K / (K - 1): K factorisations, closer to the truth
//     diagonal    the diagonal of `shared`, from all rows: for features too many to factorise
//
// with the penalty's 2 lambda f_j on the diagonal. The first two are summed over rows drawn in proportion to c.
#pragma once

#include <vector>

#include "base/random.hpp"
#include "finish/metric.hpp"
#include "softmax/matrix_penalty.hpp"
#include "softmax/pass.hpp"
#include "softmax/sampled_hessian.hpp"

namespace s3gd {

enum class MetricKind : std::uint8_t { shared, by_class, diagonal };

// c_i (or c_ik, rows x K) as a pass goes by.
class Curvatures {
 public:
  Curvatures(const SoftmaxProblem& problem, MetricKind kind);
  void watch(SoftmaxPass& pass);  // fills in the pass's watchers
  std::span<const double> of_rows() const { return values_; }
  std::vector<double> of_class(Index k) const;

 private:
  template <class W>
  void note(const SoftmaxBlock<W>& block);

  const SoftmaxProblem& problem_;
  bool by_class_;
  std::vector<double> values_;
};

// sum_i sizes_i x_ij^2 for every feature; kept above rounding.
std::vector<double> curvature_diagonal(const SoftmaxProblem& problem, std::span<const double> sizes);

class ClassMetric final : public Metric {
 public:
  ClassMetric(const SoftmaxProblem& problem, const MatrixPenalty& penalty, MetricKind kind);

  MetricKind kind() const { return kind_; }
  // From about `sample` rows, in a factor for each class as many.
  void build(const Curvatures& curvatures, Index sample, Rng& rng);
  void solve(std::span<double> v) const override;  // features x K

 private:
  const SoftmaxProblem& problem_;
  MetricKind kind_;
  std::vector<double> added_;  // 2 lambda f_j
  std::vector<FeatureFactor> factors_;
  std::vector<double> diagonal_;
};

}  // namespace s3gd
