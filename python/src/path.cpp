#include <nanobind/stl/string.h>

#include "arrays.hpp"
#include "calls.hpp"
#include "results.hpp"
#include "s3gd/error.hpp"
#include "s3gd/path.hpp"
#include "saved/score.hpp"
#include "task_data.hpp"
#include "work.hpp"

namespace s3gd::python {
namespace {

struct Grid {
  std::vector<double> lambdas;  // empty: by the options
  GridOptions options;

  std::vector<double> of(const Task& task) const { return lambdas.empty() ? lambda_grid(task, options) : lambdas; }
};

Grid grid_of(nb::handle lambdas, Index count, double ratio, double smallest) {
  Grid grid;
  if (!lambdas.is_none()) {
    grid.lambdas = numbers_of(lambdas, "lambdas");
    if (grid.lambdas.empty()) throw Error("lambdas is empty", "give at least one, or None for a grid");
  }
  grid.options = {count, ratio, smallest};
  return grid;
}

nb::dict point_row(const PathPoint& point) {
  nb::dict row;
  row["lambda"] = point.lambda;
  row["objective"] = point.certificate.primal;
  row["relative_gap"] = point.certificate.relative_gap;
  row["status"] = name_of(point.status);
  row["nonzeros"] = point.nonzeros;
  row["features"] = point.features;
  row["passes"] = point.passes;
  row["seconds"] = point.seconds;
  return row;
}

template <class F>
nb::object column(const std::vector<PathPoint>& points, F&& value) {
  std::vector<std::decay_t<decltype(value(points.front()))>> values;
  for (const PathPoint& point : points) values.push_back(value(point));
  return array_from(std::move(values));
}

void add_points(nb::dict& result, const std::vector<PathPoint>& points, const Task& task) {
  Coefficients all;
  nb::list statuses;
  for (const PathPoint& point : points) {
    append(all, point.w, task);
    statuses.append(name_of(point.status));
  }
  const auto outputs = static_cast<std::size_t>(task.outputs()), cols = static_cast<std::size_t>(task.data().cols());
  result["lambdas"] = column(points, [](const PathPoint& p) { return p.lambda; });
  result["coef"] = array_from(std::move(all.weights), {points.size(), outputs, cols});
  result["intercept"] = array_from(std::move(all.intercepts), {points.size(), outputs});
  result["objective"] = column(points, [](const PathPoint& p) { return p.certificate.primal; });
  result["relative_gap"] = column(points, [](const PathPoint& p) { return p.certificate.relative_gap; });
  result["nonzeros"] = column(points, [](const PathPoint& p) { return p.nonzeros; });
  result["features"] = column(points, [](const PathPoint& p) { return p.features; });
  result["passes"] = column(points, [](const PathPoint& p) { return p.passes; });
  result["point_seconds"] = column(points, [](const PathPoint& p) { return p.seconds; });
  result["point_status"] = statuses;
}

Task checked_task(const Dataset& data, const Settings& settings) {
  if (settings.check) data.x.check(settings.task.problem.threads);
  return task_of(data, settings);
}

// What paths and cross-validations have in common.
template <class R>
void add_facts(nb::dict& result, const R& run) {
  nb::list advice;
  for (const std::string& line : sentences(run.advice, marked)) advice.append(line);
  result["status"] = name_of(run.status);
  result["seconds"] = run.seconds;
  result["cpu_seconds"] = run.cpu_seconds;
  result["advice"] = advice;
}

// A number of folds, or pairs of arrays: the rows to fit, and those to judge by.
void read_folds(nb::handle folds, CrossValidationOptions& with) {
  if (nb::try_cast(folds, with.folds)) return;
  nb::list pairs;
  if (!nb::try_cast(folds, pairs)) throw Error("folds is neither a number nor a list of pairs of index arrays");
  for (const nb::handle pair : pairs) {
    nb::tuple parts;
    if (!nb::try_cast(pair, parts) || nb::len(parts) != 2)
      throw Error("a fold is a tuple of two: the rows to fit, and those to judge by");
    with.splits.push_back({indices_of(parts[0], "the rows to fit"), indices_of(parts[1], "the rows to judge by")});
  }
  if (with.splits.empty()) throw Error("folds is empty", "give at least one pair, or a number");
}

nb::object scores_of(const std::vector<ScoredLambda>& points, Index folds) {
  std::vector<double> scores;
  for (const ScoredLambda& point : points) scores.insert(scores.end(), point.scores.begin(), point.scores.end());
  return array_from(std::move(scores), {points.size(), static_cast<std::size_t>(folds)});
}

}  // namespace

nb::dict path(nb::object x, nb::object y, nb::object sample_weight, nb::dict spec, nb::dict options, nb::object lambdas,
              Index count, double ratio, double smallest, nb::object callback) {
  const Settings settings = settings_of(spec, options);
  const Dataset data = dataset_of(x, y, sample_weight, settings);
  const Grid grid = grid_of(lambdas, count, ratio, smallest);
  Work work(settings.on_interrupt);
  WatchPoint watch;
  if (!callback.is_none())
    watch = [&](const PathPoint& point) { return work.tell(callback, [&] { return point_row(point); }); };
  std::optional<Task> task;
  Path path;
  work.run([&] {
    task.emplace(checked_task(data, settings));
    path = solve_path(*task, grid.of(*task), settings.solve, watch);
  });
  nb::dict result;
  add_points(result, path.points, *task);
  add_facts(result, path);
  return result;
}

nb::dict cross_validate(nb::object x, nb::object y, nb::object sample_weight, nb::dict spec, nb::dict options,
                        nb::object lambdas, Index count, double ratio, double smallest, nb::object folds,
                        nb::object metric, nb::object callback) {
  const Settings settings = settings_of(spec, options);
  const Dataset data = dataset_of(x, y, sample_weight, settings);
  const Grid grid = grid_of(lambdas, count, ratio, smallest);
  Work work(settings.on_interrupt);
  CrossValidationOptions with;
  read_folds(folds, with);
  with.solve = settings.solve;
  if (!callback.is_none())
    with.watch = [&](Index done, Index of) {
      return work.tell(callback, [&] {
        nb::dict row;
        row["done"] = done;
        row["of"] = of;
        return row;
      });
    };
  std::optional<ScoreKind> wanted;
  if (!metric.is_none())
    wanted = parse_name<ScoreKind>("metric", DictReader::with_hyphens(nb::cast<std::string>(metric)));
  std::optional<Task> task;
  CrossValidation run;
  work.run([&] {
    task.emplace(checked_task(data, settings));
    with.metric = wanted.value_or(usual_metric(*task));
    with.lambdas = grid.of(*task);
    run = s3gd::cross_validate(*task, with);
  });
  run.path.points.resize(run.points.size());
  nb::dict result;
  add_points(result, run.path.points, *task);
  result["scores"] = scores_of(run.points, with.splits.empty() ? with.folds : static_cast<Index>(with.splits.size()));
  result["metric"] = name_of(with.metric);
  result["higher_is_better"] = higher_is_better(with.metric);
  result["best"] = run.best;
  result["one_standard_error"] = run.one_standard_error;
  add_facts(result, run);
  return result;
}

}  // namespace s3gd::python
