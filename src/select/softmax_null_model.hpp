// Softmax without penalised features: what a path starts from, and the largest lambda it needs.
#pragma once

#include <vector>

#include "s3gd/softmax.hpp"

namespace s3gd {

struct SoftmaxNullModel {
  std::vector<double> w;         // zero but for free intercepts and features without a penalty
  std::vector<double> gradient;  // of the loss part there; zero in those, to rounding
  double loss = 0;
};
SoftmaxNullModel fit_null_model(const SoftmaxProblem& problem);

bool is_penalised(const SoftmaxProblem& problem);  // whether lambda multiplies anything
bool is_kinked(const SoftmaxProblem& problem);     // whether it holds weights at zero
double largest_lambda_from(const SoftmaxProblem& problem, const SoftmaxNullModel& null);

}  // namespace s3gd
