#include "compare/one_run.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <new>
#include <numeric>

#include "base/sha256.hpp"
#include "compare/contender.hpp"
#include "compare/machine.hpp"
#include "compare/schedule.hpp"
#include "solve/run_identity.hpp"
#include "solve/schedule.hpp"

namespace s3gd {
namespace {

constexpr std::size_t kKeyDigits = 16;

double finite_or_nan(double value) { return std::isfinite(value) ? value : std::nan(""); }

// Mean over the looks of the run's last `tail` iterations; of a run that was cut short, of its last part in proportion.
// Exact solvers end where they end: their last point.
void average_tail(const Plan& plan, bool exact, RunRecord& record) {
  double sum = 0;
  const double share = 1.0 - static_cast<double>(plan.tail) / static_cast<double>(plan.iterations);
  const double from = share * static_cast<double>(record.iterations);
  for (const TraceRow& row : record.points) {
    const bool counts = exact ? &row == &record.points.back() : static_cast<double>(row.iteration) > from;
    if (!counts) continue;
    sum += row.train_objective;
    ++record.tail_looks;
  }
  record.tail_objective =
      record.tail_looks > 0 ? finite_or_nan(sum / static_cast<double>(record.tail_looks)) : std::nan("");
}

// What was spent before the first step is known from the look at iteration 0.
void fill_clocks(const Summary& summary, bool exact, RunRecord& record) {
  if (!exact && !record.points.empty()) {
    record.graph_cpu_seconds = record.points.front().cpu_seconds;
    record.graph_seconds = record.points.front().wall_seconds;
  }
  record.cpu_seconds = summary.cpu_seconds;
  record.wall_seconds = summary.graph_seconds + summary.solve_seconds;
  record.solve_seconds = record.wall_seconds - record.graph_seconds;
  record.evaluate_seconds = summary.evaluate_seconds;
}

// Numbers that overflowed, or a run that ends above where it began; not one whose time was up before its first step.
bool has_diverged(const RunRecord& record, bool overflowed) {
  if (std::isnan(record.tail_objective)) return overflowed || record.tail_looks > 0;
  return !record.points.empty() && record.points.front().iteration == 0 &&
         record.tail_objective > record.points.front().train_objective;
}

void fill(const Plan& plan, bool exact, Solution& solution, RunRecord& record) {
  const Summary& summary = solution.summary;
  record.points = std::move(solution.trace);
  record.iterations = summary.iterations;
  record.passes = summary.passes;
  if (!exact) record.step = summary.step;
  const bool overflowed = summary.status == Status::diverged;  // then nothing that was seen before says where it ended
  if (!record.points.empty() && !overflowed) {
    record.objective = finite_or_nan(record.points.back().train_objective);
    record.test_objective = finite_or_nan(record.points.back().test_objective);
  }
  if (!overflowed) average_tail(plan, exact, record);
  fill_clocks(summary, exact, record);
  const bool diverged = !exact && has_diverged(record, overflowed);
  record.status = diverged ? name_of(Status::diverged) : name_of(summary.status);
}

}  // namespace

std::vector<RunTask> tasks_of(const Plan& plan, const Subject& subject) {
  std::vector<RunTask> tasks;
  std::size_t most_steps = subject.steps.size();
  for (const Contender& contender : plan.contenders) most_steps = std::max(most_steps, contender.steps.size());
  for (Index trial = 1; trial <= plan.trials; ++trial)
    for (std::size_t s = 0; s < most_steps; ++s)
      for (std::size_t c = 0; c < plan.contenders.size(); ++c) {
        const Contender& contender = plan.contenders[c];
        const auto& steps = contender.steps.empty() ? subject.steps : contender.steps;
        const bool exact = is_exact(contender.solver);
        if (exact ? s == 0 : s < steps.size()) tasks.push_back({c, exact ? StepRule{} : steps[s], exact, trial});
      }
  return tasks;
}

SolveOptions options_of(const Plan& plan, const Subject& subject, const RunTask& task) {
  const Contender& contender = plan.contenders[task.contender];
  SolveOptions options = contender.base;
  options.solver = contender.solver;
  options.step = task.step.relative ? task.step.value * subject.unit_step : task.step.value;
  options.decay = task.step.decay;
  options.iterations = plan.iterations;
  options.seconds = plan.seconds;
  options.seed = plan.seed + static_cast<std::uint64_t>(task.trial - 1);
  options.tol = task.exact ? plan.exact_tol : 0;
  options.trace_every = task.exact ? -1 : 0;
  options.trace_gradients = plan.gradients && !task.exact;
  return options;
}

std::string key_of(const Plan& plan, const Subject& subject, const RunTask& task) {
  const std::string identity =
      fmt::format("compare 2, s3gd {}, {}, {}, iterations {}, tail {}, looks {}, seconds {}, threads {}", S3GD_VERSION,
                  subject.content, options_identity(subject.problem.spec(), options_of(plan, subject, task)),
                  plan.iterations, plan.tail, plan.look_growth, plan.seconds, plan.threads);
  Sha256 sum;
  sum.add(identity);
  return sum.hex().substr(0, kKeyDigits);
}

RunRecord blank_record(const Plan& plan, const Subject& subject, const RunTask& task) {
  const SolveOptions options = options_of(plan, subject, task);
  const double nan = std::nan("");
  RunRecord record;
  record.key = key_of(plan, subject, task);
  record.dataset = subject.name;
  record.solver = options.solver;
  record.label = plan.contenders[task.contender].label;
  record.step = task.exact || options.step == 0 ? nan : options.step;
  record.step_rule = task.exact ? "none" : text_of(task.step);
  record.seed = options.seed;
  record.trial = task.trial;
  record.objective = record.test_objective = record.tail_objective = nan;
  record.cpu = machine_facts().cpu;
  return record;
}

RunOutcome perform(const Plan& plan, const Subject& subject, const RunTask& task,
                   const std::function<bool(const TraceRow&)>& at_look) {
  RunOutcome outcome{blank_record(plan, subject, task), {}, false};
  RunRecord& record = outcome.record;
  const OneOutputInput input{.graph = nullptr, .test = subject.test ? &*subject.test : nullptr, .watch = at_look};
  const Schedule looks{look_schedule(plan.iterations, plan.tail, plan.look_growth), &subject.judge};
  try {
    Solution solution = solve_on_schedule(subject.problem, options_of(plan, subject, task), input, looks);
    outcome.interrupted = solution.summary.status == Status::interrupted;
    fill(plan, task.exact, solution, record);
    if (std::isfinite(record.objective)) outcome.w = std::move(solution.w);
  } catch (const std::bad_alloc&) {
    record.error = "not enough memory";
  } catch (const std::exception& error) {
    record.error = error.what();
  }
  if (!record.error.empty()) record.status = "failed";
  return outcome;
}

}  // namespace s3gd
