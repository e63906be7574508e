// One JSON object that explains itself; docs/export.md lists its keys. Weights are those that are not zero, each with
// its column: one form for narrow and for wide models. Numbers keep every bit.

#include "base/json.hpp"
#include "saved/export_formats.hpp"
#include "saved/model_names.hpp"

namespace s3gd {
namespace {

std::string how_to_predict(const Model& model) {
  std::string text = "margin = intercept + the sum of value times x[index] over an output's indices (counted from 0)";
  if (model.unit_rows) text += ", after x is divided by its Euclidean length";
  if (model.link == Link::log) return text + "; exp(margin) is the prediction";
  if (!model.classifies()) return text + "; the margin is the prediction";
  if (model.outputs() == 1) return text + "; a positive margin means the last class, otherwise the first";
  return text + "; the output with the largest margin wins, the first of equals";
}

std::string how_to_get_probabilities(const Model& model) {
  const std::string one = "p of the last class, 1 - p of the first";
  const std::string several = "p of each output, divided by their sum";
  const std::string form = model.outputs() == 1 ? one : several;
  switch (model.link) {
    case Link::logistic:
      return "p = 1 / (1 + exp(-margin)): " + form;
    case Link::platt:
      return "p = 1 / (1 + exp(a * margin + b)): " + form;
    case Link::softmax:
      return "exp(margin) of each output, divided by their sum";
    case Link::identity:
    case Link::log:
      break;
  }
  return "this model has none";
}

Json output_of(const Model& model, Index k) {
  Json indices = Json::array();
  Json values = Json::array();
  const auto weights = model.weights_of(k);
  for (std::size_t j = 0; j < weights.size(); ++j) {
    if (weights[j] == 0) continue;
    indices.push_back(j);
    values.push_back(weights[j]);
  }
  const auto at = static_cast<std::size_t>(k);
  Json output;
  if (model.classifies()) output["class"] = model.outputs() == 1 ? model.classes.back() : model.classes[at];
  output["intercept"] = model.intercepts[at];
  if (model.link == Link::platt) {
    output["a"] = model.platt[2 * at];
    output["b"] = model.platt[2 * at + 1];
  }
  output["indices"] = std::move(indices);
  output["values"] = std::move(values);
  return output;
}

}  // namespace

Exported export_json(const Model& model, const std::string& /*name*/) {
  Json json{{"format", "s3gd-linear-model"},
            {"version", 1},
            {"task", model.classifies() ? "classification" : "regression"},
            {"how_to_predict", how_to_predict(model)}};
  if (model.classifies()) {
    json["how_to_get_probabilities"] = how_to_get_probabilities(model);
    json["classes"] = model.classes;
    json["link"] = name_of(model.link);
  }
  json["loss"] = model.loss_name();
  json["penalty"] = model.penalty_name();
  json["lambda"] = model.penalty.lambda;
  json["objective"] = model.objective;
  json["relative_gap"] = model.relative_gap;
  json["features"] = model.features();
  json["feature_names"] = model.feature_names;
  json["index_base"] = model.index_base ? Json(*model.index_base) : Json();
  json["label_column"] = model.label_column;
  json["unit_rows"] = model.unit_rows;
  Json outputs = Json::array();
  for (Index k = 0; k < model.outputs(); ++k) outputs.push_back(output_of(model, k));
  json["outputs"] = std::move(outputs);
  return {json.dump_repaired() + "\n", {}};
}

}  // namespace s3gd
