// The table of formats, and the first of them: one JSON object that explains itself; docs/export.md lists its keys. Weights
// are those that are not zero, each with its column: one form for narrow and for wide models. Numbers keep every bit.
#include "s3gd/model_use.hpp"

#include <fmt/core.h>

#include <charconv>
#include <limits>

#include "base/json.hpp"
#include "base/mention.hpp"
#include "s3gd/error.hpp"
#include "saved/export_formats.hpp"
#include "saved/predictor.hpp"

namespace s3gd {
namespace {

struct Writer {
  ExportFormat format;
  ExportWriter* write;
  // Whom a model asks too much of, and of what; a null program takes all.
  const char* program = nullptr;
  bool margins_alone = false;        // applies the weights to rows as they are, and predicts the margin
  bool counts_with_32_bits = false;  // the features
};

const std::vector<Writer>& writers() {
  static const std::vector<Writer> table{
      {{"liblinear", "model text of LIBLINEAR, for liblinear-predict"}, export_liblinear, "LIBLINEAR", true, true},
      {{"json", "everything the model knows, for any language"}, export_json},
      {{"onnx", "a graph of standard operators, for ONNX runtimes"}, export_onnx},
      {{"vw", "text from which Vowpal Wabbit makes its model"}, export_vw, "Vowpal Wabbit", true},
      {{"c", "C99 functions that need no library"}, export_c, "the C source", false, true},
  };
  return table;
}

void refuse_too_much(const Model& model, const Writer& writer) {
  const std::string program = writer.program == nullptr ? "" : writer.program;
  if (writer.margins_alone && model.unit_rows)
    throw Error("the model scales each row to length 1, which " + program + " does not do",
                "export to json, onnx or c, or scale the data itself by `s3gd convert` with " +
                    opt("scale", "unit-rows") + " and train on that");
  if (writer.counts_with_32_bits && model.features() >= std::numeric_limits<std::int32_t>::max())
    throw Error(fmt::format("{} cannot hold {} features", program, model.features()), "export to json");
  if (writer.margins_alone && model.link == Link::log)
    throw Error("the model predicts exp(margin), and " + program + " the margin", "export to json, onnx or c");
}

std::string how_to_predict(const Model& model) {
  std::string text = "margin = intercept + the sum of value times x[index] over an output's indices (counted from 0)";
  if (model.unit_rows) text += ", after x is divided by its Euclidean length";
  if (model.link == Link::log) return text + "; exp(margin) is the prediction";
  if (!model.classifies()) return text + "; the margin is the prediction";
  if (model.outputs() == 1) return text + "; a positive margin means the last class, otherwise the first";
  return text + "; the output with the largest margin wins, the first of equals";
}

std::string how_to_get_probabilities(const Model& model) {
  const std::string form =
      model.outputs() == 1 ? "p of the last class, 1 - p of the first" : "p of each output, divided by their sum";
  if (!has_probabilities(model)) return "this model has none";
  if (model.link == Link::softmax) return "exp(margin) of each output, divided by their sum";
  return (model.link == Link::platt ? "p = 1 / (1 + exp(a * margin + b)): " : "p = 1 / (1 + exp(-margin)): ") + form;
}

Json output_of(const Model& model, Index k) {
  Json indices = Json::array(), values = Json::array();
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

std::vector<ExportFormat> export_formats() {
  std::vector<ExportFormat> formats;
  for (const Writer& writer : writers()) formats.push_back(writer.format);
  return formats;
}

Exported export_model(const Model& model, const std::string& format, const std::string& name) {
  std::vector<std::string> known;
  for (const Writer& writer : writers()) {
    known.push_back(writer.format.name);
    if (writer.format.name != format) continue;
    refuse_too_much(model, writer);
    return writer.write(model, name);
  }
  throw_unknown_name("export format", format, known);
}

std::vector<Index> active_columns(const Model& model) {
  std::vector<Index> columns;
  for (Index j = 0; j < model.features(); ++j) {
    bool used = false;
    for (Index k = 0; k < model.outputs(); ++k) used = used || weight_at(model, k, j) != 0;
    if (used) columns.push_back(j);
  }
  return columns;
}

std::optional<std::vector<std::int32_t>> numeric_classes(const Model& model) {
  std::vector<std::int32_t> numbers;
  for (const std::string& name : model.classes) {
    std::int32_t value = 0;
    std::from_chars(name.data(), name.data() + name.size(), value);
    if (std::to_string(value) != name) return std::nullopt;  // also words such as 007
    numbers.push_back(value);
  }
  return numbers;
}

Exported export_json(const Model& model, const std::string&) {
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
