// The solver nobody has to tune: a stochastic start where that pays, then the finisher that suits the problem.
#pragma once

#include "solve/checkpoint.hpp"
#include "solve/inputs.hpp"
#include "solve/warm_state.hpp"

namespace s3gd {

// Both may be null. `carried` is used and kept up to date where there is a start, `checkpoint` keeps the run's state.
Solution solve_auto(const Problem& problem, const SolveOptions& options, const OneOutputInput& input,
                    WarmState* carried, Checkpoint* checkpoint);
// One finisher alone, from options.start or its own.
Solution solve_by_finisher(const std::string& name, const Problem& problem, const SolveOptions& options,
                           const OneOutputInput& input, WarmState* carried, Checkpoint* checkpoint);

}  // namespace s3gd
