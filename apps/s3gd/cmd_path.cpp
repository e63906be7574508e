// s3gd path DATA and s3gd cv DATA: fits at many lambdas, and the choice among them by cross-validation.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "base/index.hpp"
#include "path_options.hpp"
#include "problem/names.hpp"
#include "saved/score.hpp"

namespace s3gd::app {
namespace {

struct OnePath : PathOptions {
  std::optional<double> choose;
  bool weights = false;
};

// By column, the ones of an output that are not zero.
Json weights_json(const PathPoint& point, const Task& task, Index output) {
  Json columns = Json::array(), values = Json::array();
  for (Index j = 0; j < task.data().cols(); ++j) {
    const double w = point.w[at(output * task.dim() + j)];
    if (w == 0) continue;
    columns.push_back(j);
    values.push_back(w);
  }
  return {{"columns", columns}, {"values", values}};
}

// Of each class where there are several outputs.
Json weights_json(const PathPoint& point, const Task& task) {
  if (task.outputs() == 1) return weights_json(point, task, 0);
  Json list = Json::array();
  const std::vector<std::string> classes = task.classes();
  for (Index k = 0; k < task.outputs(); ++k) {
    list.push_back({{"class", classes[at(k)]}});
    list.back().update(weights_json(point, task, k));
  }
  return list;
}

std::vector<std::vector<std::string>> table_of(const Path& path, std::size_t chosen, Index outputs) {
  std::vector<std::vector<std::string>> rows{
      {"lambda", "objective", "gap", "non-zeros", "features", "rank", "time", "status", ""}};
  for (std::size_t k = 0; k < path.points.size(); ++k) {
    const PathPoint& point = path.points[k];
    rows.push_back({format_number(point.lambda), fmt::format("{:.9g}", point.certificate.primal),
                    fmt::format("{:.1e}", point.certificate.relative_gap), format_count(point.nonzeros),
                    format_count(point.features), point.rank ? format_count(*point.rank) : "",
                    format_seconds(point.seconds), name_of(point.status), k == chosen ? "<- chosen" : ""});
  }
  // Without the columns that say nothing: features as non-zeros with one output, the rank where the penalty has none.
  for (auto& row : rows) {
    if (!path.points.front().rank) row.erase(row.begin() + 5);
    if (outputs == 1) row.erase(row.begin() + 4);
  }
  return rows;
}

std::size_t index_of(const Path& path, const std::optional<double>& lambda) {
  const auto found = std::find_if(path.points.begin(), path.points.end(),
                                  [&](const PathPoint& point) { return lambda && point.lambda == *lambda; });
  return found == path.points.end() ? path.points.size() - 1 : static_cast<std::size_t>(found - path.points.begin());
}

Json path_json(const Path& path, std::size_t chosen, const Task& task, bool weights) {
  Json points = Json::array();
  for (const PathPoint& point : path.points) {
    points.push_back(point_json(point, task));
    if (weights) points.back()["weights"] = weights_json(point, task);
  }
  return {{"lambda_max", largest_lambda(task)},
          {"chosen", {{"index", chosen}, {"lambda", path.points[chosen].lambda}}},
          {"points", points}};
}

int run_path(OnePath options, const Common& common) {
  const PathProblem ready = read_problem(options, common);
  std::vector<double> lambdas = chosen_lambdas(options, ready.task);
  if (options.choose) lambdas.push_back(*options.choose);
  Progress progress(common, "path");
  const Path path = solve_path(ready.task, lambdas, options.problem.values.solve, [&](const PathPoint& point) {
    progress.show(fmt::format("lambda {:.3g}  objective {:.6g}  non-zeros {}", point.lambda, point.certificate.primal,
                              format_count(point.nonzeros)));
    return true;
  });
  progress.clear();
  if (path.points.empty()) throw_nothing_done(path.status);
  const std::size_t chosen = index_of(path, options.choose);
  return finish_path(ready, options,
                     {.status = path.status,
                      .seconds = path.seconds,
                      .cpu_seconds = path.cpu_seconds,
                      .advice = path.advice,
                      .path = path,
                      .chosen = chosen,
                      .json = common.json ? path_json(path, chosen, ready.task, options.weights) : Json(),
                      .parts = "path",
                      .fields = {},
                      .table = table_of(path, chosen, ready.task.outputs()),
                      .page = [&](const auto& about) { return report::path_page(path, about); },
                      .fitted = ""},
                     common);
}

struct Folds : PathOptions {
  Index folds = 5;
  std::string metric;  // empty: the usual one
  std::string choose = "best";
};

// All, unless the run was cut short.
std::ptrdiff_t folds_judged(const CrossValidation& result) {
  const std::vector<double>& scores = result.points.front().scores;
  return std::count_if(scores.begin(), scores.end(), [](double score) { return !std::isnan(score); });
}

Json choice_json(const CrossValidation& result, std::size_t k) {
  return {{"index", k},
          {"lambda", result.points[k].lambda},
          {"mean", result.points[k].mean},
          {"standard_error", result.points[k].standard_error},
          {"nonzeros", result.path.points[k].nonzeros},
          {"features", result.path.points[k].features}};
}

Json folds_json(const CrossValidation& result, std::size_t chosen, Index folds, const Task& task) {
  Json points = Json::array();
  for (std::size_t k = 0; k < result.points.size(); ++k) {
    const ScoredLambda& point = result.points[k];
    points.push_back({{"lambda", point.lambda},
                      {"mean", point.mean},
                      {"standard_error", point.standard_error},
                      {"scores", point.scores}});
    points.back().update(point_json(result.path.points[k], task));
  }
  return {{"metric", name_of(result.metric)},
          {"folds", folds},
          {"folds_judged", folds_judged(result)},
          {"best", choice_json(result, result.best)},
          {"one_standard_error", choice_json(result, result.one_standard_error)},
          {"chosen", choice_json(result, chosen)},
          {"points", points}};
}

std::vector<std::vector<std::string>> table_of(const CrossValidation& result) {
  std::vector<std::vector<std::string>> rows{{"lambda", name_of(result.metric), "+-", "non-zeros", ""}};
  for (std::size_t k = 0; k < result.points.size(); ++k) {
    std::string note = k == result.best ? "<- best" : "";
    if (k == result.one_standard_error) note += note.empty() ? "<- one standard error" : ", one standard error";
    rows.push_back({format_number(result.points[k].lambda), format_number(result.points[k].mean),
                    fmt::format("{:.2g}", result.points[k].standard_error),
                    format_count(result.path.points[k].nonzeros), note});
  }
  return rows;
}

CrossValidation cross_validate(const Folds& options, const Task& task, const Common& common) {
  CrossValidationOptions with;
  with.folds = options.folds;
  with.metric = options.metric.empty() ? usual_metric(task) : parse_name<ScoreKind>("metric", options.metric);
  check_metric(with.metric, task);
  with.lambdas = chosen_lambdas(options, task);
  with.solve = options.problem.values.solve;
  Progress progress(common, "cross-validation");
  with.watch = [&](Index done, Index of) {
    progress.show(fmt::format("{} of {} fits", format_count(done), format_count(of)));
    return true;
  };
  return s3gd::cross_validate(task, with);
}

int run_folds(Folds options, const Common& common) {
  const PathProblem ready = read_problem(options, common);
  const CrossValidation result = cross_validate(options, ready.task, common);
  if (result.points.empty()) throw_nothing_done(result.status);
  const std::size_t chosen = options.choose == "best" ? result.best : result.one_standard_error;
  const auto choice = [&](std::size_t k) {
    return fmt::format("lambda {:.6g}: {:.6g} +- {:.2g}, {} non-zeros", result.points[k].lambda, result.points[k].mean,
                       result.points[k].standard_error, format_count(result.path.points[k].nonzeros));
  };
  return finish_path(
      ready, options,
      {.status = result.status,
       .seconds = result.seconds,
       .cpu_seconds = result.cpu_seconds,
       .advice = result.advice,
       .path = result.path,
       .chosen = chosen,
       .json = common.json ? folds_json(result, chosen, options.folds, ready.task) : Json(),
       .parts = "folds and paths",
       .fields = {{"metric", fmt::format("{}, mean of {} folds", name_of(result.metric), folds_judged(result))},
                  {"best", choice(result.best)},
                  {"one std error", choice(result.one_standard_error)}},
       .table = table_of(result),
       .page = [&](const auto& about) { return report::cross_validation_page(result, about); },
       .fitted = ", fitted to all rows,"},
      common);
}

}  // namespace

std::function<int()> setup_path(Arguments& app, const Common& common) {
  auto options = std::make_shared<OnePath>();
  add_path_options(app, *options);
  app.in_group("Path");
  app.add("--choose", &options->choose, "the lambda of the model, added to the path (default: the smallest)",
          {.check = real_number(0)});
  app.add("--weights", &options->weights, "with --json: the weights at each lambda that are not zero");
  return [options, &common] { return run_path(*options, common); };
}

std::function<int()> setup_cv(Arguments& app, const Common& common) {
  auto options = std::make_shared<Folds>();
  add_path_options(app, *options);
  app.in_group("Folds");
  app.add("--folds", &options->folds, "how many the rows are dealt to, class by class", {.check = whole_number(2)});
  app.add("--metric", &options->metric,
          "on held-out rows (default log-loss; accuracy for hinges, rmse for regression, deviance for counts)",
          {.choices = all_names<ScoreKind>()});
  app.add("--choose", &options->choose, "the lambda of the model", {.choices = {"best", "1se"}});
  return [options, &common] { return run_folds(*options, common); };
}

}  // namespace s3gd::app
