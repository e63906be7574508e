#include "select/judged_folds.hpp"
#include "base/mention.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

namespace s3gd {
namespace {

std::size_t folds_with(const FoldScores& scores, std::size_t lambdas) {
  return static_cast<std::size_t>(
      std::count_if(scores.begin(), scores.end(), [&](const auto& fold) { return fold.size() >= lambdas; }));
}

// How many lambdas are judged, of the `most` that the path on all rows has.
std::size_t lambdas_judged(const FoldScores& scores, std::size_t most) {
  std::size_t chosen = 0, largest = 0;
  bool several = false;
  for (std::size_t lambdas = 1; lambdas <= most; ++lambdas) {
    const std::size_t folds = folds_with(scores, lambdas);
    if (several && folds < 2) break;
    several = folds >= 2;
    if (folds * lambdas <= largest) continue;
    largest = folds * lambdas;
    chosen = lambdas;
  }
  return chosen;
}

ScoredLambda summarised(double lambda, std::vector<double> scores) {
  ScoredLambda point;
  point.lambda = lambda;
  point.scores = std::move(scores);
  const auto there = [](double score) { return !std::isnan(score); };
  const auto count = static_cast<double>(std::count_if(point.scores.begin(), point.scores.end(), there));
  for (const double score : point.scores)
    if (there(score)) point.mean += score / count;
  double squares = 0;
  for (const double score : point.scores)
    if (there(score)) squares += (score - point.mean) * (score - point.mean);
  if (count > 1) point.standard_error = std::sqrt(squares / (count - 1) / count);
  return point;
}

void choose(CrossValidation& result) {
  const double sign = higher_is_better(result.metric) ? -1 : 1;
  const auto& points = result.points;
  for (std::size_t k = 1; k < points.size(); ++k)
    if (sign * points[k].mean < sign * points[result.best].mean) result.best = k;
  const ScoredLambda& best = points[result.best];
  while (sign * points[result.one_standard_error].mean > sign * best.mean + best.standard_error)
    ++result.one_standard_error;
}

void add_advice(CrossValidation& result, std::size_t folds, std::size_t of_folds, std::size_t of_lambdas) {
  const std::size_t count = result.points.size();
  const bool all = count == of_lambdas;
  if (!all || folds < of_folds)
    result.advice.push_back(
        {AdviceCode::cut_short,
         fmt::format("cut short: {} of {} lambdas are judged, by {} of {} folds", count, of_lambdas, folds, of_folds),
         {{"lambdas", static_cast<double>(count)},
          {"of_lambdas", static_cast<double>(of_lambdas)},
          {"folds", static_cast<double>(folds)},
          {"of_folds", static_cast<double>(of_folds)}}});
  if (of_lambdas < 2) return;
  if (result.best + 1 == count)
    result.advice.push_back(
        all ? Advice{AdviceCode::best_is_smallest,
                     "the best lambda is the smallest of all: weaker penalties may do better still, " +
                         opt("lambda-min") + " tells"}
            : Advice{AdviceCode::best_is_last,
                     "the best lambda is the last that was reached: weaker penalties may do better still, more time "
                     "tells"});
  if (result.best == 0 && count > 1)
    result.advice.push_back({AdviceCode::best_is_largest,
                             "the best lambda is the largest of all: the features may say nothing about the labels"});
}

}  // namespace

void judge(const FoldScores& scores, std::size_t lambdas, CrossValidation& result) {
  const std::size_t judged = lambdas_judged(scores, result.path.points.size());
  if (judged == 0) return;
  for (std::size_t k = 0; k < judged; ++k) {
    std::vector<double> at_lambda;
    for (const auto& fold : scores) at_lambda.push_back(fold.size() >= judged ? fold[k] : std::nan(""));
    result.points.push_back(summarised(result.path.points[k].lambda, std::move(at_lambda)));
  }
  choose(result);
  add_advice(result, folds_with(scores, judged), scores.size(), lambdas);
}

}  // namespace s3gd
