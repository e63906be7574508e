// One fit, and paths of fits over lambda.
#include "base/clock.hpp"
#include "base/threads.hpp"
#include "data/checks.hpp"
#include "fit/fit_json.hpp"
#include "s3gd/path.hpp"
#include "solve/huber_scale.hpp"
#include "task.hpp"

namespace s3gd::python {
namespace {

// Looks at the rows; where one output is fitted to dense ones, the solver does so on its way.
void check(FitRows& rows, const Settings& settings) {
  const int threads = settings.task.problem.threads;
  if (settings.task.outputs == Outputs::one && rows.train.x.is_dense() && !settings.scale)
    rows.train.verifier = std::make_shared<MarginWatch>(rows.train.x);
  else
    rows.train.x.check(threads);
  if (rows.validation) rows.validation->x.check(threads);
}

nb::object class_row(const std::string& name, const Summary& summary) {
  return to_python(Json{{"class", std::stoi(name)},
                        {"status", name_of(summary.status)},
                        {"train_objective", summary.objective},
                        {"gap", summary.certificate.relative_gap},
                        {"passes", summary.passes},
                        {"iteration", summary.iterations}});
}

nb::dict fit(nb::object x, nb::object y, nb::object sample_weight, nb::dict spec, nb::dict options, nb::object start,
             nb::object x_val, nb::object y_val, nb::object callback) {
  const double started = wall_now();
  const Settings settings = settings_of(spec, options);
  FitRows rows{dataset_of(x, y, sample_weight, settings), validation_of(x_val, y_val, settings), {}, {}};
  const Index outputs = settings.task.outputs == Outputs::one ? 1 : settings.classes, cols = rows.train.cols();
  FitOptions with;
  with.solve = settings.solve;
  if (!start.is_none())
    with.solve.start =
        parameters_of(coefficients_of(start, outputs, cols), settings.task.problem.intercept != Intercept::none);

  Work work(settings.on_interrupt);
  if (!callback.is_none()) {
    if (with.solve.trace_every == 0) with.solve.trace_every = -1;
    with.watch = [&](const TraceRow& row) { return work.tell(callback, [&] { return to_python(row); }); };
    with.watch_class = [&](const std::string& name, const Summary& summary) {
      return work.tell(callback, [&] { return class_row(name, summary); });
    };
  }
  std::optional<Fit> fitted;
  std::optional<double> scale;  // of the errors
  Json summary;
  work.run([&] {
    if (settings.check) check(rows, settings);
    const Task task = task_of(rows.train, settings);
    if (settings.scale) {
      SolveInput input;
      input.watch = with.watch;
      ScaledSolution found = solve_with_scale(std::get<Problem>(task.stated()), with.solve, input);
      fitted.emplace(Fit{std::move(found.solution), task, {}, {}, {}});
      scale = found.scale;
    } else {
      fitted.emplace(s3gd::fit(rows, task, with));
    }
    summary = to_json(*fitted, {0, wall_now() - started, settings.solve.seed, marked});
  });

  Coefficients all;
  append(all, fitted->w, fitted->task);
  nb::dict result;
  result["coef"] = array_from(std::move(all.weights), {outputs, cols});
  result["intercept"] = array_from(std::move(all.intercepts));
  result["summary"] = to_python(summary);
  result["trace"] = to_python(fitted->trace);
  if (scale) result["scale"] = *scale;
  return result;
}

// A path, and the rows it is over; none: all.
struct Part {
  std::vector<double> lambdas;
  std::optional<std::vector<Index>> rows;
};

std::vector<Part> parts_of(const nb::list& lambdas, nb::handle folds) {
  nb::list rows;
  if (!folds.is_none() && !nb::try_cast(folds, rows)) throw Error("folds is no list of index arrays");
  const std::size_t count = nb::len(lambdas), wanted = folds.is_none() ? 1 : nb::len(rows);
  if (count == 0 || count != wanted)
    throw Error(std::to_string(wanted) + " folds and " + std::to_string(count) + " lists of lambdas");
  std::vector<Part> parts(count);
  for (std::size_t k = 0; k < count; ++k) {
    parts[k].lambdas = numbers_of(lambdas[k], "lambdas");
    if (parts[k].lambdas.empty()) throw Error("lambdas is empty", "give at least one");
    if (parts[k].lambdas.size() != parts[0].lambdas.size())
      throw Error("the folds have " + std::to_string(parts[0].lambdas.size()) + " and " +
                  std::to_string(parts[k].lambdas.size()) + " lambdas");
    if (folds.is_none()) continue;
    const Array<Index> fold = vector_of<Index>(rows[k], "a fold");
    parts[k].rows.emplace(fold.begin(), fold.end());
  }
  return parts;
}

struct Fits {
  Coefficients coefficients;
  std::vector<double> objectives, gaps, passes;
};

// The rows of a part are kept no longer than its path takes. A lambda that is there twice is fitted once.
Fits fit_part(const Dataset& data, const Part& part, const Settings& settings) {
  const Task task = task_of(part.rows ? take_rows(data, *part.rows) : data, settings);
  const std::vector<PathPoint> points = solve_path(task, part.lambdas, settings.solve).points;
  if (points.empty() || points.back().lambda != *std::min_element(part.lambdas.begin(), part.lambdas.end()))
    throw Error("a path was cut short after " + std::to_string(points.size()) + " of " +
                    std::to_string(part.lambdas.size()) + " fits",
                "allow more time");
  Fits fits;
  for (const PathPoint& point : points)
    for (auto times = std::count(part.lambdas.begin(), part.lambdas.end(), point.lambda); times > 0; --times) {
      append(fits.coefficients, point.w, task);
      fits.objectives.push_back(point.certificate.primal);
      fits.gaps.push_back(point.certificate.relative_gap);
      fits.passes.push_back(point.passes);
    }
  return fits;
}

void append(std::vector<double>& all, const std::vector<double>& more) {
  all.insert(all.end(), more.begin(), more.end());
}

nb::dict paths(nb::object x, nb::object y, nb::object sample_weight, nb::dict spec, nb::dict options, nb::list lambdas,
               nb::object folds) {
  const Settings settings = settings_of(spec, options);
  const Dataset data = dataset_of(x, y, sample_weight, settings);
  const std::vector<Part> parts = parts_of(lambdas, folds);
  const int threads = settings.task.problem.threads;
  std::vector<Fits> fits(parts.size());
  Work().run([&] {
    if (settings.check) data.x.check(threads);
    parallel_for(std::ssize(parts), threads, [&](Index k) {
      const auto at = static_cast<std::size_t>(k);
      fits[at] = fit_part(data, parts[at], settings);
    });
  });

  Fits all;
  for (const Fits& one : fits) {
    append(all.coefficients.weights, one.coefficients.weights);
    append(all.coefficients.intercepts, one.coefficients.intercepts);
    append(all.objectives, one.objectives);
    append(all.gaps, one.gaps);
    append(all.passes, one.passes);
  }
  const Index count = std::ssize(parts), each = std::ssize(parts[0].lambdas);
  const Index outputs = std::ssize(all.coefficients.intercepts) / (count * each);
  nb::dict result;
  result["coef"] = array_from(std::move(all.coefficients.weights), {count, each, outputs, data.cols()});
  result["intercept"] = array_from(std::move(all.coefficients.intercepts), {count, each, outputs});
  result["objective"] = array_from(std::move(all.objectives), {count, each});
  result["relative_gap"] = array_from(std::move(all.gaps), {count, each});
  result["passes"] = array_from(std::move(all.passes), {count, each});
  return result;
}

}  // namespace

void bind_fit(nb::module_& m) {
  m.def("fit", &fit, "X"_a, "y"_a, nb::kw_only(), "sample_weight"_a = nb::none(), "spec"_a, "options"_a = nb::dict(),
        "start"_a = nb::none(), "X_val"_a = nb::none(), "y_val"_a = nb::none(), "callback"_a = nb::none(), kSee);
  m.def("paths", &paths, "X"_a, "y"_a, nb::kw_only(), "sample_weight"_a = nb::none(), "spec"_a,
        "options"_a = nb::dict(), "lambdas"_a, "folds"_a = nb::none(), kSee);
}

}  // namespace s3gd::python
