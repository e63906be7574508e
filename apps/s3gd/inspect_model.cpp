#include "inspect_model.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/index.hpp"
#include "base/text.hpp"
#include "output.hpp"
#include "problem/matrix_penalty.hpp"
#include "saved/predictor.hpp"

namespace s3gd::app {
namespace {

constexpr std::size_t kClassesShown = 12;  // to people; JSON holds all

// Features by the size of their weight, largest first; those without weight are left out.
std::vector<std::size_t> largest_weights(std::span<const double> weights, Index top) {
  std::vector<std::size_t> features;
  for (std::size_t j = 0; j < weights.size(); ++j)
    if (weights[j] != 0) features.push_back(j);
  const auto shown = std::min(features.size(), static_cast<std::size_t>(top));
  std::partial_sort(features.begin(), features.begin() + static_cast<std::ptrdiff_t>(shown), features.end(),
                    [&](std::size_t a, std::size_t b) {
                      const double size_a = std::abs(weights[a]), size_b = std::abs(weights[b]);
                      return size_a != size_b ? size_a > size_b : a < b;
                    });
  features.resize(shown);
  return features;
}

Index count_nonzeros(std::span<const double> weights) {
  return std::count_if(weights.begin(), weights.end(), [](double weight) { return weight != 0; });
}

// The number a feature has in the training file.
Index number_of(const Model& model, std::size_t feature) {
  return static_cast<Index>(feature) + model.index_base.value_or(0);
}

// Of the matrix of weights, where the penalty looks at it.
std::optional<Index> rank_of(const Model& model) {
  if (model.penalty_name() != name_of(MatrixPenaltyKind::nuclear)) return std::nullopt;
  std::vector<double> by_feature;
  for (Index j = 0; j < model.features(); ++j)
    for (Index k = 0; k < model.outputs(); ++k) by_feature.push_back(model.weights_of(k)[at(j)]);
  MatrixPenaltySpec spec;
  spec.kind = MatrixPenaltyKind::nuclear;
  return MatrixPenalty(spec, model.features(), model.outputs(), Intercept::none).rank(by_feature);
}

// The class whose margin output k is; nothing for regression.
std::string class_of(const Model& model, Index k) {
  if (!model.classifies()) return {};
  return model.classes[at(model.outputs() == 1 ? 1 : k)];
}

Json output_json(const Model& model, Index k, Index top) {
  const auto weights = model.weights_of(k);
  Json object;
  if (model.classifies()) object["class"] = class_of(model, k);
  object["intercept"] = model.intercepts[at(k)];
  object["nonzeros"] = count_nonzeros(weights);
  object["largest"] = Json::array();
  for (const std::size_t feature : largest_weights(weights, top)) {
    Json entry;
    if (!model.feature_names.empty()) entry["name"] = model.feature_names[feature];
    entry["feature"] = number_of(model, feature);
    entry["weight"] = weights[feature];
    object["largest"].push_back(entry);
  }
  return object;
}

Json to_json(const Model& model, const std::string& path, Index top) {
  Json json{{"model", path},
            {"classes", model.classes},
            {"loss", model.loss_name()},
            {"penalty", model.penalty_name()},
            {"lambda", model.penalty.lambda},
            {"probabilities", name_of(model.link)},
            {"features", model.features()},
            {"nonzeros", count_nonzeros(model.weights)},
            {"feature_names", !model.feature_names.empty()},
            {"unit_rows", model.unit_rows},
            {"objective", model.objective},
            {"relative_gap", model.relative_gap},
            {"outputs", Json::array()}};
  if (const std::optional<Index> rank = rank_of(model)) json["rank"] = *rank;
  if (model.index_base) json["index_base"] = *model.index_base;
  if (!model.label_column.empty()) json["label_column"] = model.label_column;
  for (Index k = 0; k < model.outputs(); ++k) json["outputs"].push_back(output_json(model, k, top));
  return json;
}

std::string describe_classes(const Model& model) {
  if (model.link == Link::log) return "numbers, as exp(margin)";
  if (!model.classifies()) return "numbers (regression)";
  return list_classes(model.classes);
}

std::string describe_features(const Model& model) {
  std::string text = format_count(model.features());
  if (!model.feature_names.empty()) return text + ", named";
  return model.index_base ? text + fmt::format(", counted from {}", *model.index_base) : text;
}

std::string weights_table(const Model& model, Index k, Index top) {
  const auto weights = model.weights_of(k);
  std::vector<std::vector<std::string>> table{{"feature", "weight"}};
  for (const std::size_t feature : largest_weights(weights, top))
    table.push_back(
        {model.feature_names.empty() ? std::to_string(number_of(model, feature)) : model.feature_names[feature],
         format_number(weights[feature])});
  const std::string whose = model.classifies() ? " for " + class_of(model, k) : "";
  return fmt::format("\nlargest weights{} (of {} that are not zero; intercept {:.6g})\n", whose,
                     format_count(count_nonzeros(weights)), model.intercepts[at(k)]) +
         format_table(table);
}

std::string to_text(const Model& model, const std::string& path, Index top) {
  const auto total = static_cast<Index>(model.weights.size());
  const std::optional<Index> rank = rank_of(model);
  std::string text = format_fields({
      {"model", path},
      {"predicts", describe_classes(model)},
      {"fitted with", fmt::format("loss {}, penalty {}, lambda {:.6g}", model.loss_name(), model.penalty_name(),
                                  model.penalty.lambda)},
      {"probabilities", has_probabilities(model) ? name_of(model.link) : "none"},
      {"features", describe_features(model)},
      {"weights", fmt::format("{} of {} are not zero{}", format_count(count_nonzeros(model.weights)),
                              format_count(total), rank ? fmt::format(", of rank {}", *rank) : "")},
      {"rows", model.unit_rows ? "brought to length 1 first" : "taken as they are"},
      {"objective", fmt::format("{:.9g}, relative gap {:.2g}", model.objective, model.relative_gap)},
  });
  if (top == 0) return text;
  const Index shown = std::min(model.outputs(), static_cast<Index>(kClassesShown));
  for (Index k = 0; k < shown; ++k) text += weights_table(model, k, top);
  if (shown < model.outputs())
    text += fmt::format("\n{} more classes: see --json\n", format_count(model.outputs() - shown));
  return text;
}

}  // namespace

std::string list_classes(std::vector<std::string> classes) {
  const std::size_t count = classes.size();
  classes.resize(std::min(count, kClassesShown));
  return format_count(static_cast<Index>(count)) + " classes: " + join(classes) + (count > kClassesShown ? ", .." : "");
}

void inspect_model(const std::string& path, Index top, const Common& common) {
  const Model model = load_model(path);
  print_result(common, to_json(model, path, top), to_text(model, path, top));
}

}  // namespace s3gd::app
