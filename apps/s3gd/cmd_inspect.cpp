// s3gd inspect DATA: what is in a dataset, and what to look out for before training on it; or in a model.
#include <fmt/core.h>

#include <cmath>
#include <memory>

#include "base/clock.hpp"
#include "base/memory.hpp"
#include "base/text.hpp"
#include "data/summary.hpp"
#include "inspect_model.hpp"
#include "output.hpp"
#include "problem/names.hpp"
#include "problem_options.hpp"
#include "s3gd/error.hpp"
#include "s3gd/model.hpp"
#include "saved/inspect.hpp"

namespace s3gd::app {
namespace {

struct Options {
  std::string source;
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
  std::vector<std::pair<std::string, std::string>> fields{
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
