// SolveInput as a solver of one kind of problem sees it: the test rows are that problem over them.
#pragma once

#include "s3gd/solve.hpp"

namespace s3gd {

template <class P>
struct InputOf {
  const Graph* graph = nullptr;
  const P* test = nullptr;
  std::function<bool(const TraceRow&)> watch = {};
};
using OneOutputInput = InputOf<Problem>;
using SoftmaxInput = InputOf<SoftmaxProblem>;

// What solve() refuses, for those who solve by other means: throws one Error where the options make no sense.
void check_solve(const Problem& problem, const SolveOptions& options, const OneOutputInput& input);
void check_start(std::span<const double> start, Index dim);  // empty, or so many numbers

}  // namespace s3gd
