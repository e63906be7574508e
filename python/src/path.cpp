// Paths over lambda, cross-validation, and paths over parts of the rows side by side: what a cross-validation fits, left to
// others to judge.
#include "s3gd/path.hpp"

#include "base/threads.hpp"
#include "saved/score.hpp"
#include "task.hpp"

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

nb::object point_row(const PathPoint& point) {
  return to_python(Json{{"lambda", point.lambda},
                        {"objective", point.certificate.primal},
                        {"relative_gap", point.certificate.relative_gap},
                        {"status", name_of(point.status)},
                        {"nonzeros", point.nonzeros},
                        {"features", point.features},
                        {"passes", point.passes},
                        {"seconds", point.seconds}});
}

template <class T>
nb::object column(const std::vector<PathPoint>& points, T PathPoint::*member) {
  std::vector<T> values;
  for (const PathPoint& point : points) values.push_back(point.*member);
  return array_from(std::move(values));
}

void add_points(nb::dict& result, const std::vector<PathPoint>& points, const Task& task) {
  Coefficients all;
  std::vector<double> objectives, gaps;
  nb::list statuses;
  for (const PathPoint& point : points) {
    append(all, point.w, task);
    objectives.push_back(point.certificate.primal);
    gaps.push_back(point.certificate.relative_gap);
    statuses.append(name_of(point.status));
  }
  const auto outputs = static_cast<std::size_t>(task.outputs()), cols = static_cast<std::size_t>(task.data().cols());
  result["lambdas"] = column(points, &PathPoint::lambda);
  result["coef"] = array_from(std::move(all.weights), {points.size(), outputs, cols});
  result["intercept"] = array_from(std::move(all.intercepts), {points.size(), outputs});
  result["objective"] = array_from(std::move(objectives));
  result["relative_gap"] = array_from(std::move(gaps));
  result["nonzeros"] = column(points, &PathPoint::nonzeros);
  result["features"] = column(points, &PathPoint::features);
  result["passes"] = column(points, &PathPoint::passes);
  result["point_seconds"] = column(points, &PathPoint::seconds);
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

struct Part {
  std::vector<Index> rows;
  std::vector<double> lambdas;
};

std::vector<Part> parts_of(const nb::list& folds, const nb::list& lambdas) {
  if (nb::len(folds) == 0 || nb::len(folds) != nb::len(lambdas))
    throw Error(std::to_string(nb::len(folds)) + " folds and " + std::to_string(nb::len(lambdas)) +
                " lists of lambdas");
  std::vector<Part> parts;
  for (std::size_t k = 0; k < nb::len(folds); ++k)
    parts.push_back({indices_of(folds[k], "a fold"), numbers_of(lambdas[k], "lambdas")});
  for (const Part& part : parts)
    if (part.lambdas.empty() || part.lambdas.size() != parts.front().lambdas.size())
      throw Error("the folds have " + std::to_string(parts.front().lambdas.size()) + " and " +
                  std::to_string(part.lambdas.size()) + " lambdas");
  return parts;
}

struct Fits {
  Coefficients coefficients;
  std::vector<double> gaps, passes;
};

// The rows of a part are kept no longer than its path takes.
Fits fit_part(const Dataset& data, const Part& part, const Settings& settings) {
  const Task task = task_of(take_rows(data, part.rows), settings);
  Fits fits;
  for (const PathPoint& point : solve_path(task, part.lambdas, settings.solve).points) {
    append(fits.coefficients, point.w, task);
    fits.gaps.push_back(point.certificate.relative_gap);
    fits.passes.push_back(point.passes);
  }
  return fits;
}

void append(std::vector<double>& all, const std::vector<double>& more) {
  all.insert(all.end(), more.begin(), more.end());
}

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
      return work.tell(callback, [&] { return to_python(Json{{"done", done}, {"of", of}}); });
    };
  std::optional<ScoreKind> wanted;
  if (!metric.is_none()) wanted = parse_name<ScoreKind>("metric", with_hyphens(nb::cast<std::string>(metric)));
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

nb::dict fold_paths(nb::object x, nb::object y, nb::object sample_weight, nb::dict spec, nb::dict options,
                    nb::list folds, nb::list lambdas) {
  const Settings settings = settings_of(spec, options);
  const Dataset data = dataset_of(x, y, sample_weight, settings);
  const std::vector<Part> parts = parts_of(folds, lambdas);
  const int threads = settings.task.problem.threads;
  std::vector<Fits> fits(parts.size());
  Work work(settings.on_interrupt);
  work.run([&] {
    if (settings.check) data.x.check(threads);
    parallel_for(static_cast<Index>(parts.size()), threads, [&](Index k) {
      const auto at = static_cast<std::size_t>(k);
      fits[at] = fit_part(data, parts[at], settings);
    });
  });

  const std::size_t points = parts.front().lambdas.size(), cols = static_cast<std::size_t>(data.cols());
  Fits all;
  for (const Fits& one : fits) {
    if (one.gaps.size() != points)
      throw Error("the cross-validation was cut short after " + std::to_string(one.gaps.size()) + " of " +
                      std::to_string(points) + " fits of a fold",
                  "allow more time");
    append(all.coefficients.weights, one.coefficients.weights);
    append(all.coefficients.intercepts, one.coefficients.intercepts);
    append(all.gaps, one.gaps);
    append(all.passes, one.passes);
  }
  const std::size_t outputs = all.coefficients.intercepts.size() / (parts.size() * points);
  nb::dict result;
  result["coef"] = array_from(std::move(all.coefficients.weights), {parts.size(), points, outputs, cols});
  result["intercept"] = array_from(std::move(all.coefficients.intercepts), {parts.size(), points, outputs});
  result["relative_gap"] = array_from(std::move(all.gaps), {parts.size(), points});
  result["passes"] = array_from(std::move(all.passes), {parts.size(), points});
  return result;
}

}  // namespace

void bind_path(nb::module_& m) {
  m.def("path", &path, "X"_a, "y"_a, nb::kw_only(), "sample_weight"_a = nb::none(), "spec"_a, "options"_a = nb::dict(),
        "lambdas"_a = nb::none(), "count"_a = 50, "ratio"_a = 0.0, "smallest"_a = 0.0, "callback"_a = nb::none(), kSee);
  m.def("cross_validate", &cross_validate, "X"_a, "y"_a, nb::kw_only(), "sample_weight"_a = nb::none(), "spec"_a,
        "options"_a = nb::dict(), "lambdas"_a = nb::none(), "count"_a = 50, "ratio"_a = 0.0, "smallest"_a = 0.0,
        "folds"_a = 5, "metric"_a = nb::none(), "callback"_a = nb::none(), kSee);
  m.def("fold_paths", &fold_paths, "X"_a, "y"_a, nb::kw_only(), "sample_weight"_a = nb::none(), "spec"_a,
        "options"_a = nb::dict(), "folds"_a, "lambdas"_a, kSee);
}

}  // namespace s3gd::python
