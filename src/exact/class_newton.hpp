// One-vs-rest: Newton steps for the smooth problems of several classes over the same rows (exact/newton_search.hpp).
//
// The Hessians of all classes come from one sample of the rows, each class with curvatures of its own:
//
//     H_k = sum over the sample of weight_i c_ik x_i x_i' + diag(ridge)
//
// Newton directions come from conjugate gradients on all of them at once, so that a row of the sample is read once for all
// classes; those that are accurate enough drop out. The preconditioner is one factor for all: the mean of the H_k over a
// small sample.
#pragma once

#include "exact/newton_search.hpp"

namespace s3gd {

// Of one class at its present point: q_i psi'' of the rows looked at, and what their sum is multiplied by to stand for all.
struct ClassCurvature {
  std::span<const double> of_rows;
  double scale = 1;
};

class ClassHessians {
 public:
  ClassHessians(const Problem& like, std::vector<double> ridge);  // like: any of the problems

  // The factor for all, from about `sample` of the rows (empty = all).
  void precondition(std::span<const ClassCurvature> classes, std::span<const Index> rows, Index sample, Rng& rng);
  // The Hessians, from about `sample` of the rows.
  void build(std::span<const ClassCurvature> classes, std::span<const Index> rows, Index sample, Rng& rng);
  Index sample() const { return sample_.rows(); }

  // v_k <- H_k^-1 v_k, about, for the classes of the last build(), in their order. Returns the products made, for each.
  // `stop` is asked between products; where it says yes, the answer is what there is.
  std::vector<Index> solve(std::span<std::vector<double>> v, const std::function<bool()>& stop = {}) const;

 private:
  // H_k v_k for the classes listed; vectors one after the other.
  void times(std::span<const std::size_t> classes, std::span<const double> v, std::span<double> out) const;

  const Problem& like_;
  std::vector<double> ridge_;
  SampledMetric factor_;
  Matrix sample_;
  std::size_t classes_ = 0;
  std::vector<float> coefficients_;  // sample x classes: weight_i c_ik
};

// problems: the same rows, loss, penalty and intercept. starts and progress: one for each.
std::vector<Finish> finish_together(std::span<const Problem> problems, const SearchInput& input,
                                    std::vector<std::vector<double>> starts, std::span<Progress* const> progress);

}  // namespace s3gd
