#include "compare/one_run.hpp"

#include <fmt/core.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <limits>
#include <new>
#include <numeric>
#include <thread>

#include "base/checksum.hpp"
#include "base/clock.hpp"
#include "base/mention.hpp"
#include "compare/subject.hpp"
#include "s3gd/error.hpp"
#include "solve/checkpoint.hpp"
#include "solve/inputs.hpp"

namespace s3gd {
namespace {

constexpr std::size_t kKeyDigits = 16;
constexpr Index kTrialIterations = 500;
constexpr double kTrialSeconds = 0.25;  // of a run that is tried
constexpr Index kRegularLooks = 50;

Index not_in_step(Index distance) {
  while (std::gcd(distance, Index{10}) > 1) ++distance;
  return std::max<Index>(1, distance);
}

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

constexpr std::chrono::milliseconds kPause{20};

enum Ended : int { kStored = 0, kInterrupted = 130, kBroken = 1 };

std::string how_it_ended(int status) {
  if (WIFSIGNALED(status)) return fmt::format("the run's process was ended by signal {}", WTERMSIG(status));
  return fmt::format("the run's process ended with code {}", WEXITSTATUS(status));
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

std::vector<Index> look_schedule(Index iterations, Index tail, double growth) {
  const Index apart = not_in_step(iterations / kRegularLooks);
  const Index apart_at_end = not_in_step(std::max<Index>(1, tail / kTailLooks));
  std::vector<Index> looks;
  for (Index at = iterations; at > std::max<Index>(0, iterations - tail); at -= apart_at_end) looks.push_back(at);
  std::reverse(looks.begin(), looks.end());
  std::vector<Index> before;
  for (Index at = 0; at <= iterations - tail;) {
    before.push_back(at);
    const auto grown = static_cast<Index>(static_cast<double>(at) * growth);
    at = std::clamp(grown, at + 1, at + apart);
  }
  looks.insert(looks.begin(), before.begin(), before.end());
  return looks;
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

Workers::~Workers() {
  end_all(SIGKILL);
  for (const auto& [pid, task] : running_) waitpid(pid, nullptr, 0);
}

void Workers::end_all(int signal) const {
  for (const auto& [pid, task] : running_) kill(pid, signal);
}

// The rest of the program is not the child's: it leaves by _exit whatever happens.
void Workers::run_child(const RunTask& task) const {
  int code = kBroken;
  try {
    RunOutcome outcome = perform(plan_, subject_, task, {});
    if (!outcome.interrupted) folder_.store(outcome.record, outcome.w);
    code = outcome.interrupted ? kInterrupted : kStored;
  } catch (...) {
    code = kBroken;  // a full disk, say
  }
  _exit(code);
}

bool Workers::start(const RunTask& task) {
  while (static_cast<int>(running_.size()) >= plan_.jobs) wait_for_one();
  if (interrupted_) return false;
  const pid_t pid = fork();
  if (pid < 0) throw Error("cannot start a process for a run", "try " + fewer("jobs"));
  if (pid == 0) run_child(task);
  running_.emplace(pid, task);
  return true;
}

bool Workers::finish() {
  while (!running_.empty()) wait_for_one();
  return !interrupted_;
}

// A caught SIGTERM lets a run end in good order; what does not end by it is ended by the destructor.
void Workers::wait_for_one() {
  while (!running_.empty()) {
    for (const auto& [pid, task] : running_) {
      int status = 0;
      if (waitpid(pid, &status, WNOHANG) != pid) continue;
      const RunTask ended = task;
      running_.erase(pid);
      take(ended, status);
      return;
    }
    if (!interrupted_ && !keep_going_()) {
      interrupted_ = true;
      end_all(SIGTERM);
    }
    std::this_thread::sleep_for(kPause);
  }
}

void Workers::take(const RunTask& task, int status) {
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  if (code == kInterrupted) interrupted_ = true;
  RunRecord record = blank_record(plan_, subject_, task);
  auto stored = code == kStored ? folder_.load(record.key) : std::nullopt;
  if (stored) {
    called_as_in(record, *stored);
    done_(task, *std::move(stored));
  } else if (!interrupted_) {
    record.status = "failed";
    record.error = how_it_ended(status);
    done_(task, std::move(record));
  }
}

}  // namespace s3gd
