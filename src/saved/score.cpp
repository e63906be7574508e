#include "saved/score.hpp"

#include <fmt/core.h>

#include <utility>

#include "base/mention.hpp"
#include "s3gd/error.hpp"
#include "saved/class_finder.hpp"

namespace s3gd {
namespace {

enum class Needs : std::uint8_t { classes, two_classes, numbers, counts };

// What the names of the metrics do not say.
struct MetricRow {
  double Metrics::*value;
  Needs needs;
  bool higher_is_better;
};

const MetricRow& row_of(ScoreKind metric) {
  static constexpr MetricRow kRows[] = {
      // in the order of ScoreKind
      {&Metrics::log_loss, Needs::classes, false},
      {&Metrics::accuracy, Needs::classes, true},
      {&Metrics::balanced_accuracy, Needs::classes, true},
      {&Metrics::auc, Needs::two_classes, true},
      {&Metrics::average_precision, Needs::two_classes, true},
      {&Metrics::rmse, Needs::numbers, false},
      {&Metrics::mae, Needs::numbers, false},
      {&Metrics::r2, Needs::numbers, true},
      {&Metrics::deviance, Needs::counts, false},
      {&Metrics::d2, Needs::counts, true},
  };
  return kRows[static_cast<std::size_t>(metric)];
}

}  // namespace

Model some_model(const Task& task) {
  return task.model(std::vector<double>(static_cast<std::size_t>(task.outputs() * task.dim()), 0.0));
}

template <>
std::span<const Name<ScoreKind>> names() {
  static constexpr Name<ScoreKind> kNames[] = {
      {ScoreKind::log_loss, "log-loss", "mean of -log P(label); logistic loss and softmax"},
      {ScoreKind::accuracy, "accuracy", "share of labels that are right"},
      {ScoreKind::balanced_accuracy, "balanced-accuracy", "mean over the classes of the share that is right"},
      {ScoreKind::auc, "auc", "area under the ROC curve; two classes"},
      {ScoreKind::average_precision, "average-precision", "area under precision over recall; two classes"},
      {ScoreKind::rmse, "rmse", "root of the mean squared error; regression"},
      {ScoreKind::mae, "mae", "mean absolute error; regression"},
      {ScoreKind::r2, "r2", "share of the labels' variance explained; regression"},
      {ScoreKind::deviance, "deviance", "mean Poisson deviance; counts"},
      {ScoreKind::d2, "d2", "share of the labels' deviance explained; counts"},
  };
  return kNames;
}

bool higher_is_better(ScoreKind metric) { return row_of(metric).higher_is_better; }

ScoreKind usual_metric(const Task& task) {
  if (task.classes().empty()) return some_model(task).link == Link::log ? ScoreKind::deviance : ScoreKind::rmse;
  return has_probabilities(some_model(task)) ? ScoreKind::log_loss : ScoreKind::accuracy;
}

void check_metric(ScoreKind metric, const Task& task) {
  const std::size_t classes = task.classes().size();
  const Needs needs = row_of(metric).needs;
  if ((needs == Needs::numbers || needs == Needs::counts) != (classes == 0))
    throw Error(fmt::format("the metric {} does not fit {}", name_of(metric),
                            classes > 0 ? "classes" : "labels that are real numbers"),
                "use " + opt("metric", classes > 0 ? "accuracy, balanced-accuracy or log-loss" : "rmse, mae or r2"));
  if (needs == Needs::counts && some_model(task).link != Link::log)
    throw Error(fmt::format("the metric {} is one of counts, which the loss poisson predicts", name_of(metric)),
                "use " + opt("metric", "rmse, mae or r2"));
  if (needs == Needs::two_classes && classes > 2)
    throw Error(fmt::format("the metric {} ranks the rows of two classes, and there are {}", name_of(metric), classes),
                "use " + opt("metric", "accuracy, balanced-accuracy or log-loss") + ", or " + opt("binary") +
                    " to tell one class from the rest");
  if (metric == ScoreKind::log_loss && !has_probabilities(some_model(task)))
    throw Error("log-loss needs probabilities, which only the logistic loss and softmax have",
                "use " + opt("metric", "accuracy or balanced-accuracy"));
}

Judge::Judge(ScoreKind metric, Model like, const Dataset& rows)
    : metric_(metric), like_(std::move(like)), labels_(rows.y), weights_(rows.weights) {
  if (!like_.classifies()) return;
  ClassFinder finder(like_);
  finder.start(labels_);
  classes_.reserve(static_cast<std::size_t>(rows.rows()));
  for (const double label : labels_.values) classes_.push_back(finder.find(labels_, label));
}

double Judge::operator()(std::span<const double> margins) const {
  MetricsCounter counter(like_, row_of(metric_).needs == Needs::two_classes, false);
  if (like_.classifies())
    counter.add(classes_, weights_.span(), margins);
  else
    counter.add(labels_, weights_.span(), margins);
  return counter.result().*row_of(metric_).value;
}

}  // namespace s3gd
