// solve(): checks the options, runs the stages, adds up the summary.
#include "s3gd/solve.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/clock.hpp"
#include "base/interrupt.hpp"
#include "base/nearest.hpp"
#include "finish/finisher.hpp"
#include "oracle/control.hpp"
#include "oracle/quality.hpp"
#include "s3gd/error.hpp"
#include "solve/advice.hpp"
#include "solve/auto.hpp"
#include "solve/carried.hpp"
#include "solve/check.hpp"
#include "solve/checkpoint.hpp"
#include "solve/looks.hpp"
#include "solve/run.hpp"
#include "solve/run_identity.hpp"

namespace s3gd {
namespace {

void check_number(const char* name, double value, bool ok, const char* wanted) {
  if (!ok) throw Error(fmt::format("{} is {}", name, value), fmt::format("give {}", wanted));
}

void check_solver(const std::string& solver) {
  std::vector<std::string> names;
  for (const SolverInfo& info : solvers()) names.push_back(info.name);
  if (std::find(names.begin(), names.end(), solver) == names.end())
    throw Error("there is no solver '" + solver + "'", suggestion(solver, names));
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

// A finisher asked for by name must suit the problem: run all the same, it would leave out a part of the penalty.
void check_suits(const Problem& problem, const std::string& solver) {
  const Finisher* finisher = find_finisher(solver);
  if (finisher != nullptr && !finisher->suits(problem))
    throw Error(solver + " does not suit this problem, it is for other shapes or penalties (" + finisher->summary + ")",
                "use --solver auto or newton");
}

void check_options(const Problem& problem, const SolveOptions& options) {
  check_solver(options.solver);
  check_fits_solver(options);
  check_suits(problem, options.solver);
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

}  // namespace

void check_watched(const SolveOptions& options, bool has_test) {
  if (options.patience < 0) throw Error(fmt::format("the patience is {}", options.patience), "give 1 or more");
  if (options.patience > 0 && !has_test)
    throw Error("early stopping needs rows to look at", "give --validate DATA, or a FRACTION to hold out");
  if (!(options.checkpoint_every >= 0))
    throw Error(fmt::format("a checkpoint every {} seconds", options.checkpoint_every), "give 0 or more");
  if (options.resume && options.checkpoint.empty())
    throw Error("there is no checkpoint to resume from", "give --checkpoint FILE");
}

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
  std::vector<SolverInfo> list{
      {"auto", "a start by S3GD or growing samples, then the exact finish that suits the problem (default)"}};
  for (const Estimator& estimator : estimator_table()) list.push_back({estimator.name, estimator.summary});
  for (const Finisher& finisher : finisher_table()) list.push_back({finisher.name, finisher.summary});
  return list;
}

void check_solve(const Problem& problem, const SolveOptions& options, const SolveInput& input) {
  check_options(problem, options);
  check_watched(options, input.test != nullptr);
}

Solution solve(const Problem& problem, const SolveOptions& options, const SolveInput& input) {
  return solve_carrying(problem, options, input, nullptr);
}

namespace {

Solution run(const Problem& problem, const SolveOptions& options, const SolveInput& input, Carried* carried,
             Checkpoint* checkpoint) {
  Solution solution;
  if (options.solver == "auto")
    solution = solve_auto(problem, options, input, carried, checkpoint);
  else if (find_finisher(options.solver) != nullptr)
    solution = solve_by_finisher(options.solver, problem, options, input, carried, checkpoint);
  else
    solution = run_estimator({.problem = problem, .options = options, .extra = input, .checkpoint = checkpoint});
  if (input.test != nullptr && !solution.trace.empty() && std::isnan(solution.trace.back().test_objective))
    solution.trace.back().test_objective = objective(*input.test, solution.w);
  if (carried == nullptr) add_advice(problem, options, solution);  // a path is a row of solves nobody reads one by one
  return solution;
}

}  // namespace

Solution solve_carrying(const Problem& problem, const SolveOptions& options, const SolveInput& input,
                        Carried* carried) {
  check_solve(problem, options, input);
  if (options.checkpoint.empty()) return run(problem, options, input, carried, nullptr);
  FileCheckpoint file(options, run_identity(problem, options, input));
  Solution solution = run(problem, options, input, carried, &file);
  add_trouble(file, solution.summary);
  return solution;
}

Solution solve_keeping(const Problem& problem, const SolveOptions& options, const SolveInput& input,
                       Checkpoint& checkpoint) {
  check_solve(problem, options, input);
  return run(problem, options, input, nullptr, &checkpoint);
}

Solution solve_looking(const Problem& problem, const SolveOptions& options, const SolveInput& input,
                       const Looks& looks) {
  if (find_estimator(options.solver) == nullptr) return solve(problem, options, input);
  check_options(problem, options);
  check_watched(options, input.test != nullptr);
  Solution solution = run_estimator({.problem = problem, .options = options, .extra = input, .looks = &looks});
  if (!solution.trace.empty()) solution.summary.objective = solution.trace.back().train_objective;
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
