// solve_softmax(): checks the options, runs the stages, adds up the summary.
#include <algorithm>
#include <cmath>
#include <optional>

#include "base/index.hpp"
#include "base/mention.hpp"
#include "problem/matrix_penalty.hpp"
#include "s3gd/error.hpp"
#include "solve/advice.hpp"
#include "solve/finish.hpp"
#include "solve/options/table.hpp"
#include "solve/run.hpp"
#include "stochastic/control.hpp"

namespace s3gd {
namespace {

constexpr double kCentred = 1e-12;  // of the largest intercept: a mean that is rounding

void check(const SoftmaxProblem& problem, const SolveOptions& options, const SoftmaxInput& input) {
  OptionScene scene = scene_of(problem.spec(), options.solver);
  scene.validates = input.test != nullptr;
  scene.keeps = !options.checkpoint.empty();
  const MatrixPenaltySpec& penalty = problem.spec().penalty;
  OptionValues values{.solve = options};
  values.problem.penalty.lambda = penalty.lambda;
  values.problem.penalty.alpha = penalty.alpha;
  values.problem.penalty.factors = penalty.factors;
  check_options(values, scene);
  if (const SoftmaxFinisher* finisher = find_softmax_finisher(options.solver))
    if (const auto* need = missing(finisher->needs, problem))
      throw Error(ErrorCode::do_not_go, "solver", sentence(options.solver, *need, problem),
                  "use " + opt("solver", "auto") + " or prox-newton");
  check_start(options.start, problem.dim());
  if (input.test != nullptr && input.test->dim() != problem.dim())
    throw Error("the test rows have other classes or columns than the training rows");
}

// Free intercepts may all be shifted by the same amount: those that sum to zero are the ones to show.
void centre_intercepts(const SoftmaxProblem& problem, std::span<double> w) {
  if (problem.spec().intercept != Intercept::free) return;
  const std::span<double> intercepts = w.last(at(problem.classes()));
  double sum = 0, largest = 0;
  for (const double one : intercepts) {
    sum += one;
    largest = std::max(largest, std::abs(one));
  }
  const double mean = sum / static_cast<double>(problem.classes());
  if (!(std::abs(mean) > kCentred * largest)) return;  // as a warm start left them
  for (double& one : intercepts) one -= mean;
}

constexpr double kStartPasses = 0.5;    // of S3GD
constexpr Index kFeaturesPerEntry = 4;  // of a batch up to which its steps over all features are cheap
constexpr Index kRowsForAStart = 5000;  // with fewer, steps over all rows cost next to nothing

// Whether stochastic steps pay as a start: not where a step has to touch all weights for a few entries of its rows.
bool wants_stochastic_start(const SoftmaxProblem& problem, const SolveOptions& options) {
  if (problem.rows() < kRowsForAStart || problem.spec().penalty.kind == MatrixPenaltyKind::nuclear) return false;
  if (problem.x().is_dense() || MatrixPenalty(problem).shrinks_uniformly()) return true;
  return problem.features() <= kFeaturesPerEntry * options.batch * (problem.x().stored() / problem.rows());
}

// A finisher, after a stochastic start where that pays.
Solution run_by_finishers(const SoftmaxProblem& problem, const SolveOptions& options, const SoftmaxInput& input,
                          Checkpoint* checkpoint) {
  Journal journal(problem, options, input);
  const auto& table = softmax_finisher_table();
  const auto suits = [&](const SoftmaxFinisher& one) { return one.suits(problem); };
  const bool automatic = options.solver == "auto";
  const std::string first = automatic ? std::find_if(table.begin(), table.end(), suits)->name : options.solver;
  const auto bind = [&](const std::string& name) { return bound(*find_softmax_finisher(name), problem, options.tol); };
  ExactPart part{options, journal, bind, table.back().name, checkpoint};
  if (automatic && wants_stochastic_start(problem, options))
    part.begin = [&] { return run_start(run_input(problem, options, input), kStartPasses); };
  return finish_with(part, first, options.start);
}

Solution run(const SoftmaxProblem& problem, const SolveOptions& options, const SoftmaxInput& input,
             Checkpoint* checkpoint) {
  const Estimator* estimator = find_estimator(options.solver);
  if (estimator == nullptr) return run_by_finishers(problem, options, input, checkpoint);
  RunInput alone = run_input(problem, options, input, checkpoint);
  alone.offers_average = estimator->needs_graph;
  return run_estimator(alone);
}

}  // namespace

Solution solve_softmax(const SoftmaxProblem& problem, const SolveOptions& options, const SoftmaxInput& input) {
  check(problem, options, input);
  std::optional<FileCheckpoint> file;
  if (!options.checkpoint.empty()) file.emplace(options, run_identity(problem, options, input));
  Solution solution = run(problem, options, input, file ? &*file : nullptr);
  centre_intercepts(problem, solution.w);
  if (file) add_trouble(*file, solution.summary);
  solution.summary.solver = options.solver;
  if (problem.spec().penalty.kind == MatrixPenaltyKind::nuclear)
    solution.rank = MatrixPenalty(problem).rank(solution.w);
  add_advice(problem, options, solution);
  return solution;
}

}  // namespace s3gd
