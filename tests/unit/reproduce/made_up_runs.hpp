// Runs that never ran: curves with known arrivals, costs and correlations.
#pragma once

#include <cmath>

#include "reproduce/criteria.hpp"

namespace s3gd::reproduce {

inline ResultSet made_up_set(const std::string& name) {
  ResultSet set;
  set.name = name;
  set.optimum = 1;
  set.rows = 100;
  set.cols = 10;
  return set;
}

struct MadeUp {
  double arrives = 4;       // iteration from which the objective is 1.005 F*; before, 2
  double seconds_each = 1;  // of an iteration
  double graph = 0;         // seconds before the first
  double tail = 1.005;      // mean objective of the last iterations
  double step = 1;
  double correlation = 0.5, last_correlation = 0.5;  // first half of the looks, second half
  double variance = 0.5;
};

// Schedule at 0, 1, .. 9 iterations.
inline RunRecord made_up_run(const std::string& set, const std::string& label, const MadeUp& m = {}) {
  RunRecord run;
  run.dataset = set;
  run.label = label;
  run.solver = label.substr(0, label.find(' '));
  run.status = "out_of_passes";
  run.step = m.step;
  run.tail_objective = m.tail;
  run.graph_cpu_seconds = m.graph;
  for (int k = 0; k < 10; ++k) {
    TraceRow& look = run.points.emplace_back();
    look.iteration = k;
    look.passes = k / 10.0;
    look.cpu_seconds = m.graph + m.seconds_each * k;
    look.train_objective = k >= m.arrives ? 1.005 : 2;
    look.test_objective = k >= m.arrives ? 1.1 : 2.2;
    look.correlation = k < 5 ? m.correlation : m.last_correlation;
    look.variance_ratio = m.variance;
  }
  return run;
}

// The same at every look.
inline void set_all(RunRecord& run, Points column, double value) {
  for (TraceRow& look : run.points) look.*column = value;
}

// s3gd first on A and B, sgd on C; with the graph's time sgd is first everywhere.
inline Evidence race() {
  Evidence evidence;
  for (const char* name : {"A", "B", "C"}) {
    evidence.results.sets.push_back(made_up_set(name));
    evidence.results.runs.push_back(made_up_run(name, "sgd", {.arrives = 5, .step = 1}));
    evidence.results.runs.push_back(made_up_run(name, "svrg", {.arrives = 4, .seconds_each = 3, .step = 5}));
    evidence.results.runs.push_back(
        made_up_run(name, "s3gd", {.arrives = name[0] == 'C' ? 8.0 : 2.0, .graph = 50, .step = 5}));
  }
  return evidence;
}

inline Finding judged(const Evidence& evidence, const std::string& rule) {
  return judge({"a claim", Json::parse(rule)}, evidence);
}
inline Outcome outcome(const Evidence& evidence, const std::string& rule) { return judged(evidence, rule).outcome; }

}  // namespace s3gd::reproduce
