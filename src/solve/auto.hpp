// The solver nobody has to tune: a stochastic start where that pays, then the finisher that suits the problem.
#pragma once

#include "s3gd/solve.hpp"

namespace s3gd {

Solution solve_auto(const Problem& problem, const SolveOptions& options, const SolveInput& input);
// One finisher alone, from options.start or its own.
Solution solve_by_finisher(const std::string& name, const Problem& problem, const SolveOptions& options,
                           const SolveInput& input);

}  // namespace s3gd
