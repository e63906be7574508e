// solve_softmax(): checks the options, runs the stages, adds up the summary.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "base/interrupt.hpp"
#include "base/nearest.hpp"
#include "s3gd/error.hpp"
#include "s3gd/softmax.hpp"
#include "softmax/advice.hpp"
#include "softmax/finish.hpp"
#include "softmax/identity.hpp"
#include "softmax/matrix_penalty.hpp"
#include "softmax/stochastic.hpp"
#include "solve/checkpoint.hpp"
#include "solve/journal.hpp"
#include "solve/legs.hpp"

namespace s3gd {
namespace {

constexpr double kCentred = 1e-12;  // of the largest intercept: a mean that is rounding

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
    throw Error("softmax has no solver '" + options.solver + "'", suggestion(options.solver, names));
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
  check_watched(options, input.test != nullptr);
}

JournalSource source_of(const SoftmaxProblem& problem, const SoftmaxInput& input) {
  JournalSource source;
  source.objective = [problem](std::span<const double> w) { return objective(problem, w); };
  if (input.test != nullptr)
    source.test_objective = [test = *input.test](std::span<const double> w) { return objective(test, w); };
  source.penalty = [penalty = MatrixPenalty(problem)](std::span<const double> w) { return penalty.value(w); };
  source.watch = input.watch;
  return source;
}

// What all stages of a run share.
struct Run {
  const SoftmaxProblem& problem;
  const SolveOptions& options;
  const SoftmaxInput& input;
  Journal& journal;
  Checkpoint* checkpoint;  // null: none

  Archive* resumed() const { return checkpoint != nullptr ? checkpoint->resumed() : nullptr; }
};

// Free intercepts may all be shifted by the same amount: those that sum to zero are the ones to show.
void centre_intercepts(const SoftmaxProblem& problem, std::span<double> w) {
  if (problem.spec().intercept != Intercept::free) return;
  const std::span<double> intercepts = w.last(static_cast<std::size_t>(problem.classes()));
  double sum = 0, largest = 0;
  for (const double one : intercepts) {
    sum += one;
    largest = std::max(largest, std::abs(one));
  }
  const double mean = sum / static_cast<double>(problem.classes());
  if (!(std::abs(mean) > kCentred * largest)) return;  // as a warm start left them
  for (double& one : intercepts) one -= mean;
}

// The last word: parameters (the best on the validation rows, where the run stops by those and has not converged), their
// certificate and the status.
Solution close(const Run& run, std::vector<double> w, Certificate certificate, bool diverged, bool stopped) {
  if (std::isnan(certificate.relative_gap)) certificate = certify(run.problem, w);
  const std::vector<double>& best = run.journal.best_on_validation();
  if (!best.empty() && !(certificate.relative_gap <= run.options.tol)) {
    w = best;
    certificate = certify(run.problem, w);
  }
  Status status = diverged ? Status::diverged : Status::out_of_passes;
  if (certificate.relative_gap <= run.options.tol)
    status = Status::converged;
  else if (stopped)
    status = interrupted() ? Status::interrupted : run.journal.stopped_by();
  centre_intercepts(run.problem, w);
  return run.journal.close(std::move(w), status, certificate);
}

constexpr Index kFirstLeg = 8;  // iterations; see solve/legs.hpp

Finish finish_in_legs(const Run& run, const Method& method, const SoftmaxFinishInput& input, std::vector<double> start,
                      Archive* resumed) {
  LegSource source;
  source.name = method.name;
  source.first = kFirstLeg;
  source.tol = input.tol;
  source.max_iterations = input.max_iterations;
  source.run = [&](Index leg, Index iterations, std::vector<double> from, Progress& progress) {
    SoftmaxFinishInput part = input;
    part.seed += static_cast<std::uint64_t>(leg);
    part.max_iterations = iterations;
    return method.run(part, std::move(from), progress);
  };
  source.certify = [&](std::span<const double> w) { return certify(run.problem, w); };
  return run_in_legs(source, std::move(start), run.journal, *run.checkpoint, resumed);
}

// Runs the finisher, and after one that got stuck the last, which suits everything.
Solution finish_with(const Run& run, const Method* method, std::vector<double> start) {
  Journal& journal = run.journal;
  Archive* resumed = run.resumed();
  if (resumed != nullptr) {
    std::string name;
    (*resumed)(name, journal);
    method = finisher_named(name);
  }
  for (;; resumed = nullptr) {
    SoftmaxFinishInput input{run.problem, run.options.tol, run.options.seed};
    if (run.options.iterations > 0)
      input.max_iterations = std::max<Index>(1, run.options.iterations - journal.iterations());
    if (resumed == nullptr) journal.begin_stage(method->name);
    Finish finish = run.checkpoint != nullptr ? finish_in_legs(run, *method, input, std::move(start), resumed)
                                              : method->run(input, std::move(start), journal);
    if (finish.end == FinishEnd::stalled && journal.must_stop()) finish.end = FinishEnd::stopped;  // cut within a step
    journal.end_stage(finish.iterations, finish.passes, journal.why(finish.end));
    const Method* last = std::end(kFinishers) - 1;
    if (finish.end == FinishEnd::stalled && method != last) {
      method = last;
      start = std::move(finish.w);
      continue;
    }
    const bool stopped = finish.end == FinishEnd::stopped && journal.must_stop();
    return close(run, std::move(finish.w), finish.certificate, false, stopped);
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
std::vector<double> stochastic_start(const Run& run) {
  StochasticInput stage{run.problem, run.options, nullptr};
  stage.passes = run.options.passes > 0 ? std::min(run.options.passes, kStartPasses) : kStartPasses;
  stage.certifies = false;
  run.journal.begin_stage("s3gd");
  StochasticEnd end = run_stochastic(stage, {}, run.journal);
  run.journal.end_stage(end.iterations, end.passes, end.why);
  return end.diverged ? std::vector<double>() : std::move(end.w);
}

// A graph that is not to grow.
Graph built_graph(const Run& run) {
  GraphOptions wanted = run.options.graph;
  wanted.seed = run.options.seed;
  wanted.threads = run.problem.spec().threads;
  run.journal.begin_stage("graph");
  Graph graph = build_graph(run.problem.x(), wanted);
  run.journal.end_stage(0, 0, "built");
  return graph;
}

void keep_in(const Run& run, StochasticInput& stage) {
  if (run.checkpoint == nullptr) return;
  stage.keep = [&run](const auto& state, bool stopping) {
    if (!stopping && !run.checkpoint->due()) return;
    // A run that ends by itself has nothing to go on from.
    if (stopping && !interrupted() && run.journal.stopped_by() == Status::early_stopped) return;
    Archive now;
    now(run.journal);
    state(now);
    run.checkpoint->save(now);
  };
}

// S3GD alone.
Solution solve_by_s3gd(const Run& run) {
  const SolveOptions& options = run.options;
  std::optional<Graph> built;
  if (run.input.graph == nullptr && options.graph_mode == GraphMode::full) built = built_graph(run);
  const bool limited = options.passes > 0 || options.seconds > 0 || options.iterations > 0;
  StochasticInput stage{run.problem, options, built ? &*built : run.input.graph};
  stage.passes = options.passes > 0 ? options.passes
                 : limited          ? std::numeric_limits<double>::infinity()
                                    : kDefaultPasses;
  keep_in(run, stage);
  stage.resumed = run.resumed();
  if (stage.resumed != nullptr)
    (*stage.resumed)(run.journal);
  else
    run.journal.begin_stage("s3gd");
  StochasticEnd end = run_stochastic(stage, options.start, run.journal);
  run.journal.end_stage(end.iterations, end.passes, end.why);
  const bool stopped = !end.diverged && run.journal.must_stop();
  Solution solution = close(run, std::move(end.w), end.certificate, end.diverged, stopped);
  solution.summary.step = end.step;
  solution.summary.inner = end.inner;
  return solution;
}

Solution run_stages(const Run& run, const Method* method, std::vector<double> start, bool begins) {
  if (run.options.solver == "s3gd") return solve_by_s3gd(run);
  if (run.checkpoint == nullptr || !begins || !run.journal.must_stop())
    return finish_with(run, method, std::move(start));
  // Cut within the stochastic start, which is made again: what it has so far is no state to go on from.
  start.resize(static_cast<std::size_t>(run.problem.dim()), 0.0);
  return close(run, std::move(start), {.relative_gap = std::nan("")}, false, true);
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
  std::optional<FileCheckpoint> file;
  if (!options.checkpoint.empty()) file.emplace(options, run_identity(problem, options, input));
  const Run run{problem, options, input, journal, file ? &*file : nullptr};
  const Method* method = finisher_named(options.solver);
  if (method == nullptr) method = &kFinishers[penalty.smooth() ? 0 : 1];
  std::vector<double> start = options.start;
  const bool begins = start.empty() && run.resumed() == nullptr;
  if (options.solver == "auto" && begins && wants_stochastic_start(problem, options)) start = stochastic_start(run);
  Solution solution = run_stages(run, method, std::move(start), begins);
  if (file) add_trouble(*file, solution.summary);
  solution.summary.solver = options.solver;
  SoftmaxSolution result{std::move(solution.w), std::move(solution.summary), std::move(solution.trace), {}};
  if (problem.spec().penalty.kind == MatrixPenaltyKind::nuclear) result.rank = penalty.rank(result.w);
  add_advice(problem, options, result);
  return result;
}

}  // namespace s3gd
