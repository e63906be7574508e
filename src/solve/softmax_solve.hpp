// Softmax from beginning to end: what solve() does with a SoftmaxProblem.
#pragma once

#include "solve/inputs.hpp"

namespace s3gd {

// Parameters, options.start among them, are as the problem has them: feature by feature. Options mean what they mean for one
// output.
Solution solve_softmax(const SoftmaxProblem& problem, const SolveOptions& options = {}, const SoftmaxInput& input = {});

}  // namespace s3gd
