// The Hessian over a sample of rows with the coupling of the classes, as a matrix and as its Cholesky factor: for problems
// with few weights.
//
//     H = sum over the sample of weight_i (diag p_i - p_i p_i') kron x_i x_i' + diag(ridge)
//
// Costs rows x (features K)^2 / 4 multiplications (of entries, where rows have few), and (features K)^3 / 3 for the factor.
#pragma once

#include <optional>
#include <span>

#include "exact/metric.hpp"
#include "exact/sampled_hessian.hpp"

namespace s3gd {

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

class CoupledFactor final : public Metric {
 public:
  static bool suits(Index dim) { return dim <= 640; }

  // From about `rows` of the sample, evenly spread. ridge: one number for each feature.
  void build(const CoupledSample& sample, std::span<const double> ridge, Index rows);
  void solve(std::span<double> v) const override;  // features x K

 private:
  std::optional<FeatureFactor> factor_;
};

}  // namespace s3gd
