#include "metrics_report.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/nearest.hpp"
#include "base/text.hpp"

namespace s3gd::app {
namespace {

constexpr const char* kAll = "all";
constexpr std::size_t kClassesShown = 20;  // of a confusion matrix, to people; JSON holds all

bool of_classes(const Model& model) { return model.classifies(); }
bool of_two_classes(const Model& model) { return model.classes.size() == 2; }
bool of_numbers(const Model& model) { return !model.classifies(); }
bool of_counts(const Model& model) { return model.link == Link::log; }
bool calibrates(const Model& model) { return of_two_classes(model) && has_probabilities(model); }

Json confusion_json(const Metrics& metrics, const Model& model) {
  if (metrics.confusion.empty()) return nullptr;  // too many classes
  const std::size_t count = model.classes.size();
  Json rows = Json::array();
  for (std::size_t k = 0; k < count; ++k)
    rows.push_back(std::vector<double>(&metrics.confusion[k * count], &metrics.confusion[k * count] + count));
  return {{"classes", model.classes}, {"weight_by_actual_and_predicted", rows}};
}

Json calibration_json(const Metrics& metrics, const Model&) {
  Json bins = Json::array();
  for (const CalibrationBin& bin : metrics.calibration)
    bins.push_back(
        {{"weight", bin.weight}, {"mean_probability", bin.mean_probability}, {"positive_share", bin.positive_share}});
  return bins;
}

std::string confusion_text(const Metrics& metrics, const Model& model) {
  const std::size_t count = model.classes.size();
  if (count > kClassesShown) return fmt::format("\n{} classes: the confusion matrix is in --json\n", count);
  Table table{{"actual \\ predicted"}};
  table[0].insert(table[0].end(), model.classes.begin(), model.classes.end());
  for (std::size_t k = 0; k < count; ++k) {
    table.push_back({model.classes[k]});
    for (std::size_t j = 0; j < count; ++j) table.back().push_back(format_number(metrics.confusion[k * count + j]));
  }
  return "\n" + format_table(table);
}

std::string calibration_text(const Metrics& metrics, const Model& model) {
  const auto shown = [](double value) { return std::isnan(value) ? "-" : fmt::format("{:.4f}", value); };
  Table table{{"probability of " + model.classes[1], "weight", "mean probability", "share of " + model.classes[1]}};
  for (std::size_t k = 0; k < metrics.calibration.size(); ++k) {
    const CalibrationBin& bin = metrics.calibration[k];
    table.push_back({fmt::format("{:.1f} to {:.1f}", 0.1 * static_cast<double>(k), 0.1 * static_cast<double>(k + 1)),
                     format_number(bin.weight), shown(bin.mean_probability), shown(bin.positive_share)});
  }
  return "\n" + format_table(table);
}

struct Metric {
  const char* name;   // as given to --metrics
  const char* key;    // in JSON
  const char* label;  // to people
  bool (*applies)(const Model& model);
  double Metrics::*value;  // null: a table
  Json (*table_json)(const Metrics& metrics, const Model& model) = nullptr;
  std::string (*table_text)(const Metrics& metrics, const Model& model) = nullptr;
};

constexpr std::array kMetrics{
    Metric{"accuracy", "accuracy", "accuracy", of_classes, &Metrics::accuracy},
    Metric{"balanced-accuracy", "balanced_accuracy", "balanced accuracy", of_classes, &Metrics::balanced_accuracy},
    Metric{"log-loss", "log_loss", "log-loss", has_probabilities, &Metrics::log_loss},
    Metric{"auc", "auc", "AUC", of_two_classes, &Metrics::auc},
    Metric{"average-precision", "average_precision", "average precision", of_two_classes, &Metrics::average_precision},
    Metric{"rmse", "rmse", "RMSE", of_numbers, &Metrics::rmse},
    Metric{"mae", "mae", "MAE", of_numbers, &Metrics::mae},
    Metric{"r2", "r2", "R2", of_numbers, &Metrics::r2},
    Metric{"deviance", "deviance", "deviance", of_counts, &Metrics::deviance},
    Metric{"d2", "d2", "D2", of_counts, &Metrics::d2},
    Metric{"confusion", "confusion", "confusion", of_classes, nullptr, confusion_json, confusion_text},
    Metric{"calibration", "calibration", "calibration", calibrates, nullptr, calibration_json, calibration_text},
};

std::vector<const Metric*> all_metrics() {
  std::vector<const Metric*> list;
  for (const Metric& metric : kMetrics) list.push_back(&metric);
  return list;
}

std::vector<std::string> names_of(const std::vector<const Metric*>& metrics) {
  std::vector<std::string> names;
  for (const Metric* metric : metrics) names.emplace_back(metric->name);
  return names;
}

std::vector<const Metric*> chosen(const MetricChoice& choice, const Model& model) {
  const auto named = [&](const char* name) { return std::find(choice.begin(), choice.end(), name) != choice.end(); };
  std::vector<const Metric*> list;
  for (const Metric& metric : kMetrics)
    if (metric.applies(model) && (named(metric.name) || named(kAll) || (choice.empty() && metric.value != nullptr)))
      list.push_back(&metric);
  return list;
}

std::string shown(const Metric& metric, double value) {
  const bool share = metric.value == &Metrics::accuracy || metric.value == &Metrics::balanced_accuracy;
  return share ? fmt::format("{:.2f} %", 100 * value) : format_number(value);
}

}  // namespace

void add_metrics_option(Arguments& app, MetricChoice& choice) {
  app.add("--metrics", &choice, join(names_of(all_metrics())) + ", or all; default: all but the tables (the last two)",
          {.takes = "LIST", .between = ','});
}

void check_metrics(const MetricChoice& choice, const Model& model) {
  std::vector<std::string> names = names_of(all_metrics());
  names.insert(names.begin(), kAll);
  for (const std::string& name : choice) {
    if (std::find(names.begin(), names.end(), name) == names.end())
      throw UsageError("unknown metric '" + name + "' (" + suggestion(name, names) + ")");
    if (name != kAll && chosen({name}, model).empty())
      throw UsageError("--metrics " + name +
                       " does not apply to this model; these do: " + join(names_of(chosen({kAll}, model))));
  }
}

bool needs_ranks(const MetricChoice& choice, const Model& model) {
  const auto list = chosen(choice, model);
  return std::any_of(list.begin(), list.end(), [](const Metric* metric) {
    return metric->value == &Metrics::auc || metric->value == &Metrics::average_precision;
  });
}

void add_metrics(Json& object, const Metrics& metrics, const MetricChoice& choice, const Model& model) {
  if (metrics.unknown > 0) object["unknown_labels"] = metrics.unknown;
  if (metrics.rows == 0) return;
  for (const Metric* metric : chosen(choice, model)) {
    if (metric->value != nullptr)
      object[metric->key] = metrics.*metric->value;
    else
      object[metric->key] = metric->table_json(metrics, model);
  }
  if (!metrics.ranks_exact) object["ranks_rounded"] = true;
}

std::string metrics_text(const Metrics& metrics, const MetricChoice& choice, const Model& model) {
  Fields fields{{"rows", format_count(metrics.rows)}};
  std::string tables;
  for (const Metric* metric : chosen(choice, model)) {
    if (metric->value == nullptr)
      tables += metric->table_text(metrics, model);
    else if (const double value = metrics.*metric->value; !std::isnan(value))
      fields.emplace_back(metric->label, shown(*metric, value));
  }
  if (!metrics.ranks_exact)
    fields.emplace_back("note", "AUC and average precision are of rounded margins: there are too many to keep");
  if (metrics.unknown > 0)
    fields.emplace_back("left out", format_count(metrics.unknown) + " rows with a label the model does not know");
  return format_fields(fields) + tables;
}

}  // namespace s3gd::app
