// One run of one estimator: preparation (graph or strata), the loop, observations, and how it ended.
#pragma once

#include <optional>

#include "solve/checkpoint.hpp"
#include "stochastic/outputs.hpp"

namespace s3gd {

struct RunInput {
  StochasticProblem problem;
  const SolveOptions& options;
  const Graph* graph = nullptr;                // used instead of building one
  std::optional<StochasticProblem> test = {};  // for test_objective
  std::function<bool(const TraceRow&)> watch = {};
  bool average_tail = false;    // the result is the mean of the snapshots of the second half of the passes
  bool offers_average = false;  // that mean is the result where its objective is less than that of any point looked at
  bool blind = false;           // nothing is evaluated, on the way or at the end: for a stage that another one follows
  Checkpoint* checkpoint = nullptr;  // where the run's state is kept; none: nowhere
  const Schedule* looks = nullptr;   // when to look, and the last point is the result; none: as the options say
  // Judges parameters in place of the problem, and keeps what it wants of them; told where the run is. The result has no
  // certificate then.
  std::function<Certificate(std::span<const double> w, const TraceRow& where)> judge = {};
};

inline bool ends_at_snapshots(const RunInput& input) { return input.average_tail && input.problem->outputs() > 1; }

template <class Stated>
RunInput run_input(const Stated& problem, const SolveOptions& options, const InputOf<Stated>& extra,
                   Checkpoint* checkpoint = nullptr) {
  RunInput input{.problem = problem, .options = options, .graph = extra.graph, .watch = extra.watch};
  if (extra.test != nullptr) input.test = *extra.test;
  input.checkpoint = checkpoint;
  return input;
}

// Fits by the estimator `options.solver` names; on the data's own precision.
Solution run_estimator(const RunInput& input);

// A short run of S3GD over fresh rows, as a start for others: so many passes, or fewer where the options say so. Nothing is
// evaluated on the way unless a trace is asked for. Where an interrupt or the clock cut it, it is the end, and certified.
Solution run_start(const RunInput& input, double passes);

}  // namespace s3gd
