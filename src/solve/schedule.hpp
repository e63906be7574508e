// A run that is looked at at given iterations: for comparisons, where all runs must be seen at the same ones.
//
// Nothing but the clock, the objective and (where asked for) the gradients is looked at: no certificate, which costs as
// much again. A point above the start is no end: large steps begin with a jump. Numbers that overflow are.
#pragma once

#include <vector>

#include "solve/inputs.hpp"

namespace s3gd {

struct Schedule {
  std::vector<Index> at;           // ascending; the run's end is looked at as well
  const Problem* judge = nullptr;  // the same problem, for evaluating it on other threads than those that are measured
};

// As solve(), for the estimators of the table; the result is the last point, not the best. Exact solvers are looked at at
// every step of theirs, and are certified: for them this is solve().
Solution solve_on_schedule(const Problem& problem, const SolveOptions& options, const OneOutputInput& input,
                           const Schedule& looks);

}  // namespace s3gd
