// One run of a comparison: what it was, how it ended, what was seen on the way; and the folder finished ones are kept in.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "s3gd/compare.hpp"

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

// A run found in a folder goes by the names it has in this plan.
void called_as_in(const RunRecord& plan, RunRecord& found);

Json to_json(const RunRecord& record);  // as in run.json
Json finite_or_null(double value);      // NaN and infinities are null in JSON
Json text_or_null(const std::string& text);

// Facts about the machine and the program that ran on it, for run.json.
struct Machine {
  std::string cpu;
  int cores = 0;
  std::uint64_t memory_bytes = 0;
  std::string os, compiler, simd;
};
const Machine& machine_facts();  // looked up once

class RunFolder {
 public:
  explicit RunFolder(std::string folder);  // creates it

  // Null unless a whole run of this key is there, weights included.
  std::optional<RunRecord> load(const std::string& key) const;
  // Weights first: a run that is there is there as a whole. Sets record.weights.
  void store(RunRecord& record, const std::vector<double>& w) const;

  std::string path(const std::string& name) const { return folder_ + "/" + name; }

 private:
  std::string folder_;
};

}  // namespace s3gd
