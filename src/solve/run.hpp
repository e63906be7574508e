// One run of one estimator: preparation (graph or strata), the loop, observations, and how it ended.
#pragma once

#include "base/clock.hpp"
#include "s3gd/solve.hpp"
#include "solve/checkpoint.hpp"
#include "solve/looks.hpp"

namespace s3gd {

struct RunInput {
  const Problem& problem;
  const SolveOptions& options;
  const SolveInput& extra;
  bool average_tail = false;  // the result is the mean of the snapshots of the second half of the passes
  bool blind = false;         // nothing is evaluated, on the way or at the end: for a stage that another one follows
  Checkpoint* checkpoint = nullptr;  // where the run's state is kept; none: nowhere
  const Looks* looks = nullptr;      // when to look, and the last point is the result; none: as the options say
};

// Fits by the estimator `options.solver` names; on the data's own precision.
Solution run_estimator(const RunInput& input);

}  // namespace s3gd
