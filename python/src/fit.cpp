#include "base/clock.hpp"
#include "data/checks.hpp"
#include "fit/fit_json.hpp"
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
  result["coef"] =
      array_from(std::move(all.weights), {static_cast<std::size_t>(outputs), static_cast<std::size_t>(cols)});
  result["intercept"] = array_from(std::move(all.intercepts));
  result["summary"] = to_python(summary);
  result["trace"] = to_python(fitted->trace);
  if (scale) result["scale"] = *scale;
  return result;
}

}  // namespace

void bind_fit(nb::module_& m) {
  m.def("fit", &fit, "X"_a, "y"_a, nb::kw_only(), "sample_weight"_a = nb::none(), "spec"_a, "options"_a = nb::dict(),
        "start"_a = nb::none(), "X_val"_a = nb::none(), "y_val"_a = nb::none(), "callback"_a = nb::none(), kSee);
}

}  // namespace s3gd::python
