// The model without penalised features, which a path starts from, and the largest lambda of use, from the slopes of the loss
// there. Of one output and of softmax.
#pragma once

#include <vector>

#include "s3gd/softmax.hpp"

namespace s3gd {

struct NullModel {
  std::vector<double> w;         // zero but for free intercepts and features without a penalty
  std::vector<double> gradient;  // of the loss part there; zero in those, to rounding
  double loss = 0;
};
NullModel fit_null_model(const Problem& problem);
NullModel fit_null_model(const SoftmaxProblem& problem);

bool is_penalised(const Problem& problem);  // whether lambda multiplies anything
bool is_penalised(const SoftmaxProblem& problem);
bool is_kinked(const Problem& problem);  // whether it holds weights at zero
bool is_kinked(const SoftmaxProblem& problem);
double largest_lambda_from(const Problem& problem, const NullModel& null);
double largest_lambda_from(const SoftmaxProblem& problem, const NullModel& null);

}  // namespace s3gd
