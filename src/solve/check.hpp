// What solve() refuses, for those who solve by other means: throws one Error where the options make no sense.
#pragma once

#include "solve/inputs.hpp"

namespace s3gd {

void check_solve(const Problem& problem, const SolveOptions& options, const OneOutputInput& input);
void check_start(std::span<const double> start, Index dim);  // empty, or so many numbers

}  // namespace s3gd
