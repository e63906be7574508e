#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "base/mention.hpp"
#include "kernel/kernel.hpp"
#include "s3gd/error.hpp"
#include "s3gd/model_use.hpp"
#include "saved/score.hpp"

namespace s3gd {
namespace {

constexpr int kMantissaDigits = 52;
constexpr int kDigitsAtOnce = 4;
constexpr std::size_t kFewMargins = 4096;
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kBins = 10;
constexpr std::size_t kBlock = 256;          // rows whose log-losses are made at once
constexpr std::size_t kMostConfused = 2048;  // classes; the square of more would be too much to keep

double without_last_digits(double value, int digits) {
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(value) >> digits << digits);
}

// Sums of squares around a mean that moves along (Welford): one pass, no cancellation.
struct Spread {
  double weight = 0, mean = 0, squares = 0;
  void add(double value, double q) {
    if (q == 0) return;
    weight += q;
    const double from_mean = value - mean;
    mean += q / weight * from_mean;
    squares += q * from_mean * (value - mean);
  }
};

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

void Ranking::add(double margin, bool positive, double weight) {
  if (entries_.size() >= next_merge_) {
    merge();
    if (entries_.size() > most_)
      while (entries_.size() > most_ / 2 && dropped_ < kMantissaDigits) {
        dropped_ += kDigitsAtOnce;
        merge();
      }
    next_merge_ = std::max(kFewMargins, 2 * entries_.size());  // so that all merges together cost as two of the last
  }
  entries_.push_back({margin, positive ? weight : 0.0, positive ? 0.0 : weight});
}

void Ranking::merge() {
  for (Entry& entry : entries_) entry.margin = without_last_digits(entry.margin, dropped_);
  std::sort(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) { return a.margin < b.margin; });
  std::size_t kept = 0;
  for (const Entry& entry : entries_) {
    if (kept > 0 && entries_[kept - 1].margin == entry.margin) {
      entries_[kept - 1].positive += entry.positive;
      entries_[kept - 1].negative += entry.negative;
    } else {
      entries_[kept++] = entry;
    }
  }
  entries_.resize(kept);
}

Ranking::Result Ranking::result() {
  merge();
  double positives = 0, negatives = 0, wins = 0;
  for (const Entry& entry : entries_) {
    wins += entry.positive * (negatives + 0.5 * entry.negative);
    positives += entry.positive;
    negatives += entry.negative;
  }
  double found = 0, taken = 0, precision = 0;
  for (auto entry = entries_.rbegin(); entry != entries_.rend(); ++entry) {
    found += entry->positive;
    taken += entry->positive + entry->negative;
    if (entry->positive > 0) precision += entry->positive * (found / taken);
  }
  if (!(positives > 0 && negatives > 0)) return {kNone, kNone, dropped_ == 0};
  return {wins / (positives * negatives), precision / positives, dropped_ == 0};
}

struct MetricsCounter::State {
  State(const Model& judged, bool ranks, bool calibration)
      : model(judged), ranked(ranks && judged.classes.size() == 2), finder(judged) {
    metrics.classification = model.classifies();
    const std::size_t count = model.classes.size();
    weight_of.assign(count, 0.0);
    right_of.assign(count, 0.0);
    if (count <= kMostConfused) metrics.confusion.assign(count * count, 0.0);
    if (calibration && count == 2 && has_probabilities(model)) metrics.calibration.resize(kBins);
  }

  // Rows of one block: the place of each label among the classes, the margins of all outputs, and no weights for ones.
  void add_classified(std::span<const Index> classes, std::span<const double> weights,
                      std::span<const double> margins) {
    const auto outputs = static_cast<std::size_t>(model.outputs());
    double losses[kBlock];
    log_losses(classes, margins, losses);
    for (std::size_t i = 0; i < classes.size(); ++i) {
      if (classes[i] < 0) {
        ++metrics.unknown;
        continue;
      }
      const double q = weights.empty() ? 1.0 : weights[i];
      const auto of_row = margins.subspan(i * outputs, outputs);
      const auto row = static_cast<std::size_t>(classes[i]);
      const auto predicted = static_cast<std::size_t>(predicted_class(model, of_row));
      ++metrics.rows;
      weight_of[row] += q;
      if (row == predicted) right_of[row] += q;
      if (!metrics.confusion.empty()) metrics.confusion[row * model.classes.size() + predicted] += q;
      loss += q * losses[i];
      if (ranked) ranking.add(of_row[0], row == 1, q);
      if (!metrics.calibration.empty()) add_calibration(std::exp(log_probability(model, of_row, 1)), row == 1, q);
    }
  }

  // -log P(class), 0 where there are no probabilities. The one output of a logistic model is what the kernel is for.
  void log_losses(std::span<const Index> classes, std::span<const double> margins, double* losses) const {
    std::fill_n(losses, classes.size(), 0.0);
    if (!has_probabilities(model)) return;
    const auto outputs = static_cast<std::size_t>(model.outputs());
    if (model.link == Link::logistic && outputs == 1) {
      double signs[kBlock];
      for (std::size_t i = 0; i < classes.size(); ++i) signs[i] = classes[i] == 1 ? 1.0 : -1.0;
      kernel::softplus_terms(1.0, 0.0, margins.data(), signs, static_cast<Index>(classes.size()), {.value = losses});
      return;
    }
    for (std::size_t i = 0; i < classes.size(); ++i)
      if (classes[i] >= 0) losses[i] = -log_probability(model, margins.subspan(i * outputs, outputs), classes[i]);
  }

  void add_calibration(double probability, bool positive, double q) {
    CalibrationBin& bin = metrics.calibration[std::min(kBins - 1, static_cast<std::size_t>(probability * kBins))];
    bin.weight += q;
    bin.mean_probability += q * probability;
    bin.positive_share += positive ? q : 0.0;
  }

  void add_number(double label, double margin, double q) {
    ++metrics.rows;
    const double prediction = predicted_number(model, margin), error = label - prediction;
    squares += q * error * error;
    absolutes += q * std::abs(error);
    labels_spread.add(label, q);
    // Twice the Poisson loss; that of the mean label, from which the sums of y log y and y follow, is subtracted later.
    if (model.link != Link::log) return;
    const double own = label > 0 ? label * std::log(label) : 0.0;
    deviance += 2 * q * std::max(0.0, prediction - label + own - label * margin);
    own_logarithms += q * own;
    wrong_counts = wrong_counts || label < 0;
  }

  void finish_classes(Metrics& result) {
    double total = 0, right = 0, recalls = 0, occurring = 0;
    for (std::size_t k = 0; k < weight_of.size(); ++k) {
      total += weight_of[k];
      right += right_of[k];
      if (weight_of[k] == 0) continue;
      recalls += right_of[k] / weight_of[k];
      occurring += 1;
    }
    result.accuracy = right / total;
    result.balanced_accuracy = recalls / occurring;
    result.log_loss = has_probabilities(model) ? loss / total : kNone;
    const Ranking::Result ranks = ranking.result();  // NaN without rows
    result.auc = ranks.auc;
    result.average_precision = ranks.average_precision;
    result.ranks_exact = ranks.exact;
    for (CalibrationBin& bin : result.calibration) {
      bin.mean_probability /= bin.weight;
      bin.positive_share /= bin.weight;
    }
    result.rmse = result.mae = result.r2 = result.deviance = result.d2 = kNone;
  }

  void finish_numbers(Metrics& result) const {
    result.rmse = std::sqrt(squares / labels_spread.weight);
    result.mae = absolutes / labels_spread.weight;
    result.r2 = 1 - squares / labels_spread.squares;
    result.deviance = result.d2 = kNone;
    if (model.link == Link::log && !wrong_counts) {
      const double mean = labels_spread.mean, of_mean = own_logarithms / labels_spread.weight;
      result.deviance = deviance / labels_spread.weight;
      result.d2 = 1 - result.deviance / (2 * (of_mean - (mean > 0 ? mean * std::log(mean) : 0.0)));
    }
    result.accuracy = result.balanced_accuracy = result.log_loss = result.auc = result.average_precision = kNone;
  }

  const Model& model;
  const bool ranked;
  ClassFinder finder;
  Metrics metrics;                          // as far as they are plain sums
  std::vector<double> weight_of, right_of;  // by class
  Ranking ranking;
  double loss = 0, squares = 0, absolutes = 0, deviance = 0, own_logarithms = 0;
  bool wrong_counts = false;  // labels below zero have no deviance
  Spread labels_spread;
};

MetricsCounter::MetricsCounter(const Model& model, bool ranks, bool calibration)
    : state_(std::make_unique<State>(model, ranks, calibration)) {}
MetricsCounter::~MetricsCounter() = default;
Index MetricsCounter::known_rows() const { return state_->metrics.rows; }

void MetricsCounter::add(const Labels& labels, std::span<const double> weights, std::span<const double> margins) {
  const auto values = labels.values.span();
  if (state_->model.classifies()) {
    std::vector<Index> classes(values.size());
    state_->finder.start(labels);
    for (std::size_t i = 0; i < values.size(); ++i) classes[i] = state_->finder.find(labels, values[i]);
    add(classes, weights, margins);
    return;
  }
  if (values.size() != margins.size()) throw Error("labels and predictions differ in number");
  if (!labels.class_names.empty()) {  // words are no numbers
    state_->metrics.unknown += labels.values.size();
    return;
  }
  for (std::size_t i = 0; i < values.size(); ++i)
    state_->add_number(values[i], margins[i], weights.empty() ? 1.0 : weights[i]);
}

void MetricsCounter::add(std::span<const Index> classes, std::span<const double> weights,
                         std::span<const double> margins) {
  const auto outputs = static_cast<std::size_t>(state_->model.outputs());
  if (classes.size() * outputs != margins.size()) throw Error("labels and predictions differ in number");
  for (std::size_t first = 0; first < classes.size(); first += kBlock) {
    const std::size_t count = std::min(kBlock, classes.size() - first);
    state_->add_classified(classes.subspan(first, count), weights.empty() ? weights : weights.subspan(first, count),
                           margins.subspan(first * outputs, count * outputs));
  }
}

Metrics MetricsCounter::result() const {
  Metrics result = state_->metrics;
  state_->model.classifies() ? state_->finish_classes(result) : state_->finish_numbers(result);
  return result;
}

Metrics evaluate(const Model& model, const Dataset& data, std::span<const double> margins) {
  MetricsCounter counter(model);
  counter.add(data.y, data.weights.span(), margins);
  return counter.result();
}

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
