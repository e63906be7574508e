// A fit of one-vs-rest taken apart, class by class.
#pragma once

#include "s3gd/solve.hpp"

namespace s3gd::testing {

struct OneVsRest {
  std::vector<std::string> classes;
  std::vector<std::vector<double>> w;
  std::vector<Summary> class_summaries;
  Summary summary;
  std::vector<TraceRow> trace;
};

inline OneVsRest solve_one_vs_rest(const Dataset& data, const ProblemSpec& spec, const SolveOptions& options = {},
                                   const SolveInput& input = {}) {
  const Task task = OneVsRestProblem(data, spec);
  const Solution fit = solve(task, options, input);
  OneVsRest parts{task.classes(), {}, fit.summary.classes, fit.summary, fit.trace};
  for (auto at = fit.w.begin(); at != fit.w.end(); at += task.dim()) parts.w.emplace_back(at, at + task.dim());
  return parts;
}

// As SolveOptions::start wants them.
inline std::vector<double> joined(const std::vector<std::vector<double>>& w) {
  std::vector<double> all;
  for (const auto& one : w) all.insert(all.end(), one.begin(), one.end());
  return all;
}

}  // namespace s3gd::testing
