// s3gd path DATA and s3gd cv DATA: fits at many lambdas, and the choice among them by cross-validation.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "base/clock.hpp"
#include "base/file.hpp"
#include "base/index.hpp"
#include "base/interrupt.hpp"
#include "base/memory.hpp"
#include "base/mention.hpp"
#include "fit/fit_json.hpp"
#include "options.hpp"
#include "output.hpp"
#include "problem/names.hpp"
#include "report/fit_pages.hpp"
#include "s3gd/error.hpp"
#include "s3gd/path.hpp"
#include "saved/score.hpp"

namespace s3gd::app {
namespace {

struct PathOptions {
  std::string model_path, report_path;
  ProblemOptions problem;
  GridOptions grid;
  std::vector<double> lambdas;  // instead of the grid
};

void check_path_options(const PathOptions& options, const Common& common) {
  check_given(options.problem);
  check_files(common, files_read(options.problem),
              {{"--output", options.model_path}, {"--report", options.report_path}});
}

void add_path_options(Arguments& app, PathOptions& options) {
  app.add("DATA", &options.problem.data, "a file, - , a known NAME, or gen:KIND?..", {.required = true});
  app.add("-o,--output", &options.model_path, "where the model goes", {.takes = "MODEL"});
  app.add("--report", &options.report_path, "a page with curves", {.takes = "FILE.html"});
  app.in_group("Path");
  app.add("--lambda", &options.lambdas, "these lambdas, as 0.1,0.01,0.001",
          {.takes = "LIST", .check = real_number(0), .between = ',', .one_word = true});
  app.add("--lambdas", &options.grid.count, "a geometric grid of so many, from the largest that is of use",
          {.check = in_range({.least = 2, .most = 100000, .whole = true}), .excludes = {"--lambda"}});
  app.add("--ratio", &options.grid.ratio,
          "the smallest over the largest (default 1e-4; 1e-2 with fewer rows than columns; l2: a hundredth of that)",
          {.check = in_range({.least = 0, .open = true}), .excludes = {"--lambda"}});
  app.add("--lambda-min", &options.grid.smallest, "the smallest itself",
          {.check = in_range({.least = 0, .open = true}), .excludes = {"--lambda", "--ratio"}});
  add_problem_options(app, options.problem, {.many_lambdas = true, .many_classes = true});
  add_table_options(app, options.problem.values, {"solver", "tol", "passes", "seconds"});
  app.get_option("--tol").help = "relative duality gap at each lambda";
  app.get_option("--passes").help = "at most so many passes at each lambda";
  app.get_option("--seconds").help = "at most so long in all; what is done by then is kept";
  add_table_options(app, options.problem.values, {"sample-weight"});
  add_table_options(app, options.problem.values, names_in(kReadingOptions));
}

// The rows, read and scaled, and the problem over them.
struct PathProblem {
  Task task;
  Scaling scaling;
  double started = 0, load_seconds = 0;
};
// Checks the options first.
PathProblem read_problem(PathOptions& options, const Common& common) {
  const double started = wall_now();
  check_path_options(options, common);
  SolveOptions& solve = options.problem.values.solve;
  solve.seed = common.seed;
  FitRows ready = prepare(load_weighted(options.problem, common), fit_options(options.problem), common.threads);
  const TaskSpec spec = task_spec(options.problem, ready.train, common);
  return {Task(ready.train, spec, solve.solver), std::move(ready.scaling), started, wall_now() - started};
}

// The list given, or the grid.
std::vector<double> chosen_lambdas(const PathOptions& options, const Task& task) {
  if (const std::string& file = options.problem.penalty_factor_file; !file.empty()) {
    const std::vector<double> factors = read_numbers(file);
    if (std::all_of(factors.begin(), factors.end(), [](double factor) { return factor == 0; }))
      throw Error(file + ": all factors are zero, so that no lambda does anything", "give a feature another factor");
  }
  return options.lambdas.empty() ? lambda_grid(task, options.grid) : options.lambdas;
}

// It ended before its first point.
[[noreturn]] void throw_nothing_done(Status status) {
  if (status == Status::interrupted) throw Interrupted();
  throw Error("the time was up before the first lambda was done", "allow " + more("seconds"));
}

Json point_json(const PathPoint& point, const Task& task) {
  Json json{{"lambda", point.lambda},
            {"objective", point.certificate.primal},
            {"relative_gap", point.certificate.relative_gap},
            {"status", name_of(point.status)},
            {"nonzeros", point.nonzeros},
            {"features", point.features},
            {"passes", point.passes},
            {"seconds", point.seconds}};
  if (point.rank) json["rank"] = *point.rank;
  if (!task.has_intercept()) return json;
  if (task.outputs() == 1)
    json["intercept"] = point.w.back();
  else
    for (Index k = 1; k <= task.outputs(); ++k) json["intercepts"].push_back(point.w[at(k * task.dim() - 1)]);
  return json;
}

// What was found, as both commands tell it.
struct PathEnd {
  const PathRun& run;
  const Path& path;  // over all rows
  std::size_t chosen;
  Json json;          // beside what both have
  const char* parts;  // that took the time
  Fields fields;      // before the time
  Table table;
  std::function<std::string(const report::PathPage& about)> page;
  const char* fitted;  // how the model was, in brackets of commas
};
Json to_json(const PathProblem& ready, const PathEnd& end, const std::string& formula, double total_seconds,
             const Common& common) {
  const Dataset& data = ready.task.data();
  Json json{{"status", name_of(end.run.status)}, {"formula", formula}};
  json.update(end.json);
  json.update({{"seconds", {{"load", ready.load_seconds}, {"solve", end.run.seconds}, {"total", total_seconds}}},
               {"cpu_seconds", end.run.cpu_seconds},
               {"rows", data.rows()},
               {"cols", data.cols()},
               {"nonzeros", data.x.stored()},
               {"classes", ready.task.classes()},
               {"peak_memory_bytes", peak_memory_bytes()},
               {"seed", common.seed},
               {"advice", sentences(end.run.advice, program_words)}});
  if (ready.task.kind() != Outputs::one) json["multiclass"] = name_of(ready.task.kind());
  return json;
}

std::string to_text(const PathProblem& ready, const PathEnd& end, const std::string& formula, double total_seconds) {
  auto fields = end.fields;
  fields.insert(fields.begin(), {{"minimised", formula}, {"status", name_of(end.run.status)}});
  fields.emplace_back(
      "time", fmt::format("{} (load {}, {} {})", format_seconds(total_seconds), format_seconds(ready.load_seconds),
                          end.parts, format_seconds(end.run.seconds)));
  return format_fields(fields) + "\n" + format_table(end.table);
}

// Writes model and page, prints what was found; returns the exit code.
int finish_path(const PathProblem& ready, const PathOptions& options, const PathEnd& end, const Common& common) {
  const PathPoint& chosen = end.path.points[end.chosen];
  const Task task = ready.task.with_lambda(chosen.lambda);
  if (!options.model_path.empty())
    save_model(task.model(chosen.w, ready.scaling, chosen.certificate), options.model_path);
  if (!options.report_path.empty()) {
    const report::PathPage about{task.data().source, task.formula(),  task.data().cols(), task.data().feature_names,
                                 end.chosen,         end.run.seconds, task.outputs()};
    const std::string page = end.page(about);
    write_atomically(options.report_path, [&](std::ostream& out) { out << page; });
  }
  const double total = wall_now() - ready.started;
  if (common.json)
    print_json(to_json(ready, end, task.formula(), total, common));
  else
    print(to_text(ready, end, task.formula(), total));
  print_advice(end.run.advice, common);
  if (end.run.status == Status::interrupted && *end.fitted != '\0')
    remark(common, "interrupted: chosen from what was done by then");
  if (!options.model_path.empty())
    remark(common,
           fmt::format("model of lambda {:.6g}{} written to {}", chosen.lambda, end.fitted, options.model_path));
  if (!options.report_path.empty()) remark(common, "page written to " + options.report_path);
  return exit_code(end.run.status);
}

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

Table table_of(const Path& path, std::size_t chosen, Index outputs) {
  Table rows{{"lambda", "objective", "gap", "non-zeros", "features", "rank", "time", "status", ""}};
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
                     {.run = path,
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

Table table_of(const CrossValidation& result) {
  Table rows{{"lambda", name_of(result.metric), "+-", "non-zeros", ""}};
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
      {.run = result,
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
