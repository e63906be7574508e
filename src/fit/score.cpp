#include "fit/score.hpp"

#include <algorithm>
#include <cmath>

#include "fit/ranking.hpp"
#include "s3gd/error.hpp"

namespace s3gd {
namespace {

template <class Term>
double weighted_mean(std::size_t rows, std::span<const double> weights, Term&& term) {
  double sum = 0, total = 0;
  for (std::size_t i = 0; i < rows; ++i) {
    const double weight = weights.empty() ? 1.0 : weights[i];
    sum += weight * term(i);
    total += weight;
  }
  return sum / total;
}

double area_under_curve(std::span<const double> margins, std::span<const double> targets,
                        std::span<const double> weights) {
  Ranking ranking;
  for (std::size_t i = 0; i < margins.size(); ++i)
    ranking.add(margins[i], targets[i] > 0, weights.empty() ? 1.0 : weights[i]);
  return ranking.result().auc;
}

}  // namespace

template <>
std::span<const Name<ScoreKind>> names() {
  static constexpr Name<ScoreKind> kNames[] = {
      {ScoreKind::log_loss, "log-loss", "mean of -log P(label); logistic loss only"},
      {ScoreKind::accuracy, "accuracy", "share of labels that are right"},
      {ScoreKind::auc, "auc", "area under the ROC curve"},
      {ScoreKind::rmse, "rmse", "root of the mean squared error; regression"},
  };
  return kNames;
}

bool higher_is_better(ScoreKind metric) { return metric == ScoreKind::accuracy || metric == ScoreKind::auc; }

ScoreKind usual_metric(const Problem& problem) {
  if (problem.spec().loss.kind == LossKind::logistic) return ScoreKind::log_loss;
  return std::isnan(problem.positive_class()) ? ScoreKind::rmse : ScoreKind::accuracy;
}

double score(ScoreKind metric, std::span<const double> margins, std::span<const double> targets,
             std::span<const double> weights) {
  if (margins.size() != targets.size()) throw Error("labels and predictions differ in number");
  switch (metric) {
    case ScoreKind::log_loss:
      return weighted_mean(margins.size(), weights, [&](std::size_t i) {
        const double t = targets[i] * margins[i];
        return std::max(0.0, -t) + std::log1p(std::exp(-std::abs(t)));
      });
    case ScoreKind::accuracy:
      return weighted_mean(margins.size(), weights,
                           [&](std::size_t i) { return (margins[i] > 0) == (targets[i] > 0) ? 1.0 : 0.0; });
    case ScoreKind::auc:
      return area_under_curve(margins, targets, weights);
    case ScoreKind::rmse:
      return std::sqrt(weighted_mean(margins.size(), weights, [&](std::size_t i) {
        return (margins[i] - targets[i]) * (margins[i] - targets[i]);
      }));
  }
  return std::nan("");
}

}  // namespace s3gd
