// solve(): checks the options, runs the stages, adds up the summary.
#include "s3gd/solve.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/clock.hpp"
#include "base/interrupt.hpp"
#include "base/nearest.hpp"
#include "oracle/control.hpp"
#include "oracle/quality.hpp"
#include "s3gd/error.hpp"
#include "solve/advice.hpp"
#include "solve/run.hpp"

namespace s3gd {
namespace {

constexpr double kAutoPasses = 2;  // of S3GD before the exact finish takes over
// For centres, anchors and X M together: on very wide data auto takes fewer anchors.
constexpr double kAnchorBytes = 1e9;
constexpr double kBytesPerAnchorEntry = 28;

void check_number(const char* name, double value, bool ok, const char* wanted) {
  if (!ok) throw Error(fmt::format("{} is {}", name, value), fmt::format("give {}", wanted));
}

void check_solver(const std::string& solver) {
  std::vector<std::string> names;
  for (const SolverInfo& info : solvers()) names.push_back(info.name);
  if (std::find(names.begin(), names.end(), solver) == names.end())
    throw Error("there is no solver '" + solver + "'", "did you mean " + nearest(solver, names) + "?");
}

// Options that would have no effect are mistakes, not wishes to be passed over.
void check_fits_solver(const SolveOptions& options) {
  const Estimator* estimator = find_estimator(options.solver);
  if (options.accelerated && options.solver != "gd")
    throw Error("acceleration is gd's, the solver is " + options.solver, "use --solver gd, or leave it out");
  if (estimator == nullptr) return;
  if (estimator->fixed_inner && options.inner > 1)
    throw Error(options.solver + " makes a snapshot at every step", "leave --inner out");
  const bool own_rows = estimator->sampling != Sampling::weighted || options.solver == "gd";
  if (own_rows && options.order != RowOrder::solver)
    throw Error(options.solver + " chooses its rows itself", "leave --order out");
}

void check_options(const Problem& problem, const SolveOptions& options) {
  check_solver(options.solver);
  check_fits_solver(options);
  check_number("the step", options.step, std::isfinite(options.step) && options.step >= 0, "a positive number");
  check_number("the decay", options.decay, std::isfinite(options.decay) && options.decay >= 0, "a positive number");
  check_number("the tolerance", options.tol, std::isfinite(options.tol) && options.tol >= 0, "0 or more");
  check_number("passes", options.passes, std::isfinite(options.passes) && options.passes >= 0, "a positive number");
  check_number("seconds", options.seconds, std::isfinite(options.seconds) && options.seconds >= 0, "a positive number");
  check_number("iterations", static_cast<double>(options.iterations), options.iterations >= 0, "a positive number");
  check_number("the batch", static_cast<double>(options.batch), options.batch >= 1, "at least 1");
  check_number("inner", static_cast<double>(options.inner), options.inner >= 0, "at least 1");
  if (!options.start.empty() && static_cast<Index>(options.start.size()) != problem.dim())
    throw Error(fmt::format("the start has {} numbers, the problem {}", options.start.size(), problem.dim()));
}

Solution finish_exactly(const Problem& problem, const SolveOptions& options, std::vector<double> start) {
  OptimumOptions optimum_options;
  optimum_options.tol = options.tol;
  optimum_options.start = std::move(start);
  optimum_options.max_seconds = options.seconds;
  if (options.iterations > 0) optimum_options.max_iterations = options.iterations;
  RunClock clock;
  Optimum optimum = solve_reference(problem, optimum_options);
  clock.pause();
  Solution solution;
  solution.w = std::move(optimum.w);
  Summary& summary = solution.summary;
  summary.solver = "newton";
  summary.objective = optimum.objective;
  summary.certificate = optimum.certificate;
  summary.solve_seconds = clock.wall_seconds();
  summary.cpu_seconds = clock.cpu_seconds();
  summary.iterations = optimum.iterations;
  const bool converged = optimum.certificate.relative_gap <= options.tol;
  if (converged)
    summary.status = Status::converged;
  else if (interrupted())
    summary.status = Status::interrupted;
  else if (options.seconds > 0 && clock.wall_seconds() >= options.seconds)
    summary.status = Status::out_of_time;
  else
    summary.status = Status::out_of_passes;
  summary.stages.push_back({optimum.method, clock.wall_seconds(), optimum.iterations,
                            converged ? "tolerance reached" : name_of(summary.status)});
  TraceRow row;
  row.iteration = optimum.iterations;
  row.cpu_seconds = clock.cpu_seconds();
  row.wall_seconds = clock.wall_seconds();
  row.train_objective = optimum.objective;
  row.test_objective = row.correlation = row.variance_ratio = std::nan("");
  row.gap = optimum.certificate.relative_gap;
  row.stage = optimum.method;
  solution.trace.push_back(row);
  return solution;
}

// What the second stage adds to the first.
Solution join(Solution first, Solution second) {
  Summary& summary = second.summary;
  for (TraceRow& row : second.trace) {
    row.wall_seconds += first.summary.graph_seconds + first.summary.solve_seconds;
    row.cpu_seconds += first.summary.cpu_seconds;
    row.passes += first.summary.passes;
    first.trace.push_back(row);
  }
  second.trace = std::move(first.trace);
  summary.stages.insert(summary.stages.begin(), first.summary.stages.begin(), first.summary.stages.end());
  summary.graph_seconds = first.summary.graph_seconds;
  summary.solve_seconds += first.summary.solve_seconds;
  summary.evaluate_seconds += first.summary.evaluate_seconds;
  summary.cpu_seconds += first.summary.cpu_seconds;
  summary.passes += first.summary.passes;
  summary.iterations += first.summary.iterations;
  summary.step = first.summary.step;
  summary.inner = first.summary.inner;
  summary.surrogate_gap = first.summary.surrogate_gap;
  return second;
}

Solution solve_auto(const Problem& problem, const SolveOptions& options, const SolveInput& input) {
  SolveOptions stage = options;
  stage.solver = "s3gd";
  // Each row once a pass reads memory best; with unequal weights drawing by weight allows larger steps.
  if (stage.order == RowOrder::solver && problem.weights().empty()) stage.order = RowOrder::shuffled;
  const auto affordable =
      static_cast<Index>(kAnchorBytes / (kBytesPerAnchorEntry * static_cast<double>(problem.cols())));
  stage.graph.anchors = std::clamp<Index>(affordable, 1, std::max<Index>(1, stage.graph.anchors));
  if (stage.passes <= 0 && stage.iterations <= 0) stage.passes = kAutoPasses;
  Solution solution = run_estimator({problem, stage, input});
  const Status status = solution.summary.status;
  if (status == Status::out_of_passes || status == Status::diverged) {
    SolveOptions rest = options;
    if (options.iterations > 0) rest.iterations = std::max<Index>(1, options.iterations - solution.summary.iterations);
    if (options.seconds > 0)
      rest.seconds = std::max(1e-3, options.seconds - solution.summary.graph_seconds - solution.summary.solve_seconds);
    std::vector<double> start = solution.w;
    solution = join(std::move(solution), finish_exactly(problem, rest, std::move(start)));
  }
  solution.summary.solver = "auto";
  return solution;
}

}  // namespace

const char* name_of(Status status) {
  switch (status) {
    case Status::converged:
      return "converged";
    case Status::out_of_passes:
      return "out_of_passes";
    case Status::out_of_time:
      return "out_of_time";
    case Status::early_stopped:
      return "early_stopped";
    case Status::interrupted:
      return "interrupted";
    case Status::diverged:
      return "diverged";
  }
  return "unknown";
}

std::vector<SolverInfo> solvers() {
  std::vector<SolverInfo> list{{"auto", "S3GD, then an exact second-order finish to the tolerance (default)"}};
  for (const Estimator& estimator : estimator_table()) list.push_back({estimator.name, estimator.summary});
  list.push_back({"newton", "the exact finish alone: Newton, Newton-CG or prox-Newton by shape and penalty"});
  return list;
}

Solution solve(const Problem& problem, const SolveOptions& options, const SolveInput& input) {
  check_options(problem, options);
  Solution solution;
  if (options.solver == "auto")
    solution = solve_auto(problem, options, input);
  else if (options.solver == "newton")
    solution = finish_exactly(problem, options, options.start);
  else
    solution = run_estimator({problem, options, input});
  if (input.test != nullptr && !solution.trace.empty() && std::isnan(solution.trace.back().test_objective))
    solution.trace.back().test_objective = objective(*input.test, solution.w);
  add_advice(problem, options, solution.summary);
  return solution;
}

void apply_paper_setting(ProblemSpec& problem, SolveOptions& options) {
  problem.loss.kind = LossKind::logistic;
  problem.penalty = PenaltySpec{};
  problem.penalty.lambda = 1e-3;
  problem.intercept = Intercept::regularised;
  problem.class_weight = ClassWeight::paper;
  problem.positive = "largest";
  options.batch = 10;
  options.inner = 0;
  options.decay = 0;
  options.order = RowOrder::solver;
  options.average_snapshot = false;
  options.graph.anchors = 100;
  options.graph.neighbours = 5;
  options.graph.kernel = Kernel::paper;
  options.graph_mode = GraphMode::full;
  options.control = ControlMode::paper;
}

}  // namespace s3gd
