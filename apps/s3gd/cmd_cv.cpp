// s3gd cv DATA
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "base/clock.hpp"
#include "base/json.hpp"
#include "path_options.hpp"
#include "saved/score.hpp"

namespace s3gd::app {
namespace {

struct Options : PathOptions {
  Index folds = 5;
  std::string metric;  // empty: the usual one
  std::string choose = "best";
};

std::size_t chosen_of(const CrossValidation& result, const Options& options) {
  return options.choose == "best" ? result.best : result.one_standard_error;
}

// All, unless the run was cut short.
std::ptrdiff_t folds_judged(const CrossValidation& result) {
  const std::vector<double>& scores = result.points.front().scores;
  return std::count_if(scores.begin(), scores.end(), [](double score) { return !std::isnan(score); });
}

Json scored_json(const CrossValidation& result, std::size_t k, const Task& task) {
  const ScoredLambda& point = result.points[k];
  Json json{{"lambda", point.lambda},
            {"mean", point.mean},
            {"standard_error", point.standard_error},
            {"scores", point.scores}};
  json.update(point_json(result.path.points[k], task));
  return json;
}

Json choice_json(const CrossValidation& result, std::size_t k) {
  return {{"index", k},
          {"lambda", result.points[k].lambda},
          {"mean", result.points[k].mean},
          {"standard_error", result.points[k].standard_error},
          {"nonzeros", result.path.points[k].nonzeros},
          {"features", result.path.points[k].features}};
}

Json to_json(const PathProblem& ready, const CrossValidation& result, const Options& options, double total_seconds,
             const Common& common) {
  const std::size_t chosen = chosen_of(result, options);
  Json points = Json::array();
  for (std::size_t k = 0; k < result.points.size(); ++k) points.push_back(scored_json(result, k, ready.task));
  Json json{{"status", name_of(result.status)},
            {"formula", ready.task.with_lambda(result.points[chosen].lambda).formula()},
            {"metric", name_of(result.metric)},
            {"folds", options.folds},
            {"folds_judged", folds_judged(result)},
            {"best", choice_json(result, result.best)},
            {"one_standard_error", choice_json(result, result.one_standard_error)},
            {"chosen", choice_json(result, chosen)},
            {"points", points}};
  json.update(common_json(ready, {ready.load_seconds, result.seconds, total_seconds, result.cpu_seconds}, result.advice,
                          common));
  return json;
}

std::string to_text(const PathProblem& ready, const CrossValidation& result, const Options& options,
                    double total_seconds) {
  const std::size_t chosen = chosen_of(result, options);
  const auto choice = [&](std::size_t k) {
    return fmt::format("lambda {:.6g}: {:.6g} +- {:.2g}, {} non-zeros", result.points[k].lambda, result.points[k].mean,
                       result.points[k].standard_error, format_count(result.path.points[k].nonzeros));
  };
  std::vector<std::vector<std::string>> rows{{"lambda", name_of(result.metric), "+-", "non-zeros", ""}};
  for (std::size_t k = 0; k < result.points.size(); ++k) {
    std::string note = k == result.best ? "<- best" : "";
    if (k == result.one_standard_error) note += note.empty() ? "<- one standard error" : ", one standard error";
    rows.push_back({format_number(result.points[k].lambda), fmt::format("{:.6g}", result.points[k].mean),
                    fmt::format("{:.2g}", result.points[k].standard_error),
                    format_count(result.path.points[k].nonzeros), note});
  }
  return format_fields({{"minimised", ready.task.with_lambda(result.points[chosen].lambda).formula()},
                        {"status", name_of(result.status)},
                        {"metric", fmt::format("{}, mean of {} folds", name_of(result.metric), folds_judged(result))},
                        {"best", choice(result.best)},
                        {"one std error", choice(result.one_standard_error)},
                        {"time", fmt::format("{} (load {}, folds and paths {})", format_seconds(total_seconds),
                                             format_seconds(ready.load_seconds), format_seconds(result.seconds))}}) +
         "\n" + format_table(rows);
}

CrossValidationOptions cross_validation_options(const Options& options, const Task& task) {
  CrossValidationOptions with;
  with.folds = options.folds;
  with.metric = options.metric.empty() ? usual_metric(task) : parse_name<ScoreKind>("metric", options.metric);
  check_metric(with.metric, task);
  with.lambdas = chosen_lambdas(options, task);
  with.solve = options.solve;
  return with;
}

int run(Options options, const Common& common) {
  const double started = wall_now();
  check_path_options(options, common);
  const PathProblem ready = read_problem(options, common);
  CrossValidationOptions with = cross_validation_options(options, ready.task);
  Progress progress(common, "cross-validation");
  with.watch = [&](Index done, Index of) {
    progress.show(fmt::format("{} of {} fits", format_count(done), format_count(of)));
    return true;
  };
  const CrossValidation result = cross_validate(ready.task, with);
  progress.clear();
  if (result.points.empty()) throw_nothing_done(result.status);
  const std::size_t chosen = chosen_of(result, options);
  if (!options.model_path.empty()) save_point(ready, result.path.points[chosen], options.model_path);
  if (!options.report_path.empty())
    write_page(options.report_path,
               report::cross_validation_page(result, about_page(ready.task, result.path, chosen, result.seconds)));
  if (common.json)
    print_json(to_json(ready, result, options, wall_now() - started, common));
  else
    print(to_text(ready, result, options, wall_now() - started));
  print_advice(result.advice, common);
  if (result.status == Status::interrupted) remark(common, "interrupted: chosen from what was done by then");
  if (!options.model_path.empty())
    remark(common, fmt::format("model of lambda {:.6g}, fitted to all rows, written to {}",
                               result.points[chosen].lambda, options.model_path));
  if (!options.report_path.empty()) remark(common, "page written to " + options.report_path);
  return exit_code(result.status);
}

}  // namespace

std::function<int()> setup_cv(Arguments& app, const Common& common) {
  auto options = std::make_shared<Options>();
  add_path_options(app, *options);
  const std::string group = "Folds";
  app.add_option("--folds", options->folds, "how many the rows are dealt to, class by class")
      ->check(whole_number(2))
      ->capture_default_str()
      ->group(group);
  add_word(app, "--metric", options->metric, all_names<ScoreKind>(),
           "on held-out rows (default log-loss; accuracy for hinges, rmse for regression, deviance for counts)")
      ->group(group);
  add_word(app, "--choose", options->choose, {"best", "1se"}, "the lambda of the model")
      ->capture_default_str()
      ->group(group);
  return [options, &common] { return run(*options, common); };
}

}  // namespace s3gd::app
