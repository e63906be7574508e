#include "solve/auto.hpp"

#include <algorithm>
#include <cmath>

#include "exact/finisher.hpp"
#include "problem/constant_model.hpp"
#include "solve/finish.hpp"
#include "solve/run.hpp"
#include "stochastic/control.hpp"

namespace s3gd {
namespace {

// Where curvature grows without bound, the way from zero may be long: the best constant is closer, for next to nothing.
std::vector<double> start_of(const Problem& problem, const SolveOptions& options) {
  if (!options.start.empty() || !problem.has_intercept() || kBoundedCurvature.met(problem)) return options.start;
  std::vector<double> start(static_cast<std::size_t>(problem.dim()), 0.0);
  start.back() = best_constant(problem, 0).b;
  return start;
}

// With a step of its own.
bool s3gd_suits(const Problem& problem) {
  return missing(find_estimator("s3gd")->needs, problem) == nullptr && kBoundedCurvature.met(problem);
}

// Runs the finisher, and after one that got stuck the exact one, which always suits.
Solution finish_one(const Finisher& first, const Problem& problem, const SolveOptions& options,
                    std::vector<double> start, Journal& journal, WarmState* carried, Checkpoint* checkpoint) {
  if (checkpoint != nullptr || (start.empty() && !first.sequence_from_nothing)) carried = nullptr;
  const auto bind = [&](const std::string& name) {
    const Finisher& finisher = *find_finisher(name);
    BoundFinisher result = bound(finisher, problem, options.tol);
    if (carried == nullptr) return result;
    if (name != first.name) carried->forget();
    result.run = [&](std::uint64_t seed, Index most, std::vector<double> from, Progress& progress) {
      return carried->finish(finisher, {problem, options.tol, seed, most}, std::move(from), progress);
    };
    return result;
  };
  return finish_with({options, journal, bind, "newton", checkpoint}, first.name, std::move(start));
}

}  // namespace

Solution solve_auto(const Problem& problem, const SolveOptions& options, const OneOutputInput& input,
                    WarmState* carried, Checkpoint* checkpoint) {
  Journal journal(problem, options, input);
  const Finisher& finisher = first_that_suits(problem, carried != nullptr);
  std::vector<double> start = start_of(problem, options);
  const double passes = finisher.start_passes == nullptr || !s3gd_suits(problem) ? 0 : finisher.start_passes(problem);
  const bool resumes = checkpoint != nullptr && checkpoint->resumed() != nullptr;
  if (start.empty() && passes > 0 && !resumes) {
    Solution first = run_start(run_input(problem, options, input), passes);
    if (was_cut(first)) {
      first.summary.solver = "auto";
      return first;
    }
    if (first.summary.status != Status::diverged) start = first.w;
    journal.append(std::move(first));
    journal.begin_stage("s3gd");
    if (!start.empty())
      journal.moved(start, 0, std::nan(""), std::nan(""));  // the average, which the stage's trace lacks
  }
  Solution solution = finish_one(finisher, problem, options, std::move(start), journal, carried, checkpoint);
  solution.summary.solver = "auto";
  return solution;
}

Solution solve_by_finisher(const std::string& name, const Problem& problem, const SolveOptions& options,
                           const OneOutputInput& input, WarmState* carried, Checkpoint* checkpoint) {
  Journal journal(problem, options, input);
  Solution solution =
      finish_one(*find_finisher(name), problem, options, start_of(problem, options), journal, carried, checkpoint);
  solution.summary.solver = name;
  return solution;
}

}  // namespace s3gd
