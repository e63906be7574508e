// s3gd path DATA
#include <fmt/core.h>

#include <algorithm>
#include <memory>

#include "base/clock.hpp"
#include "base/json.hpp"
#include "path_options.hpp"

namespace s3gd::app {
namespace {

struct Options : PathOptions {
  std::optional<double> choose;
  bool weights = false;
};

// By column, the ones of an output that are not zero.
Json weights_json(const PathPoint& point, const Task& task, Index output) {
  Json columns = Json::array(), values = Json::array();
  for (Index j = 0; j < task.data().cols(); ++j) {
    const double w = point.w[static_cast<std::size_t>(output * task.dim() + j)];
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
    list.push_back({{"class", classes[static_cast<std::size_t>(k)]}});
    list.back().update(weights_json(point, task, k));
  }
  return list;
}

// Without the columns that say nothing: features as non-zeros with one output, the rank where the penalty has none.
std::vector<std::vector<std::string>> without_idle(std::vector<std::vector<std::string>> rows, Index outputs,
                                                   const Path& path) {
  for (auto& row : rows) {
    if (!path.points.front().rank) row.erase(row.begin() + 5);
    if (outputs == 1) row.erase(row.begin() + 4);
  }
  return rows;
}

std::string table_of(const Path& path, std::size_t chosen, Index outputs) {
  std::vector<std::vector<std::string>> rows{
      {"lambda", "objective", "gap", "non-zeros", "features", "rank", "time", "status", ""}};
  for (std::size_t k = 0; k < path.points.size(); ++k) {
    const PathPoint& point = path.points[k];
    rows.push_back({format_number(point.lambda), fmt::format("{:.9g}", point.certificate.primal),
                    fmt::format("{:.1e}", point.certificate.relative_gap), format_count(point.nonzeros),
                    format_count(point.features), point.rank ? format_count(*point.rank) : "",
                    format_seconds(point.seconds), name_of(point.status), k == chosen ? "<- chosen" : ""});
  }
  return format_table(without_idle(std::move(rows), outputs, path));
}

std::size_t index_of(const Path& path, const std::optional<double>& lambda) {
  const auto found = std::find_if(path.points.begin(), path.points.end(),
                                  [&](const PathPoint& point) { return lambda && point.lambda == *lambda; });
  return found == path.points.end() ? path.points.size() - 1 : static_cast<std::size_t>(found - path.points.begin());
}

Json to_json(const PathProblem& ready, const Path& path, std::size_t chosen, const Options& options,
             double total_seconds, const Common& common) {
  const Task& task = ready.task;
  Json points = Json::array();
  for (const PathPoint& point : path.points) {
    points.push_back(point_json(point, task));
    if (options.weights) points.back()["weights"] = weights_json(point, task);
  }
  Json json{{"status", name_of(path.status)},
            {"formula", task.with_lambda(path.points[chosen].lambda).formula()},
            {"lambda_max", largest_lambda(task)},
            {"chosen", {{"index", chosen}, {"lambda", path.points[chosen].lambda}}},
            {"points", points}};
  json.update(
      common_json(ready, {ready.load_seconds, path.seconds, total_seconds, path.cpu_seconds}, path.advice, common));
  return json;
}

int run(Options options, const Common& common) {
  const double started = wall_now();
  check_path_options(options, common);
  const PathProblem ready = read_problem(options, common);
  std::vector<double> lambdas = chosen_lambdas(options, ready.task);
  if (options.choose) lambdas.push_back(*options.choose);
  Progress progress(common, "path");
  const Path path = solve_path(ready.task, lambdas, options.solve, [&](const PathPoint& point) {
    progress.show(fmt::format("lambda {:.3g}  objective {:.6g}  non-zeros {}", point.lambda, point.certificate.primal,
                              format_count(point.nonzeros)));
    return true;
  });
  progress.clear();
  if (path.points.empty()) throw_nothing_done(path.status);
  const std::size_t chosen = index_of(path, options.choose);
  if (!options.model_path.empty()) save_point(ready, path.points[chosen], options.model_path);
  if (!options.report_path.empty())
    write_page(options.report_path, report::path_page(path, about_page(ready.task, path, chosen, path.seconds)));
  if (common.json) {
    print_json(to_json(ready, path, chosen, options, wall_now() - started, common));
  } else {
    print(format_fields({{"minimised", ready.task.with_lambda(path.points[chosen].lambda).formula()},
                         {"status", name_of(path.status)},
                         {"time", fmt::format("{} (load {}, path {})", format_seconds(wall_now() - started),
                                              format_seconds(ready.load_seconds), format_seconds(path.seconds))}}) +
          "\n" + table_of(path, chosen, ready.task.outputs()));
  }
  print_advice(path.advice, common);
  if (!options.model_path.empty())
    remark(common, fmt::format("model of lambda {:.6g} written to {}", path.points[chosen].lambda, options.model_path));
  if (!options.report_path.empty()) remark(common, "page written to " + options.report_path);
  return exit_code(path.status);
}

}  // namespace

std::function<int()> setup_path(Arguments& app, const Common& common) {
  auto options = std::make_shared<Options>();
  add_path_options(app, *options);
  app.add_option("--choose", options->choose, "the lambda of the model, added to the path (default: the smallest)")
      ->check(real_number(0))
      ->group("Path");
  app.add_flag("--weights", options->weights, "with --json: the weights at each lambda that are not zero")
      ->group("Path");
  return [options, &common] { return run(*options, common); };
}

}  // namespace s3gd::app
