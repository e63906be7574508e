// How the parts of a Summary and of a trace are kept in a checkpoint.
#pragma once

#include "base/archive.hpp"
#include "base/clock.hpp"
#include "s3gd/solve.hpp"

namespace s3gd {

inline void state(Archive& a, Stage& stage) { a(stage.name, stage.seconds, stage.iterations, stage.ended); }

inline void state(Archive& a, std::pair<std::string, double>& value) { a(value.first, value.second); }
inline void state(Archive& a, Advice& advice) { a(advice.code, advice.text, advice.values, advice.classes); }

inline void state(Archive& a, TraceRow& row) {
  a(row.iteration, row.passes, row.cpu_seconds, row.wall_seconds, row.train_objective, row.test_objective, row.gap);
  a(row.step, row.correlation, row.variance_ratio, row.stage);
}

inline void state(Archive& a, Summary& summary) {
  a(summary.status, summary.solver, summary.objective, summary.certificate, summary.graph_seconds);
  a(summary.solve_seconds, summary.evaluate_seconds, summary.cpu_seconds, summary.passes, summary.iterations);
  a(summary.step, summary.inner, summary.moment_left, summary.surrogate_gap, summary.stages, summary.advice);
}

// The time a run took so far goes on counting in the run that takes it up.
inline void state(Archive& a, RunClock& clock) {
  double wall = clock.wall_seconds(), cpu = clock.cpu_seconds();
  a(wall, cpu);
  if (a.reading()) clock.add(wall, cpu);
}

}  // namespace s3gd
