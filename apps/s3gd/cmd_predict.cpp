// s3gd predict MODEL DATA [-o OUT]
#include <fmt/format.h>

#include <cmath>
#include <memory>

#include "base/file.hpp"
#include "command.hpp"
#include "options.hpp"
#include "output.hpp"
#include "s3gd/error.hpp"
#include "s3gd/model.hpp"

namespace s3gd::app {
namespace {

struct PredictOptions {
  std::string model;
  std::string data;
  std::string output;
  bool proba = false;
  bool margin = false;
  LoadOptions load;
};

Json prediction_of(const Model& model, double margin, const PredictOptions& options) {
  if (options.margin || !model.classifies()) return margin;
  if (options.proba) return probability(model, margin);
  return margin > 0 ? model.positive : model.negative;
}

std::string to_lines(const std::vector<Json>& predictions) {
  std::string lines;
  for (const Json& prediction : predictions)
    lines +=
        (prediction.is_string() ? prediction.get<std::string>() : fmt::format("{}", prediction.get<double>())) + "\n";
  return lines;
}

Json to_json(const Metrics& metrics, Index rows) {
  Json object{{"rows", rows}};
  if (metrics.unknown > 0) object["unknown_labels"] = metrics.unknown;
  if (metrics.rows == 0) return object;
  if (metrics.classification) {
    object["accuracy"] = metrics.accuracy;
    object["log_loss"] = metrics.log_loss;
    object["auc"] = metrics.auc;
  } else {
    object["rmse"] = metrics.rmse;
    object["r2"] = metrics.r2;
  }
  return object;
}

std::string to_text(const Metrics& metrics) {
  if (!metrics.classification)
    return format_fields({{"rows", format_count(metrics.rows)},
                          {"RMSE", format_number(metrics.rmse)},
                          {"R2", format_number(metrics.r2)}});
  std::vector<std::pair<std::string, std::string>> fields{
      {"rows", format_count(metrics.rows)}, {"accuracy", fmt::format("{:.2f} %", 100 * metrics.accuracy)}};
  if (!std::isnan(metrics.log_loss)) fields.emplace_back("log-loss", format_number(metrics.log_loss));
  if (!std::isnan(metrics.auc)) fields.emplace_back("AUC", format_number(metrics.auc));
  if (metrics.unknown > 0)
    fields.emplace_back("left out", format_count(metrics.unknown) + " rows with a label the model does not know");
  return format_fields(fields);
}

bool is_standard_output(const std::string& path) { return path == "-" || path == "/dev/stdout"; }

void check_options(const PredictOptions& options, const Common& common) {
  if (options.proba && options.margin) throw UsageError("--proba and --margin exclude each other");
  if (common.json && is_standard_output(options.output))
    throw UsageError("--json and -o - both want standard output: give -o a file, or leave it out");
}

Dataset load_rows(const Model& model, const PredictOptions& options, const Common& common) {
  LoadOptions load_options = options.load;
  load_options.threads = common.threads;
  read_alike(load_options, model.index_base, model.label_column);
  return load(options.data, load_options);
}

// One kind of result on standard output: predictions where they are asked for or all there is, otherwise metrics.
// Metrics that have to give way go to standard error.
int predict(const PredictOptions& options, const Common& common) {
  check_options(options, common);
  const Model model = load_model(options.model);
  if (options.proba) probability(model, 0.0);  // fails before the data is read when the model has none
  const Dataset data = load_rows(model, options, common);
  const std::vector<double> margins = predict_margins(model, data, common.threads);
  const Metrics metrics = data.y.kind == LabelKind::none ? Metrics{} : evaluate(model, data, margins);

  const bool to_file = !options.output.empty() && !is_standard_output(options.output);
  const bool shown = !to_file && (!options.output.empty() || options.proba || options.margin || metrics.rows == 0);
  std::vector<Json> predictions;
  if (to_file || shown)
    for (const double margin : margins) predictions.push_back(prediction_of(model, margin, options));
  if (to_file) write_atomically(options.output, [&](std::ostream& out) { out << to_lines(predictions); });

  if (common.json) {
    Json object = to_json(metrics, data.rows());
    if (shown) object["predictions"] = predictions;
    print_json(object);
  } else if (shown) {
    print(to_lines(predictions));
    if (metrics.rows > 0) {
      std::string text = to_text(metrics);
      text.pop_back();  // remark ends the line
      remark(common, text);
    }
  } else if (metrics.rows > 0) {
    print(to_text(metrics));
  }
  if (metrics.rows == 0 && metrics.unknown > 0) remark(common, "no metrics: the model knows none of the labels");
  if (to_file) remark(common, "predictions written to " + options.output);
  return kGood;
}

}  // namespace

std::function<int()> setup_predict(CLI::App& app, const Common& common) {
  auto options = std::make_shared<PredictOptions>();
  app.add_option("MODEL", options->model, "a model saved by `s3gd train -o`")->required();
  app.add_option("DATA", options->data, "rows to predict; with labels, metrics are printed")->required();
  app.add_option("-o,--output", options->output, "where the predictions go, one a line; - = standard output")
      ->type_name("FILE");
  app.add_flag("--proba", options->proba, "probability of the positive class instead of a label (logistic)");
  app.add_flag("--margin", options->margin, "w.x + b instead of a label");
  add_load_options(app, options->load);
  return [options, &common] { return predict(*options, common); };
}

}  // namespace s3gd::app
