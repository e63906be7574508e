// A fit of one-vs-rest taken apart, class by class.
#pragma once

#include <gtest/gtest.h>

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

using Parameters = std::vector<std::vector<double>>;

// K separate binary fits, one after the other, on one thread.
inline Parameters separate_fits(const Dataset& data, ProblemSpec spec, const SolveOptions& options,
                                const SolveInput& input = {}) {
  Parameters all;
  spec.threads = 1;
  for (const double value : data.y.distinct()) {
    spec.positive = data.y.name_of(value);
    all.push_back(solve(Problem(data, spec), options, input).w);
  }
  return all;
}

// Each class at the optimum of its own problem, to the tolerance, with a certificate that holds.
inline void expect_optimal(const OneVsRest& fit, const Dataset& data, ProblemSpec spec, double tol) {
  spec.threads = 1;
  for (std::size_t k = 0; k < fit.classes.size(); ++k) {
    spec.positive = fit.classes[k];
    const Problem problem(data, spec);
    const Certificate& certificate = fit.class_summaries[k].certificate;
    EXPECT_EQ(fit.class_summaries[k].status, Status::converged);
    EXPECT_LE(certificate.relative_gap, tol);
    EXPECT_NEAR(certificate.relative_gap, certify(problem, fit.w[k]).relative_gap, 1e-9);
    EXPECT_NEAR(fit.class_summaries[k].objective, objective(problem, fit.w[k]), 1e-12);
    const double best = solve_reference(problem).objective;
    EXPECT_LE(fit.class_summaries[k].objective, best * (1 + tol) + 1e-12);
  }
}

inline void expect_near(const Parameters& a, const Parameters& b, double tolerance, const std::string& what) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t k = 0; k < a.size(); ++k)
    for (std::size_t j = 0; j < a[k].size(); ++j) EXPECT_NEAR(a[k][j], b[k][j], tolerance) << what << " class " << k;
}

}  // namespace s3gd::testing
