#include "compare/cost.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "base/clock.hpp"
#include "compare/schedule.hpp"
#include "solve/schedule.hpp"

namespace s3gd {
namespace {

constexpr Index kTrialIterations = 500;
constexpr double kTrialSeconds = 0.25;

double seconds_of_a_look(const Subject& subject) {
  const std::vector<double> zero(static_cast<std::size_t>(subject.problem.dim()), 0.0);
  double least = std::numeric_limits<double>::infinity();  // the first time, memory is cold
  for (int repeat = 0; repeat < 3; ++repeat) {
    const double started = wall_now();
    objective(subject.judge, zero);
    if (subject.test) objective(*subject.test, zero);
    least = std::min(least, wall_now() - started);
  }
  return least;
}

}  // namespace

double guess_seconds(const Plan& plan, const Subject& subject, const RunTask& task) {
  if (task.exact) return 0;
  SolveOptions options = options_of(plan, subject, task);
  options.iterations = std::min(plan.iterations, kTrialIterations);
  options.seconds = kTrialSeconds;
  options.trace_gradients = plan.gradients;
  try {
    const Solution trial = solve_on_schedule(subject.problem, options, {}, {{}, &subject.judge});
    const double before = trial.trace.empty() ? 0 : trial.trace.front().wall_seconds;
    const double all = trial.summary.graph_seconds + trial.summary.solve_seconds;
    const auto made = static_cast<double>(std::max<Index>(1, trial.summary.iterations));
    double run = before + (all - before) / made * static_cast<double>(plan.iterations);
    if (plan.seconds > 0) run = std::min(run, plan.seconds);
    double look = seconds_of_a_look(subject);
    if (plan.gradients && !trial.trace.empty())  // far more than the objectives
      look += trial.summary.evaluate_seconds / static_cast<double>(trial.trace.size());
    const auto looks = static_cast<double>(look_schedule(plan.iterations, plan.tail, plan.look_growth).size());
    return run + looks * look;
  } catch (const std::exception&) {
    return 0;
  }
}

void CostBook::expect(std::size_t dataset, std::size_t contender, Index runs, double seconds_each) {
  Entry& entry = entries_[{dataset, contender}];
  entry.left = runs;
  entry.guess = seconds_each;
}

void CostBook::done(std::size_t dataset, std::size_t contender, double seconds) {
  Entry& entry = entries_[{dataset, contender}];
  entry.measured += seconds;
  ++entry.ended;
  entry.left = std::max<Index>(0, entry.left - 1);
}

double CostBook::seconds_left() const {
  double sum = 0;
  for (const auto& [place, entry] : entries_)
    sum += static_cast<double>(entry.left) *
           (entry.ended > 0 ? entry.measured / static_cast<double>(entry.ended) : entry.guess);
  return sum;
}

}  // namespace s3gd
