// A run of a comparison, as its row in run.json: written and read by one list of its fields.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "s3gd/solve.hpp"

namespace s3gd {

struct RunRecord {
  std::string key;
  std::string dataset, solver, label;
  double step = 0;        // as used; NaN for exact solvers
  std::string step_rule;  // as asked for
  std::uint64_t seed = 0;
  Index trial = 0;  // from 1
  std::string status;
  std::string error;  // where the status is failed
  Index iterations = 0;
  double passes = 0;
  double objective = 0;       // at the last point; NaN where it is not finite
  double test_objective = 0;  // likewise, or without test rows
  double tail_objective = 0;  // mean over the looks in the tail; NaN where it is not finite
  Index tail_looks = 0;
  bool stable = false;       // the tail's mean is within the tolerance of F*
  double graph_seconds = 0;  // before the first step: graph, strata, moments
  double graph_cpu_seconds = 0;
  double solve_seconds = 0;  // wall, from the first step on
  double cpu_seconds = 0;    // with the graph's
  double wall_seconds = 0;
  double evaluate_seconds = 0;
  std::string weights;  // file, relative to the folder; empty where there are none
  std::string cpu;      // of the machine it was run on
  std::vector<TraceRow> points;
};

Json to_json(const RunRecord& record);  // as in run.json
// What the row lacks is NaN, zero or empty. Throws a JsonError where it is no row at all.
RunRecord run_record(const Json& row);

Json finite_or_null(double value);  // NaN and infinities are null in JSON
Json text_or_null(const std::string& text);

// What is seen at every look, by its name in run.json; NaN where it was not measured.
using Points = double TraceRow::*;
Points points_of(const std::string& name);

// The clock at the first look whose objective is at most `level`; infinite where there is none.
template <class Clock>
double first_within(const RunRecord& run, double level, Clock&& clock) {
  for (const TraceRow& row : run.points)
    if (row.train_objective <= level) return clock(row);
  return std::numeric_limits<double>::infinity();
}

}  // namespace s3gd
