// solve_softmax(): checks the options, runs the stages, adds up the summary.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/interrupt.hpp"
#include "base/nearest.hpp"
#include "s3gd/error.hpp"
#include "s3gd/softmax.hpp"
#include "softmax/finish.hpp"
#include "softmax/matrix_penalty.hpp"
#include "softmax/stochastic.hpp"
#include "solve/journal.hpp"

namespace s3gd {
namespace {

struct Method {
  const char* name;
  const char* summary;
  Finish (*run)(const SoftmaxFinishInput&, std::vector<double>, Progress&);
};

constexpr Method kFinishers[] = {
    {"quasi-newton", "quasi-Newton in the metric of a sampled Hessian (l2 or no penalty)", finish_by_quasi_newton},
    {"prox-newton", "proximal quasi-Newton, for any penalty", finish_by_prox_newton}};

const Method* finisher_named(const std::string& name) {
  for (const Method& method : kFinishers)
    if (name == method.name) return &method;
  return nullptr;
}

void check_options(const SoftmaxProblem& problem, const SolveOptions& options, const SoftmaxInput& input) {
  std::vector<std::string> names;
  for (const SolverInfo& info : softmax_solvers()) names.push_back(info.name);
  if (std::find(names.begin(), names.end(), options.solver) == names.end())
    throw Error("softmax has no solver '" + options.solver + "'",
                "did you mean " + nearest(options.solver, names) + "?");
  if (options.solver == "quasi-newton" && !MatrixPenalty(problem).smooth())
    throw Error("quasi-newton is for l2 or no penalty", "use --solver auto or prox-newton");
  if (options.batch < 1) throw Error(fmt::format("batch is {}", options.batch), "give at least 1");
  const std::pair<const char*, double> amounts[] = {{"tol", options.tol},
                                                    {"step", options.step},
                                                    {"passes", options.passes},
                                                    {"seconds", options.seconds},
                                                    {"inner", static_cast<double>(options.inner)},
                                                    {"iterations", static_cast<double>(options.iterations)}};
  for (const auto& [name, value] : amounts)
    if (!(value >= 0)) throw Error(fmt::format("{} is {}", name, value), "give a number that is not negative");
  if (!options.start.empty() && static_cast<Index>(options.start.size()) != problem.dim())
    throw Error(fmt::format("the start has {} numbers, the problem {}", options.start.size(), problem.dim()));
  if (input.test != nullptr && input.test->dim() != problem.dim())
    throw Error("the test rows have other classes or columns than the training rows");
}

JournalSource source_of(const SoftmaxProblem& problem, const SoftmaxInput& input) {
  JournalSource source;
  source.objective = [problem](std::span<const double> w) { return objective(problem, w); };
  if (input.test != nullptr)
    source.test_objective = [test = *input.test](std::span<const double> w) { return objective(test, w); };
  source.watch = input.watch;
  return source;
}

Solution finish_with(const Method* method, const SoftmaxProblem& problem, const SolveOptions& options,
                     std::vector<double> start, Journal& journal) {
  for (;;) {
    SoftmaxFinishInput input{problem, options.tol, options.seed};
    if (options.iterations > 0) input.max_iterations = std::max<Index>(1, options.iterations - journal.iterations());
    journal.begin_stage(method->name);
    Finish finish = method->run(input, std::move(start), journal);
    journal.end_stage(finish.iterations, finish.passes, journal.why(finish.end));
    const Method* last = std::end(kFinishers) - 1;
    if (finish.end == FinishEnd::stalled && method != last) {
      method = last;
      start = std::move(finish.w);
      continue;
    }
    if (std::isnan(finish.certificate.relative_gap)) finish.certificate = certify(problem, finish.w);
    Status status = Status::out_of_passes;
    if (finish.certificate.relative_gap <= options.tol)
      status = Status::converged;
    else if (finish.end == FinishEnd::stopped && journal.must_stop())
      status = interrupted() ? Status::interrupted : journal.stopped_by();
    return journal.close(std::move(finish.w), status, finish.certificate);
  }
}

constexpr double kDefaultPasses = 20;
constexpr double kStartPasses = 0.5;
constexpr Index kFeaturesPerEntry = 4;
constexpr Index kRowsForAStart = 5000;  // with fewer, steps over all rows cost next to nothing

// Whether stochastic steps pay as a start: not where a step has to touch all weights for a few entries of its rows.
bool wants_stochastic_start(const SoftmaxProblem& problem, const SolveOptions& options) {
  if (problem.rows() < kRowsForAStart || problem.spec().penalty.kind == MatrixPenaltyKind::nuclear) return false;
  if (problem.x().is_dense() || MatrixPenalty(problem).shrinks_uniformly()) return true;
  return problem.features() <= kFeaturesPerEntry * options.batch * (problem.x().stored() / problem.rows());
}

// A short run of S3GD over fresh rows, where nothing is evaluated on the way: a start for a finisher. Empty when it diverged.
std::vector<double> stochastic_start(const SoftmaxProblem& problem, const SolveOptions& options, Journal& journal) {
  StochasticInput run{problem, options, nullptr};
  run.passes = options.passes > 0 ? std::min(options.passes, kStartPasses) : kStartPasses;
  run.certifies = false;
  journal.begin_stage("s3gd");
  StochasticEnd end = run_stochastic(run, {}, journal);
  journal.end_stage(end.iterations, end.passes, end.why);
  return end.diverged ? std::vector<double>() : std::move(end.w);
}

// S3GD alone. A graph that is not to grow is built first.
Solution solve_by_s3gd(const SoftmaxProblem& problem, const SolveOptions& options, const SoftmaxInput& input,
                       Journal& journal) {
  const Graph* graph = input.graph;
  Graph built;
  if (graph == nullptr && options.graph_mode == GraphMode::full) {
    GraphOptions wanted = options.graph;
    wanted.seed = options.seed;
    wanted.threads = problem.spec().threads;
    journal.begin_stage("graph");
    built = build_graph(problem.x(), wanted);
    journal.end_stage(0, 0, "built");
    graph = &built;
  }
  const bool limited = options.passes > 0 || options.seconds > 0 || options.iterations > 0;
  StochasticInput run{problem, options, graph};
  run.passes = options.passes > 0 ? options.passes : limited ? std::numeric_limits<double>::infinity() : kDefaultPasses;
  journal.begin_stage("s3gd");
  StochasticEnd end = run_stochastic(run, options.start, journal);
  journal.end_stage(end.iterations, end.passes, end.why);
  if (std::isnan(end.certificate.relative_gap)) end.certificate = certify(problem, end.w);
  Status status = end.diverged ? Status::diverged : Status::out_of_passes;
  if (end.certificate.relative_gap <= options.tol)
    status = Status::converged;
  else if (!end.diverged && journal.must_stop())
    status = interrupted() ? Status::interrupted : journal.stopped_by();
  Solution solution = journal.close(std::move(end.w), status, end.certificate);
  solution.summary.step = end.step;
  solution.summary.inner = end.inner;
  return solution;
}

void add_advice(const SoftmaxProblem& problem, const SolveOptions& options, Summary& summary) {
  if (summary.status == Status::converged || summary.status == Status::interrupted) return;
  summary.advice.push_back(fmt::format(
      "stopped after {:.3g} passes at a relative gap of {:.2g}, short of the tolerance {:.2g}: {}", summary.passes,
      summary.certificate.relative_gap, options.tol,
      options.solver == "s3gd" ? "stochastic steps of constant size stop at a floor; --solver auto finishes exactly"
                               : "allow more --seconds or --passes, or a larger --tol"));
  if (problem.spec().penalty.kind == MatrixPenaltyKind::none)
    summary.advice.push_back(
        "there is no penalty: on separable classes the weights grow without end; give --penalty l2 with a small "
        "--lambda");
}

}  // namespace

std::vector<SolverInfo> softmax_solvers() {
  std::vector<SolverInfo> list{{"auto", "a start by S3GD, then the exact finish that suits the penalty (default)"}};
  list.push_back({"s3gd", "stochastic steps with K slopes propagated over one graph"});
  for (const Method& method : kFinishers) list.push_back({method.name, method.summary});
  return list;
}

SoftmaxSolution solve_softmax(const SoftmaxProblem& problem, const SolveOptions& options, const SoftmaxInput& input) {
  check_options(problem, options, input);
  const MatrixPenalty penalty(problem);
  Journal journal(source_of(problem, input), options);
  const Method* method = finisher_named(options.solver);
  if (method == nullptr) method = &kFinishers[penalty.smooth() ? 0 : 1];
  std::vector<double> start = options.start;
  if (options.solver == "auto" && start.empty() && wants_stochastic_start(problem, options))
    start = stochastic_start(problem, options, journal);
  Solution solution = options.solver == "s3gd" ? solve_by_s3gd(problem, options, input, journal)
                                               : finish_with(method, problem, options, std::move(start), journal);
  solution.summary.solver = options.solver;
  add_advice(problem, options, solution.summary);
  SoftmaxSolution result{std::move(solution.w), std::move(solution.summary), std::move(solution.trace), {}};
  if (problem.spec().penalty.kind == MatrixPenaltyKind::nuclear) result.rank = penalty.rank(result.w);
  return result;
}

}  // namespace s3gd
