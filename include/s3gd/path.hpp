// Regularisation paths, and cross-validation over them.
//
// A path is one problem at many lambdas, from strong to weak, each solved from where the last one ended:
//
//     Task --lambda_grid--> lambdas --solve_path--> one PathPoint each
//     Task --cross_validate--> a path on all rows, one without each fold, the metric on the rows held out
//
// The lambda of the task itself does not matter: a point is of Task::with_lambda().
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "s3gd/solve.hpp"

namespace s3gd {

// The smallest lambda whose solution is zero but for free intercepts and features without a penalty; exact. One-vs-rest:
// the largest of the classes'. l2 has none: there, the one at which F is for certain within a percent of what it is
// without the penalised features. One pass over the rows (one-vs-rest: for each class), a few more where features have
// no penalty. An upper bound for sums of several 2-norms (infinity where a feature has no 1-norm there). Throws where
// there is no penalty at all.
double largest_lambda(const Task& task);

struct GridOptions {
  Index count = 50;
  // The smallest over the largest; 0 = 1e-4 (1e-2 with fewer rows than columns), for l2 a hundredth of that.
  double ratio = 0;
  double smallest = 0;  // instead of the ratio; 0 = by the ratio
};
// Geometric, from largest_lambda() down.
std::vector<double> lambda_grid(const Task& task, const GridOptions& options = {});

struct PathPoint {
  double lambda = 0;
  std::vector<double> w;    // as in Solution
  Certificate certificate;  // one-vs-rest: primal and dual summed over the classes, the gap of the worst
  Status status = Status::out_of_passes;
  Index nonzeros = 0;         // weights that are not zero
  Index features = 0;         // that have such a weight in any output
  std::optional<Index> rank;  // of the matrix of weights, where the penalty is the nuclear norm
  double seconds = 0;
  double passes = 0;
};

// How a path or a cross-validation went.
struct PathRun {
  // converged when all were reached to the tolerance, out_of_passes when some were not; interrupted and out_of_time
  // when it ended early.
  Status status = Status::converged;
  double seconds = 0;  // as long as it took, dealing the rows included; not while points are watched
  double cpu_seconds = 0;
  std::vector<Advice> advice;  // what is off
};

struct Path : PathRun {
  std::vector<PathPoint> points;  // lambda descending; only those that were finished
};

// Called with every point as it is done; false ends the path (status interrupted).
using WatchPoint = std::function<bool(const PathPoint& point)>;

// `lambdas` in any order, positive. options.tol, passes and iterations are for each point, options.seconds for the whole
// path; start, patience and checkpoint are not used: the first point starts from the model without penalised features.
Path solve_path(const Task& task, std::vector<double> lambdas, const SolveOptions& options = {},
                const WatchPoint& watch = {});

// What held-out rows are judged by, as in Metrics. Sample weights count in all of them, class weights in none.
enum class ScoreKind : std::uint8_t {
  log_loss,
  accuracy,
  balanced_accuracy,
  auc,
  average_precision,
  rmse,
  mae,
  r2,
  deviance,
  d2
};
bool higher_is_better(ScoreKind metric);
// log_loss where there are probabilities, accuracy for other classifiers, rmse for regression, deviance for counts.
ScoreKind usual_metric(const Task& task);
// Throws, with the reason, where the metric makes no sense for the problem.
void check_metric(ScoreKind metric, const Task& task);

struct CrossValidationOptions {
  Index folds = 5;
  std::vector<Split> splits;  // instead of dealt folds: the rows each fits, and those it is judged by
  ScoreKind metric = ScoreKind::log_loss;
  std::vector<double> lambdas;
  SolveOptions solve;  // as for solve_path; seconds for everything together; the seed also deals the folds
  // Called from several threads, one at a time, with how many points of how many are done; false ends it all.
  std::function<bool(Index done, Index of)> watch;
};

struct ScoredLambda {
  double lambda = 0;
  double mean = 0;
  double standard_error = 0;   // of the mean: the folds' standard deviation over the root of their number
  std::vector<double> scores;  // one per fold; NaN for folds that a run which was cut short does not judge by
};

struct CrossValidation : PathRun {  // its advice includes the path's
  ScoreKind metric = ScoreKind::log_loss;
  std::vector<ScoredLambda> points;  // lambda descending; of a run that was cut short, those that can be judged
  std::size_t best = 0;              // of the points
  // The strongest penalty whose mean is no more than one standard error of the best worse than the best.
  std::size_t one_standard_error = 0;
  Path path;  // on all rows: the refit at either choice is there
};

// Stratified folds. Rows are laid out by fold once (1.8 times their size for five folds), so that those of every
// training set lie one after the other and are not copied again. Folds run side by side on the problem's threads; the
// result is the same for any number.
CrossValidation cross_validate(const Task& task, const CrossValidationOptions& options);

}  // namespace s3gd
