// Sentences for the Summary of a softmax fit, as solve/advice.hpp has them for one output.
#pragma once

#include "s3gd/solve.hpp"

namespace s3gd {

void add_advice(const SoftmaxProblem& problem, const SolveOptions& options, Solution& solution);

}  // namespace s3gd
