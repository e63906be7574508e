#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "s3gd/error.hpp"
#include "s3gd/model.hpp"

namespace s3gd {
namespace {

constexpr const char* kRest = "rest";  // every other label
constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();

// Area under the ROC curve = P(margin of a positive > margin of a negative), ties counting half; by ranks.
double area_under_curve(std::span<const double> margins, const std::vector<bool>& positive) {
  std::vector<std::size_t> order(margins.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return margins[a] < margins[b]; });
  double rank_sum = 0, positives = 0;
  for (std::size_t begin = 0; begin < order.size();) {
    std::size_t end = begin + 1;
    while (end < order.size() && margins[order[end]] == margins[order[begin]]) ++end;
    const double mean_rank = 0.5 * static_cast<double>(begin + 1 + end);
    for (std::size_t k = begin; k < end; ++k) {
      if (!positive[order[k]]) continue;
      rank_sum += mean_rank;
      positives += 1;
    }
    begin = end;
  }
  const double negatives = static_cast<double>(margins.size()) - positives;
  return (rank_sum - positives * (positives + 1) / 2) / (positives * negatives);
}

Metrics classification(const Model& model, const Dataset& data, std::span<const double> all_margins) {
  Metrics metrics;
  std::vector<double> margins;  // of the rows whose label the model knows
  std::vector<bool> positive;
  double right = 0, loss = 0;
  for (std::size_t i = 0; i < all_margins.size(); ++i) {
    const std::string label = data.y.name_of(data.y.values[static_cast<Index>(i)]);
    const bool is_positive = label == model.positive;
    if (!is_positive && model.negative != kRest && label != model.negative) continue;
    margins.push_back(all_margins[i]);
    positive.push_back(is_positive);
    right += (all_margins[i] > 0) == is_positive;
    const double signed_margin = is_positive ? all_margins[i] : -all_margins[i];
    loss += std::max(0.0, -signed_margin) + std::log1p(std::exp(-std::abs(signed_margin)));
  }
  metrics.rows = static_cast<Index>(margins.size());
  metrics.unknown = static_cast<Index>(all_margins.size() - margins.size());
  const auto n = static_cast<double>(margins.size());
  metrics.accuracy = right / n;
  metrics.log_loss = model.loss.kind == LossKind::logistic ? loss / n : kNotANumber;
  metrics.auc = area_under_curve(margins, positive);
  metrics.rmse = metrics.r2 = kNotANumber;
  return metrics;
}

Metrics regression(const Dataset& data, std::span<const double> margins) {
  Metrics metrics;
  metrics.classification = false;
  metrics.rows = static_cast<Index>(margins.size());
  const auto n = static_cast<double>(margins.size());
  const double mean = std::accumulate(data.y.values.begin(), data.y.values.end(), 0.0) / n;
  double error = 0, spread = 0;
  for (std::size_t i = 0; i < margins.size(); ++i) {
    const double y = data.y.values[static_cast<Index>(i)];
    error += (y - margins[i]) * (y - margins[i]);
    spread += (y - mean) * (y - mean);
  }
  metrics.rmse = std::sqrt(error / n);
  metrics.r2 = 1 - error / spread;
  metrics.accuracy = metrics.log_loss = metrics.auc = kNotANumber;
  return metrics;
}

}  // namespace

Metrics evaluate(const Model& model, const Dataset& data, std::span<const double> margins) {
  if (data.y.values.size() != static_cast<Index>(margins.size()))
    throw Error("labels and predictions differ in number");
  return model.classifies() ? classification(model, data, margins) : regression(data, margins);
}

}  // namespace s3gd
