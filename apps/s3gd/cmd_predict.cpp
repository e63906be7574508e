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

std::string line_of(const Model& model, double margin, const PredictOptions& options) {
  if (options.margin || !model.classifies()) return fmt::format("{}", margin);
  if (options.proba) return fmt::format("{}", probability(model, margin));
  return margin > 0 ? model.positive : model.negative;
}

Json to_json(const Metrics& metrics, Index rows) {
  Json object{{"rows", rows}};
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
  return format_fields(fields);
}

int predict(const PredictOptions& options, const Common& common) {
  const Model model = load_model(options.model);
  if (options.proba && options.margin) throw UsageError("--proba and --margin exclude each other");
  if (options.proba) probability(model, 0.0);  // fails before the data is read when the model has none
  LoadOptions load_options = options.load;
  load_options.threads = common.threads;
  load_options.cols = static_cast<Index>(model.weights.size());
  const Dataset data = load(options.data, load_options);
  const std::vector<double> margins = predict_margins(model, data, common.threads);

  std::string lines;
  if (!options.output.empty() || (!common.json && data.y.kind == LabelKind::none))
    for (const double margin : margins) lines += line_of(model, margin, options) + "\n";
  if (!options.output.empty()) write_atomically(options.output, [&](std::ostream& out) { out << lines; });

  Metrics metrics;
  if (data.y.kind != LabelKind::none) metrics = evaluate(model, data, margins);
  if (common.json)
    print_json(to_json(metrics, data.rows()));
  else if (data.y.kind != LabelKind::none)
    print(to_text(metrics));
  else if (options.output.empty())
    print(lines);
  if (!options.output.empty()) remark(common, "predictions written to " + options.output + "\n");
  return kGood;
}

}  // namespace

std::function<int()> setup_predict(CLI::App& app, const Common& common) {
  auto options = std::make_shared<PredictOptions>();
  app.add_option("MODEL", options->model, "a model saved by `s3gd train -o`")->required();
  app.add_option("DATA", options->data, "rows to predict; with labels, metrics are printed")->required();
  app.add_option("-o,--output", options->output, "where the predictions go, one a line")->type_name("FILE");
  app.add_flag("--proba", options->proba, "probability of the positive class instead of a label (logistic)");
  app.add_flag("--margin", options->margin, "w.x + b instead of a label");
  add_load_options(app, options->load);
  return [options, &common] { return predict(*options, common); };
}

}  // namespace s3gd::app
