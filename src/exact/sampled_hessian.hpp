// Hessians over the features, summed over a sample of rows.
#pragma once

#include <span>
#include <vector>

#include "s3gd/softmax.hpp"

namespace s3gd {

// `rows` and `weights` side by side.
struct WeightedRows {
  const Matrix& x;
  std::span<const Index> rows;
  std::span<const double> weights;
  int threads = 0;
};

// The lower triangle of sum over the sample of weight_k x_k x_k' over these columns (ascending; the one after the last is the
// constant 1). Summed in S, float or double, by parts whose borders depend on the sizes alone.
template <class S>
std::vector<double> sum_of_products(const WeightedRows& sample, std::span<const Index> columns);

// The same over all features, the constant one included, in float; both triangles.
std::vector<double> sampled_hessian(const SoftmaxProblem& problem, std::span<const Index> rows,
                                    std::span<const double> weights);

// A symmetric positive matrix plus diag(added) as a Cholesky factor, divided by its columns' sizes first, so that features
// on any scale keep their digits.
class FeatureFactor {
 public:
  FeatureFactor(std::vector<double> matrix, std::span<const double> added);
  // v <- (matrix + diag(added))^-1 v; several vectors, one after the other, are solved for at once.
  void solve(std::span<double> v) const;

 private:
  std::vector<double> scale_, factor_;
};

}  // namespace s3gd
