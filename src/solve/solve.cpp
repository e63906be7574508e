// A task by the solver of its kind; one output: checks the options, runs the stages, adds up the summary.
#include "s3gd/solve.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "base/mention.hpp"
#include "data/checks.hpp"
#include "exact/finisher.hpp"
#include "problem/judged_rows.hpp"
#include "s3gd/error.hpp"
#include "solve/advice.hpp"
#include "solve/auto.hpp"
#include "solve/checkpoint.hpp"
#include "solve/inputs.hpp"
#include "solve/one_vs_rest.hpp"
#include "solve/options/table.hpp"
#include "solve/run.hpp"
#include "solve/run_identity.hpp"
#include "solve/schedule.hpp"
#include "solve/softmax_solve.hpp"
#include "solve/warm_state.hpp"
#include "stochastic/control.hpp"

namespace s3gd {
namespace {

// A solver asked for by name must suit the problem: run all the same, it would leave out a part of the penalty.
void check_suits(const Problem& problem, const SolveOptions& options) {
  const auto refuse_unless = [&](const Needs& needs, const std::string& who, const std::string& first) {
    const Need* need = missing(needs, problem);
    if (need == nullptr) return;
    std::string suited = "auto";
    for (const Finisher& one : finisher_table())
      if (one.suits(problem)) suited += ", " + one.name;
    throw Error(ErrorCode::do_not_go, "solver", sentence(who, *need, problem), first + "use " + opt("solver", suited));
  };
  const Finisher* finisher = find_finisher(options.solver);
  const Estimator* estimator = find_estimator(options.solver);
  if (finisher != nullptr) refuse_unless(finisher->needs, options.solver, "");
  if (estimator == nullptr) return;
  refuse_unless(estimator->needs, options.solver, "");
  // A step of its own choice goes by the largest curvature of the loss.
  if (options.step == 0)
    refuse_unless({&kBoundedCurvature}, "the automatic step of " + options.solver, "give " + opt("step") + ", or ");
}

}  // namespace

const char* name_of(Status status) {
  constexpr const char* kNames[] = {"converged",     "out_of_passes", "out_of_time",
                                    "early_stopped", "interrupted",   "diverged"};
  return kNames[static_cast<int>(status)];
}

std::vector<SolverInfo> solvers() {
  std::vector<SolverInfo> list{
      {"auto", "a start by S3GD or growing samples, then the exact finish that suits the problem (default)"}};
  for (const Estimator& estimator : estimator_table()) list.push_back({estimator.name, estimator.summary});
  for (const Finisher& finisher : finisher_table()) list.push_back({finisher.name, finisher.summary});
  return list;
}

void check_solve(const Problem& problem, const SolveOptions& options, const OneOutputInput& input) {
  OptionScene scene = scene_of(problem.spec(), options.solver, Outputs::one);
  scene.validates = input.test != nullptr;
  scene.keeps = !options.checkpoint.empty();
  check_options(values_of(problem.spec(), options), scene);
  check_suits(problem, options);
  check_start(options.start, problem.dim());
}

void check_start(std::span<const double> start, Index dim) {
  if (!start.empty() && static_cast<Index>(start.size()) != dim)
    throw Error(ErrorCode::bad_value, "warm-start",
                fmt::format("the start has {} numbers, the problem {}", start.size(), dim));
}

namespace {

Solution run_by_estimator(const Problem& problem, const SolveOptions& options, const OneOutputInput& input,
                          Checkpoint* checkpoint, const Schedule* looks) {
  RunInput run = run_input(problem, options, input);
  run.checkpoint = checkpoint;
  run.looks = looks;
  return run_estimator(run);
}

Solution run(const Problem& problem, const SolveOptions& options, const OneOutputInput& input, WarmState* carried,
             Checkpoint* checkpoint) {
  Solution solution;
  if (options.solver == "auto")
    solution = solve_auto(problem, options, input, carried, checkpoint);
  else if (find_finisher(options.solver) != nullptr)
    solution = solve_by_finisher(options.solver, problem, options, input, carried, checkpoint);
  else
    solution = run_by_estimator(problem, options, input, checkpoint, nullptr);
  if (input.test != nullptr && !solution.trace.empty() && std::isnan(solution.trace.back().test_objective))
    solution.trace.back().test_objective = objective(*input.test, solution.w);
  if (carried == nullptr) add_advice(problem, options, solution);  // a path is a row of solves nobody reads one by one
  return solution;
}

}  // namespace

Solution solve_warm(const Problem& problem, const SolveOptions& options, const OneOutputInput& input,
                    WarmState* carried) {
  check_solve(problem, options, input);
  if (options.checkpoint.empty()) return run(problem, options, input, carried, nullptr);
  FileCheckpoint file(options, run_identity(problem, options, input));
  Solution solution = run(problem, options, input, carried, &file);
  add_trouble(file, solution.summary);
  return solution;
}

Solution solve_keeping(const Problem& problem, const SolveOptions& options, const OneOutputInput& input,
                       Checkpoint& checkpoint) {
  check_solve(problem, options, input);
  return run(problem, options, input, nullptr, &checkpoint);
}

Solution solve_on_schedule(const Problem& problem, const SolveOptions& options, const OneOutputInput& input,
                           const Schedule& looks) {
  if (find_estimator(options.solver) == nullptr) return solve_warm(problem, options, input);
  check_solve(problem, options, input);
  Solution solution = run_by_estimator(problem, options, input, nullptr, &looks);
  if (!solution.trace.empty()) solution.summary.objective = solution.trace.back().train_objective;
  return solution;
}

namespace {

// Whether every row is first met in a pass that makes margins. Other ways begin with k-means, norms or columns of the rows,
// where numbers that are not finite do harm before anybody notices.
bool begins_with_margins(const Problem& problem, const SolveOptions& options) {
  if (options.solver != "auto" || !options.checkpoint.empty()) return false;
  const Finisher& first = first_that_suits(problem);
  return first.name == "sampled-newton" && first.start_passes(problem) == 0;
}

template <class P>
std::optional<P> test_of(const P& problem, const Dataset* rows) {
  if (rows == nullptr) return std::nullopt;
  return on_rows(problem, *rows);
}

Solution solve_kind(const Problem& problem, const SolveOptions& options, const SolveInput& input) {
  const auto* unseen = dynamic_cast<const MarginWatch*>(problem.data().verifier.get());
  const int threads = problem.spec().threads;
  if (unseen != nullptr && !begins_with_margins(problem, options)) unseen->insist(threads);
  const std::optional<Problem> test = test_of(problem, input.test);
  Solution solution = solve_warm(problem, options, {input.graph, test ? &*test : nullptr, input.watch});
  if (unseen != nullptr) unseen->insist(threads);
  return solution;
}

Solution solve_kind(const OneVsRestProblem& problem, const SolveOptions& options, const SolveInput& input) {
  return solve_one_vs_rest(problem, options, input);
}

Solution solve_kind(const SoftmaxProblem& problem, SolveOptions options, const SolveInput& input) {
  const std::optional<SoftmaxProblem> test = test_of(problem, input.test);
  if (static_cast<Index>(options.start.size()) == problem.dim())  // of another size it is refused
    options.start = feature_by_feature(problem, options.start);
  Solution solution = solve_softmax(problem, options, {input.graph, test ? &*test : nullptr, input.watch});
  solution.w = class_by_class(problem, solution.w);
  return solution;
}

}  // namespace

Solution solve(const Task& task, const SolveOptions& options, const SolveInput& input) {
  std::optional<JudgedRows> judged;
  if (input.test != nullptr) judged = task.judged(*input.test);
  SolveInput known = input;
  known.test = judged ? &judged->rows : nullptr;
  return std::visit([&](const auto& problem) { return solve_kind(problem, options, known); }, task.stated());
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
  options.propagation = Propagation::constant;
}

}  // namespace s3gd
