// One-vs-rest from beginning to end: what solve() does with a OneVsRestProblem.
#pragma once

#include "s3gd/solve.hpp"

namespace s3gd {

Solution solve_one_vs_rest(const OneVsRestProblem& problem, const SolveOptions& options, const SolveInput& input);

}  // namespace s3gd
