#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <mutex>

#include "base/clock.hpp"
#include "base/threads.hpp"
#include "fit/folds.hpp"
#include "fit/score.hpp"
#include "model/full_pass.hpp"
#include "model/same_problem.hpp"
#include "s3gd/error.hpp"
#include "s3gd/path.hpp"

namespace s3gd {
namespace {

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

bool classifies(const Problem& problem) { return !std::isnan(problem.positive_class()); }

void check(const Problem& problem, const CrossValidationOptions& options) {
  const bool regression = options.metric == ScoreKind::rmse;
  if (regression == classifies(problem))
    throw Error(fmt::format("the metric {} does not fit {}", name_of(options.metric),
                            regression ? "classes" : "labels that are real numbers"),
                regression ? "use --metric accuracy, auc or log-loss" : "use --metric rmse");
  if (options.metric == ScoreKind::log_loss && problem.spec().loss.kind != LossKind::logistic)
    throw Error("log-loss needs probabilities, which only the logistic loss has", "use --metric accuracy or auc");
  if (!classifies(problem)) return;
  for (const double sign : {1.0, -1.0}) {
    const auto rows = std::count(problem.targets().begin(), problem.targets().end(), sign);
    if (rows < options.folds)
      throw Error(
          fmt::format("the {} class has {} rows for {} folds", sign > 0 ? "positive" : "negative", rows, options.folds),
          "every fold needs one of each class: use fewer --folds");
  }
}

// The rows of a fold and how to score parameters on them.
class HeldOut {
 public:
  HeldOut(const Problem& problem, Dataset data) : weights_(data.weights) {
    for (const double label : data.y.values)
      targets_.push_back(!classifies(problem) ? label : label == problem.positive_class() ? 1.0 : -1.0);
    // Margins alone are asked of it: any labels do.
    data.y.kind = LabelKind::real;
    data.y.class_names.clear();
    ProblemSpec spec;
    spec.loss.kind = LossKind::squared;
    spec.intercept = problem.spec().intercept;
    spec.threads = problem.spec().threads;
    data.weights = {};
    rows_.emplace(std::move(data), spec);
    margins_.resize(targets_.size());
  }

  double score(ScoreKind metric, std::span<const double> w) {
    margins(*rows_, w, margins_);
    return s3gd::score(metric, margins_, targets_, weights_.span());
  }

 private:
  std::vector<double> targets_, margins_;
  Array<double> weights_;
  std::optional<Problem> rows_;
};

// All paths: the one on all rows, then one for each fold. Tasks share nothing but the count of points done.
class Run {
 public:
  Run(const Problem& problem, const CrossValidationOptions& options)
      : problem_(problem),
        options_(options),
        folds_(problem.data(), options.folds, options.solve.seed),
        paths_(at(options.folds + 1)),
        scores_(at(options.folds)) {
    const Index tasks = options.folds + 1;
    const Index threads = std::min<Index>(resolve_threads(problem.spec().threads), tasks);
    each_ = options.solve;
    each_.seconds = options.solve.seconds / static_cast<double>((tasks + threads - 1) / threads);
  }

  void task(Index number) {
    if (number == 0) {
      paths_[0] = solve_path(problem_, options_.lambdas, each_, [&](const PathPoint&) { return tell(); });
      return;
    }
    const Index fold = number - 1;
    const Problem training(folds_.training(fold), same_problem(problem_));
    HeldOut held_out(problem_, folds_.held_out(fold));
    auto& scores = scores_[at(fold)];
    const auto watch = [&](const PathPoint& point) {
      scores.push_back(held_out.score(options_.metric, point.w));
      return tell();
    };
    paths_[at(number)] = solve_path(training, options_.lambdas, each_, watch);
    paths_[at(number)].points.clear();  // the status is all that is asked of it
  }

  std::vector<ScoredLambda> scored() const {
    std::size_t count = paths_[0].points.size();
    for (const auto& scores : scores_) count = std::min(count, scores.size());
    std::vector<ScoredLambda> points(count);
    for (std::size_t k = 0; k < count; ++k) {
      points[k].lambda = paths_[0].points[k].lambda;
      for (const auto& scores : scores_) points[k].scores.push_back(scores[k]);
      summarise(points[k]);
    }
    return points;
  }

  Path& whole() { return paths_[0]; }

  // The worst of all paths: those that were cut short before those that missed a tolerance.
  Status status() const {
    Status worst = Status::converged;
    for (const Path& path : paths_)
      for (const Status bad : {Status::out_of_passes, Status::out_of_time, Status::interrupted})
        if (path.status == bad && (worst == Status::converged || bad != Status::out_of_passes)) worst = bad;
    return worst;
  }

 private:
  static void summarise(ScoredLambda& point) {
    const auto count = static_cast<double>(point.scores.size());
    for (const double score : point.scores) point.mean += score / count;
    double squares = 0;
    for (const double score : point.scores) squares += (score - point.mean) * (score - point.mean);
    point.standard_error = std::sqrt(squares / (count - 1) / count);
  }

  bool tell() {
    if (!options_.watch) return true;
    const std::lock_guard lock(mutex_);
    go_on_ = options_.watch(++done_, (options_.folds + 1) * static_cast<Index>(options_.lambdas.size())) && go_on_;
    return go_on_;
  }

  const Problem& problem_;
  const CrossValidationOptions& options_;
  Folds folds_;
  SolveOptions each_;
  std::vector<Path> paths_;
  std::vector<std::vector<double>> scores_;  // by fold, then by lambda
  std::mutex mutex_;
  Index done_ = 0;
  bool go_on_ = true;
};

void choose(CrossValidation& result) {
  const double sign = higher_is_better(result.metric) ? -1 : 1;
  const auto& points = result.points;
  for (std::size_t k = 1; k < points.size(); ++k)
    if (sign * points[k].mean < sign * points[result.best].mean) result.best = k;
  const ScoredLambda& best = points[result.best];
  while (sign * points[result.one_standard_error].mean > sign * best.mean + best.standard_error)
    ++result.one_standard_error;
}

}  // namespace

CrossValidation cross_validate(const Problem& problem, const CrossValidationOptions& options) {
  check(problem, options);
  const RunClock clock;
  CrossValidation result;
  result.metric = options.metric;
  Run run(problem, options);
  parallel_for(options.folds + 1, problem.spec().threads, [&](Index number) { run.task(number); });
  result.points = run.scored();
  result.path = std::move(run.whole());
  result.status = run.status();
  if (!result.points.empty()) choose(result);
  result.seconds = clock.wall_seconds();
  result.cpu_seconds = clock.cpu_seconds();
  return result;
}

}  // namespace s3gd
