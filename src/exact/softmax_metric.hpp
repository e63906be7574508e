// A simple metric for steps on W. The Hessian of the loss part is sum_i q_i (diag p_i - p_i p_i') kron x_i x_i'; this one is
//
//     shared      A kron I,  A = sum_i c_i x_i x_i',  c_i = q_i (1 - sum_k p_ik^2) / (K - 1), the mean curvature of row i over
//                 the directions that change its probabilities: one factorisation for all classes. Exact at W = 0
//     diagonal    the diagonal of that, from all rows: for features too many to factorise
//
// with the penalty's 2 lambda f_j on the diagonal. The first is summed over rows drawn in proportion to c.
#pragma once

#include <optional>
#include <vector>

#include "base/random.hpp"
#include "exact/metric.hpp"
#include "exact/sampled_hessian.hpp"
#include "problem/matrix_penalty.hpp"
#include "problem/softmax_pass.hpp"

namespace s3gd {

enum class MetricKind : std::uint8_t { shared, diagonal };
MetricKind metric_kind(const SoftmaxProblem& problem);

// c_i of the rows of a pass, in their order, as it goes by.
class Curvatures {
 public:
  explicit Curvatures(const SoftmaxProblem& problem) : problem_(problem) {}
  void watch(SoftmaxPass& pass);  // fills in the pass's watchers; its rows must be set
  std::span<const double> of_rows() const { return values_; }

 private:
  template <class W>
  void note(const SoftmaxBlock<W>& block);

  const SoftmaxProblem& problem_;
  std::vector<double> values_;
};

// sum over `rows` (empty = all) of sizes_i x_ij^2, for every feature; kept above rounding.
std::vector<double> curvature_diagonal(const SoftmaxProblem& problem, std::span<const Index> rows,
                                       std::span<const double> sizes);

class ClassMetric final : public Metric {
 public:
  ClassMetric(const SoftmaxProblem& problem, const MatrixPenalty& penalty);

  // From about `sample` rows drawn by `sizes` among `rows` (empty = all); sizes may be multiples of c_i.
  void build(std::span<const Index> rows, std::span<const double> sizes, Index sample, Rng& rng);
  void solve(std::span<double> v) const override;  // features x K

 private:
  const SoftmaxProblem& problem_;
  std::vector<double> added_;  // 2 lambda f_j
  std::optional<FeatureFactor> factor_;
  std::vector<double> diagonal_;
};

}  // namespace s3gd
