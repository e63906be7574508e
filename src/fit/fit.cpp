#include "s3gd/fit.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "base/memory.hpp"
#include "base/mention.hpp"
#include "data/columns.hpp"
#include "fit/fit_json.hpp"
#include "problem/names.hpp"
#include "s3gd/error.hpp"
#include "s3gd/model_use.hpp"
#include "solve/inputs.hpp"
#include "solve/options/table.hpp"

namespace s3gd {
namespace {

void check_fraction(double fraction, const char* option) {
  if (!(fraction >= 0 && fraction < 1))
    throw Error(ErrorCode::bad_value, option,
                fmt::format("the share of rows held out for {} is {}", opt(option), fraction),
                "give a number between 0 and 1");
}

// Moves a share of the rows elsewhere.
Dataset taken_out(Dataset& rows, double fraction, std::uint64_t seed) {
  const Split split = split_rows(rows, fraction, seed);
  Dataset out = take_rows(rows, split.test);
  rows = take_rows(rows, split.train);
  return out;
}

// A sigmoid is fitted for each class.
void require_all_classes(const Dataset& held_out, const std::vector<double>& classes) {
  for (const double value : classes)
    if (std::find(held_out.y.values.begin(), held_out.y.values.end(), value) == held_out.y.values.end())
      throw Error(fmt::format("{} rows are held out to fit probabilities on, 0 of class {}", held_out.rows(),
                              held_out.y.name_of(value)),
                  "probabilities need some of each class: hold out a larger fraction");
}

Dataset calibration_rows(Dataset& rows, double fraction, std::uint64_t seed) {
  if (rows.y.kind != LabelKind::classes)
    throw Error(ErrorCode::idle_option, "calibrate",
                opt("calibrate") + " fits probabilities of classes, and the labels are none", "leave it out");
  const std::vector<double> classes = rows.y.distinct();
  Dataset out = taken_out(rows, fraction, seed);
  require_all_classes(out, classes);
  return out;
}

void check_calibration(const Task& task) {
  OptionValues asked;
  asked.calibrate = 0.5;
  OptionScene scene{.outputs = task.kind()};
  scene.calibrates = task.kind() == Outputs::one_vs_rest;
  const auto* one = std::get_if<Problem>(&task.stated());
  check_given(asked, one != nullptr ? scene_of(one->spec(), "auto", Outputs::one) : scene);
}

Json to_json(const std::string& name, const Summary& summary) {
  return {{"class", name},
          {"status", name_of(summary.status)},
          {"objective", summary.objective},
          {"certificate", to_json(summary.certificate)},
          {"passes", summary.passes},
          {"iterations", summary.iterations},
          {"cpu_seconds", summary.cpu_seconds}};
}

Json codes_of(const std::vector<Advice>& advice) {
  Json list = Json::array();
  for (const Advice& one : advice) {
    Json values = Json::object();
    for (const auto& [name, value] : one.values) values[name] = value;
    list.push_back({{"code", name_of(one.code)}, {"values", values}, {"classes", one.classes}});
  }
  return list;
}

Json to_json(const Calibration& calibration) {
  Json a = Json::array(), b = Json::array();
  for (std::size_t k = 0; k + 1 < calibration.sigmoids.size(); k += 2) {
    a.push_back(calibration.sigmoids[k]);
    b.push_back(calibration.sigmoids[k + 1]);
  }
  return {{"rows", calibration.rows}, {"a", a}, {"b", b}};
}

}  // namespace

FitRows prepare(Dataset data, const FitOptions& options, int threads) {
  check_fraction(options.validation_fraction, "validate");
  check_fraction(options.calibration_fraction, "calibrate");
  const std::uint64_t seed = options.solve.seed;
  data.verify(threads);
  FitRows rows{std::move(data), options.validation, {}, {}};
  if (options.calibration_fraction > 0)
    rows.calibration = calibration_rows(rows.train, options.calibration_fraction, seed);
  if (options.class_weights) rows.train = with_class_weights(std::move(rows.train), *options.class_weights);
  if (rows.validation) {
    if (options.class_weights)
      rows.validation = with_class_weights(std::move(*rows.validation), *options.class_weights, true);
    match_widths(rows.train, *rows.validation, threads);
  } else if (options.validation_fraction > 0) {
    rows.validation = taken_out(rows.train, options.validation_fraction, seed);
  }
  rows.scaling = learn_scaling(rows.train, options.scale, threads);
  rows.train = apply_scaling(rows.train, rows.scaling, threads);
  if (rows.validation) rows.validation = apply_scaling(*rows.validation, rows.scaling, threads);
  return rows;
}

Fit fit(const FitRows& rows, const Task& task, const FitOptions& options) {
  if (rows.calibration) check_calibration(task);
  std::optional<JudgedRows> judged;
  if (rows.validation) judged = task.judged(*rows.validation);
  SolveOptions solving = options.solve;
  if (options.start != nullptr) solving.start = start_from(*options.start, task, rows.scaling);
  const SolveInput input{options.graph, judged ? &judged->rows : nullptr, options.watch, options.watch_class};
  Solution solution = solve(task, solving, input);
  Model model = task.model(solution.w, rows.scaling, solution.summary.certificate);
  Fit result{std::move(solution), task, std::move(model), {}, {}};
  if (judged) result.validation = {judged->rows.rows(), judged->left_out, task.mean_loss(judged->rows, result.w)};
  if (rows.calibration) {
    calibrate(result.model, *rows.calibration, task.threads());
    result.calibration = {rows.calibration->rows(), result.model.platt};
  }
  return result;
}

Fit fit(const Dataset& data, const TaskSpec& spec, const FitOptions& options) {
  const FitRows rows = prepare(data, options, spec.problem.threads);
  return fit(rows, Task(rows.train, spec, options.solve.solver), options);
}

Json to_json(const Certificate& certificate) {
  return {{"primal", certificate.primal},
          {"dual", certificate.dual},
          {"relative_gap", certificate.relative_gap},
          {"kind", certificate.kind == Certificate::Kind::duality_gap ? "duality_gap" : "prox_gradient"}};
}

Index count_classes(const Task& task) {
  const auto* one = std::get_if<Problem>(&task.stated());
  const bool merged = one != nullptr && !std::isnan(one->positive_class()) && std::isnan(one->negative_class());
  return merged ? std::ssize(task.data().y.distinct()) : std::ssize(task.classes());
}

Json to_json(const Fit& fit, const FitRun& run) {
  const Summary& summary = fit.summary;
  const Dataset& data = fit.task.data();
  Json stages = Json::array();
  for (const Stage& stage : summary.stages)
    stages.push_back(
        {{"name", stage.name}, {"seconds", stage.seconds}, {"iterations", stage.iterations}, {"ended", stage.ended}});
  Json json{{"status", name_of(summary.status)},
            {"objective", summary.objective},
            {"certificate", to_json(summary.certificate)},
            {"formula", fit.task.formula()},
            {"seconds",
             {{"load", run.load_seconds},
              {"graph", summary.graph_seconds},
              {"solve", summary.solve_seconds},
              {"evaluate", summary.evaluate_seconds},
              {"total", run.total_seconds}}},
            {"cpu_seconds", summary.cpu_seconds},
            {"passes", summary.passes},
            {"iterations", summary.iterations},
            {"step", summary.step},
            {"inner", summary.inner},
            {"solver", summary.solver},
            {"surrogate_gap", summary.surrogate_gap},
            {"stages", stages},
            {"rows", data.rows()},
            {"cols", data.cols()},
            {"nonzeros", data.x.stored()},
            {"classes", count_classes(fit.task)},
            {"peak_memory_bytes", peak_memory_bytes()},
            {"seed", run.seed},
            {"advice", sentences(summary.advice, run.words)},
            {"advice_codes", codes_of(summary.advice)}};
  if (fit.task.kind() != Outputs::one) json["multiclass"] = name_of(fit.task.kind());
  if (fit.rank) json["rank"] = *fit.rank;
  if (const auto& seen = fit.validation)
    json["validation"] = {{"rows", seen->rows}, {"left_out", seen->left_out}, {"loss", seen->loss}};
  if (fit.calibration) json["calibration"] = to_json(*fit.calibration);
  const std::vector<std::string> classes = fit.task.classes();
  for (std::size_t k = 0; k < summary.classes.size(); ++k)
    json["class_fits"].push_back(to_json(classes[k], summary.classes[k]));
  return json;
}

}  // namespace s3gd
