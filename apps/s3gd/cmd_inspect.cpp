// s3gd inspect DATA: what is in a dataset, and what to look out for before training on it; or in a model.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "base/clock.hpp"
#include "base/index.hpp"
#include "base/memory.hpp"
#include "base/text.hpp"
#include "data/summary.hpp"
#include "options.hpp"
#include "output.hpp"
#include "problem/matrix_penalty.hpp"
#include "problem/names.hpp"
#include "s3gd/error.hpp"
#include "s3gd/model.hpp"
#include "saved/inspect.hpp"
#include "saved/predictor.hpp"

namespace s3gd::app {
namespace {

constexpr std::size_t kClassesShown = 12;  // to people; JSON holds all

// "3 classes: a, b, c", of many the first.
std::string list_classes(std::vector<std::string> classes) {
  const std::size_t count = classes.size();
  classes.resize(std::min(count, kClassesShown));
  return format_count(static_cast<Index>(count)) + " classes: " + join(classes) + (count > kClassesShown ? ", .." : "");
}

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
  Table table{{"feature", "weight"}};
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

void inspect_model(const std::string& path, Index top, const Common& common) {
  const Model model = load_model(path);
  print_result(common, to_json(model, path, top), to_text(model, path, top));
}

struct Options {
  Index top = 10;
  // The theory's part: the objective with its numbers, its constants, step bounds, the rate of the paper's theorem, and how
  // much variance each estimator leaves. One pass over the rows, and a graph for the variances.
  ProblemOptions problem;
  double step = 0;        // 0 = half of the theorem's bound
  bool variance = false;  // build a graph and measure
  bool loss_given = false;
};

std::string describe_labels(const Dataset& data, const DataSummary& summary) {
  if (data.y.kind == LabelKind::none) return "none";
  if (data.y.kind == LabelKind::real)
    return fmt::format("real numbers from {:.6g} to {:.6g}, mean {:.6g}", summary.label_least, summary.label_largest,
                       summary.label_mean);
  std::vector<std::string> classes;
  for (const ClassCount& entry : summary.classes)
    classes.push_back(fmt::format("{} ({:.3g} %)", entry.name,
                                  100.0 * static_cast<double>(entry.rows) / static_cast<double>(data.rows())));
  return list_classes(classes);
}

std::string describe_norms(const DataSummary& summary) {
  std::string text;
  for (const double norm : summary.norm_quantiles) text += fmt::format("{:.4g}  ", norm);
  return text + "(min 5 25 50 75 95 max)";
}

std::string to_text(const Dataset& data, const DataSummary& summary, double load_seconds) {
  const char* layout = data.x.is_dense() ? "dense" : "sparse";
  return format_fields({
      {"source", data.source},
      {"rows", format_count(data.rows())},
      {"columns", format_count(data.cols()) + (data.feature_names.empty() ? "" : ", named")},
      {"non-zeros", fmt::format("{} ({:.3g} %)", format_count(summary.nonzeros), 100 * summary.density)},
      {"held as", fmt::format("{}, {}, {}{}", layout, name_of(data.x.precision()), format_bytes(summary.memory_bytes),
                              has_checksums(data) ? ", mapped; checksums verified"
                              : data.verifier     ? ", mapped"
                                                  : "")},
      {"labels", describe_labels(data, summary)},
      {"row weights", data.weights.empty() ? "none" : "yes"},
      {"values", fmt::format("from {:.6g} to {:.6g}", summary.least, summary.largest)},
      {"column scales", fmt::format("from {:.6g} to {:.6g}; {} zero columns, {} constant", summary.least_column_scale,
                                    summary.largest_column_scale, format_count(summary.zero_columns),
                                    format_count(summary.constant_columns))},
      {"row norms", describe_norms(summary)},
      {"zero rows", format_count(summary.zero_rows)},
      {"read in", format_seconds(load_seconds) + ", peak memory " + format_bytes(peak_memory_bytes())},
  });
}

std::string notes(const Dataset& data, const DataSummary& summary) {
  std::string text;
  for (const Advice& advice : advice_on(data, summary))
    text += "\n" + wrap("Note: " + advice.sentence(program_words), 80, 6) + "\n";
  return text;
}

std::string rate_text(const TheoryFacts& facts) {
  if (facts.constants.strong_convexity <= 0)
    return "none: the objective is not strongly convex (--penalty l2 --intercept regularised is)";
  if (!std::isfinite(facts.rate.rho)) return fmt::format("none for the step {:.3g}: it is above the bound", facts.step);
  return fmt::format("rho = {:.4g}, Delta = {:.4g} Delta_HP for the step {:.3g} and {} inner steps{}", facts.rate.rho,
                     facts.rate.delta_factor, facts.step, facts.inner,
                     facts.rate.rho >= 1 ? " (no promise: rho is not below 1)" : "");
}

struct TheoryReport {
  Json json = {};         // null when the data is no problem for the loss
  std::string text = {};  // for people
};

TheoryReport report_theory(const Dataset& data, const Options& options, const Common& common) {
  if (data.y.kind == LabelKind::none) return {};
  const ProblemSpec spec = usual_spec(task_spec(options.problem, data, common).problem, data, options.loss_given);
  std::unique_ptr<const Problem> problem;
  try {
    problem = std::make_unique<const Problem>(prepare(data, fit_options(options.problem), common.threads).train, spec);
  } catch (const Error& error) {
    // What is in the data is worth knowing even when no model can be fitted to it.
    return {nullptr, "objective  " + error.in_words(program_words) + "\n"};
  }
  const Index batch = options.problem.values.solve.batch, inner = options.problem.values.solve.inner;
  TheoryQuestion question{batch, inner, options.step, {}, common.seed, common.threads};
  if (options.variance) question.graph = options.problem.values.solve.graph;
  const TheoryFacts facts = theory_facts(*problem, question);
  const Theory& constants = facts.constants;
  Fields fields{
      {"objective", facts.formula},
      {"smoothness", fmt::format("L = {:.4g} (largest row), {:.4g} (mean), L_P = {:.4g} (whole), mu = {:.4g}",
                                 constants.smoothness_max, constants.smoothness_mean, constants.smoothness_full,
                                 constants.strong_convexity)},
      {"steps", fmt::format("suggested {:.4g} for batches of {}; theorems: below {:.3g} (svrg), {:.3g} (s3gd)",
                            constants.suggested_step, batch, constants.svrg_step_bound, constants.s3gd_step_bound)},
      {"rate", rate_text(facts)}};
  if (facts.variances) {
    std::vector<std::string> parts;
    for (const EstimatorVariance& entry : *facts.variances)
      parts.push_back(fmt::format("{} {:.3g}", entry.solver, entry.ratio));
    fields.emplace_back("variance", join(parts) + " (of sgd's, after one pass of it)");
  }
  return {to_json(facts), format_fields(fields)};
}

int run(Options options, const Common& common) {
  if (is_model_file(options.problem.data)) {
    inspect_model(options.problem.data, options.top, common);
    return kGood;
  }
  check_given(options.problem);
  options.problem.values.load.threads = common.threads;
  const double start = wall_now();
  const Dataset data = load(options.problem.data, options.problem.values.load);
  const double load_seconds = wall_now() - start;
  const DataSummary summary = summarise(data, common.threads);
  const TheoryReport theory = report_theory(data, options, common);
  if (common.json) {
    Json json = to_json(data, summary, program_words);
    json["seconds"] = {{"load", load_seconds}};
    json["theory"] = theory.json;
    print_json(json);
  } else {
    print(to_text(data, summary, load_seconds) + (theory.text.empty() ? "" : "\n" + theory.text) +
          notes(data, summary));
  }
  return kGood;
}

}  // namespace

std::function<int()> setup_inspect(Arguments& app, const Common& common) {
  auto options = std::make_shared<Options>();
  app.add("DATA", &options->problem.data,
          "file, - for standard input, name of a known dataset, or gen:KIND?..; or a MODEL saved by train",
          {.required = true});
  app.add("--top", &options->top, "MODEL: how many of the largest weights are shown, of each class",
          {.takes = "N", .check = whole_number(0)});
  add_problem_options(app, options->problem, {});
  app.in_group("Theory");
  options->problem.values.solve.inner = 20;
  app.add("--batch", &options->problem.values.solve.batch, "rows in a mini-batch", {.check = whole_number(1)});
  app.add("--inner", &options->problem.values.solve.inner, "steps between snapshots", {.check = whole_number(1)});
  app.add("--step", &options->step, "for the rate; 0 = half of the theorem's bound", {.check = real_number(0)});
  app.add("--variance", &options->variance, "build a graph and measure every estimator's variance");
  add_table_options(app, options->problem.values, names_in(kGraphOptions));
  add_table_options(app, options->problem.values, names_in(kReadingOptions));
  return [options, &common, &app] {
    options->loss_given = app.given("--loss");
    return run(*options, common);
  };
}

}  // namespace s3gd::app
