// One proximal Newton step where all that is at hand of the quadratic are products with it.
#pragma once

#include <span>
#include <vector>

#include "exact/finisher.hpp"
#include "exact/softmax_quadratic.hpp"

namespace s3gd {

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
