// A simple metric for steps on W. The Hessian of the loss part is sum_i q_i (diag p_i - p_i p_i') kron x_i x_i'; this one is
//
//     shared      A kron I,  A = sum_i c_i x_i x_i',  c_i = q_i (1 - sum_k p_ik^2) / (K - 1), the mean curvature of row i over
//                 the directions that change its probabilities: one factorisation for all classes. Exact at W = 0
//     diagonal    the diagonal of that, from all rows: for features too many to factorise
//
// with the penalty's 2 lambda f_j on the diagonal. The first is summed over rows drawn in proportion to c.
#pragma once

#include "base/random.hpp"
#include "exact/metric.hpp"
#include "problem/matrix_penalty.hpp"
#include "problem/table_pass.hpp"

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
// sum over the sample of weight_i x_i x_i' over all features, in float; both triangles.
std::vector<double> sampled_hessian(const SoftmaxProblem& problem, const RowSample& sample);

class ClassMetric final : public Metric {
 public:
  ClassMetric(const SoftmaxProblem& problem, const MatrixPenalty& penalty);

  // From about `sample` rows drawn by `sizes` among `rows` (empty = all); sizes may be multiples of c_i.
  void build(std::span<const Index> rows, std::span<const double> sizes, Index sample, Rng& rng);
  void solve(std::span<double> v) const override;  // features x K

 private:
  const SoftmaxProblem& problem_;
  std::vector<double> added_;  // 2 lambda f_j
  std::optional<ScaledFactor> factor_;
  std::vector<double> diagonal_;
};

// The Hessian over a sample of rows with the coupling of the classes, as a matrix: for problems with few weights.
//
//     H = sum over the sample of weight_i (diag p_i - p_i p_i') kron x_i x_i' + diag(ridge)
//
// Costs rows x (features K)^2 / 4 multiplications (of entries, where rows have few).
struct CoupledSample {
  const Matrix& x;                       // the sample's rows
  bool constant = false;                 // a further feature that is 1 in every row
  Index classes = 0;                     // K
  std::span<const double> weights;       // of the rows
  std::span<const float> probabilities;  // rows x K
  int threads = 0;
};

// Whether rows have so few entries that those are multiplied one by one, and summed in double.
bool multiplies_entries(const Matrix& x);

// H without the ridge, dim x dim, features x K either way, from about `rows` of the sample, evenly spread. Rows of many
// entries are summed in float.
std::vector<double> coupled_hessian(const CoupledSample& sample, Index rows);

// The Hessian of the loss part over a sample of the rows, the coupling of the classes included:
//
//     H = sum over the sample of weight_i (diag p_i - p_i p_i') kron x_i x_i' + 2 lambda diag(f)
//
// as products with it, and H^-1 v by conjugate gradients, preconditioned by a simpler metric, or with few weights by the factor
// of H over a part of the sample.
// A product costs a pass over the sample without exponentials, in float for float rows.
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
  std::vector<float> probabilities_;     // sample x K
  std::optional<ScaledFactor> coupled_;  // with few weights, of H over a part of the sample
};

// A quadratic over some of the features.
class QuadraticPart {
 public:
  virtual ~QuadraticPart() = default;
  virtual void times(std::span<const double> v, std::span<double> out) const = 0;  // chosen x K
  virtual std::vector<double> diagonal() const = 0;                                // about its own, chosen x K
  virtual double passes() const { return 0; }  // over the rows that products took so far
};

// The Hessian of the loss part at a point, over some of the features, as products with it:
//
//     H = sum_i q_i (diag p_i - p_i p_i') kron x_i x_i'
//
// for problems too wide for a matrix over all features. The entries of the chosen features are copied, so that a product
// costs those alone.

class HessianPart final : public QuadraticPart {
 public:
  // probabilities: of all rows. chosen: ascending; the constant feature, where there is one, must be among them.
  HessianPart(const SoftmaxProblem& problem, std::span<const float> probabilities, std::span<const Index> chosen);
  void times(std::span<const double> v, std::span<double> out) const override;
  std::vector<double> diagonal() const override { return diagonal_; }
  double passes() const override;

 private:
  const float* of_row(Index i) const { return probabilities_.data() + i * problem_.classes(); }

  const SoftmaxProblem& problem_;
  std::span<const float> probabilities_;
  Matrix x_;  // all rows, chosen columns
  mutable Index products_ = 0;
  std::vector<double> diagonal_;  // chosen x K; kept above rounding
};

}  // namespace s3gd
