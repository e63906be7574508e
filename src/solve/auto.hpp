// The solver nobody has to tune: a stochastic start where that pays, then the finisher that suits the problem.
#pragma once

#include "s3gd/solve.hpp"
#include "solve/carried.hpp"
#include "solve/checkpoint.hpp"

namespace s3gd {

// Both may be null. `carried` is used and kept up to date where there is a start, `checkpoint` keeps the run's state.
Solution solve_auto(const Problem& problem, const SolveOptions& options, const SolveInput& input, Carried* carried,
                    Checkpoint* checkpoint);
// One finisher alone, from options.start or its own.
Solution solve_by_finisher(const std::string& name, const Problem& problem, const SolveOptions& options,
                           const SolveInput& input, Carried* carried, Checkpoint* checkpoint);

}  // namespace s3gd
