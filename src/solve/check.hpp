// What solve() refuses, for those who solve by other means: throws one Error where the options make no sense.
#pragma once

#include "s3gd/solve.hpp"

namespace s3gd {

void check_solve(const Problem& problem, const SolveOptions& options, const SolveInput& input);

}  // namespace s3gd
