// A task by the solver of its kind; one output: checks the options, runs the stages, adds up the summary. auto is a stochastic
// start where that pays, then the finisher that suits the problem.
#include <fmt/core.h>

#include <cmath>

#include "base/mention.hpp"
#include "data/checks.hpp"
#include "problem/constant_model.hpp"
#include "problem/judged_rows.hpp"
#include "s3gd/error.hpp"
#include "solve/advice.hpp"
#include "solve/finish.hpp"
#include "solve/one_vs_rest.hpp"
#include "solve/options/table.hpp"
#include "solve/run.hpp"
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

template <class AnyFinisher>
std::vector<SolverInfo> listed(const char* automatic, const std::vector<AnyFinisher>& finishers) {
  std::vector<SolverInfo> list{{"auto", automatic}};
  for (const Estimator& estimator : estimator_table()) list.push_back({estimator.name, estimator.summary});
  for (const AnyFinisher& finisher : finishers) list.push_back({finisher.name, finisher.summary});
  return list;
}

}  // namespace

const char* name_of(Status status) {
  constexpr const char* kNames[] = {"converged",     "out_of_passes", "out_of_time",
                                    "early_stopped", "interrupted",   "diverged"};
  return kNames[static_cast<int>(status)];
}

std::vector<SolverInfo> solvers() {
  return listed("a start by S3GD or growing samples, then the exact finish that suits the problem (default)",
                finisher_table());
}

std::vector<SolverInfo> softmax_solvers() {
  return listed("a start by S3GD, then the exact finish that suits the penalty (default)", softmax_finisher_table());
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

// Where curvature grows without bound, the way from zero may be long: the best constant is closer, for next to nothing.
std::vector<double> start_of(const Problem& problem, const SolveOptions& options) {
  if (!options.start.empty() || !problem.has_intercept() || kBoundedCurvature.met(problem)) return options.start;
  std::vector<double> start(static_cast<std::size_t>(problem.dim()), 0.0);
  start.back() = best_constant(problem, 0).b;
  return start;
}

// Passes of S3GD, with a step of its own, that pay before the finisher.
double start_passes(const Finisher& finisher, const Problem& problem, const SolveOptions& options) {
  const bool suits = missing(find_estimator("s3gd")->needs, problem) == nullptr && kBoundedCurvature.met(problem);
  return options.solver == "auto" && finisher.start_passes != nullptr && suits ? finisher.start_passes(problem) : 0;
}

// Runs the finisher, and after one that got stuck the exact one, which always suits. What is carried over is used and kept up
// to date where there is a start; states that a checkpoint keeps are made of parameters alone.
Solution run_by_finisher(const Finisher& first, const Problem& problem, const SolveOptions& options,
                         const OneOutputInput& input, WarmState* carried, Checkpoint* checkpoint) {
  Journal journal(problem, options, input);
  const auto bind = [&](const std::string& name) {
    const Finisher& finisher = *find_finisher(name);
    BoundFinisher result = bound(finisher, problem, options.tol);
    if (carried == nullptr || checkpoint != nullptr) return result;
    if (name != first.name) carried->forget();
    result.run = [&, alone = result.run](std::uint64_t seed, Index most, std::vector<double> from, Progress& progress) {
      if (from.empty() && !finisher.sequence_from_nothing) return alone(seed, most, std::move(from), progress);
      return carried->finish(finisher, {problem, options.tol, seed, most}, std::move(from), progress);
    };
    return result;
  };
  ExactPart part{options, journal, bind, "newton", checkpoint};
  if (const double passes = start_passes(first, problem, options); passes > 0)
    part.begin = [&, passes] { return run_start(run_input(problem, options, input), passes); };
  return finish_with(part, first.name, start_of(problem, options));
}

Solution run(const Problem& problem, const SolveOptions& options, const OneOutputInput& input, WarmState* carried,
             Checkpoint* checkpoint) {
  const Finisher* finisher =
      options.solver == "auto" ? &first_that_suits(problem, carried != nullptr) : find_finisher(options.solver);
  Solution solution = finisher != nullptr ? run_by_finisher(*finisher, problem, options, input, carried, checkpoint)
                                          : run_estimator(run_input(problem, options, input, checkpoint));
  solution.summary.solver = options.solver;
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
  RunInput run = run_input(problem, options, input);
  run.looks = &looks;
  Solution solution = run_estimator(run);
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
