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
inline ResultRun made_up_run(const std::string& set, const std::string& label, const MadeUp& m = {}) {
  ResultRun run;
  run.set = set;
  run.label = label;
  run.solver = label.substr(0, label.find(' '));
  run.status = "out_of_passes";
  run.step = m.step;
  run.tail_objective = m.tail;
  run.graph_cpu_seconds = m.graph;
  for (int k = 0; k < 10; ++k) {
    run.iteration.push_back(k);
    run.passes.push_back(k / 10.0);
    run.cpu_seconds.push_back(m.graph + m.seconds_each * k);
    run.objective.push_back(k >= m.arrives ? 1.005 : 2);
    run.test_objective.push_back(k >= m.arrives ? 1.1 : 2.2);
    run.correlation.push_back(k < 5 ? m.correlation : m.last_correlation);
    run.variance_ratio.push_back(m.variance);
  }
  return run;
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
