#include "train_multiclass.hpp"

#include <fmt/format.h>

#include <optional>

#include "base/clock.hpp"
#include "fit/warm_start.hpp"
#include "model/targets.hpp"
#include "multiclass_options.hpp"
#include "output.hpp"
#include "s3gd/multiclass.hpp"
#include "s3gd/softmax.hpp"
#include "softmax/matrix_penalty.hpp"
#include "trace/trace_file.hpp"
#include "train_calibrate.hpp"
#include "train_report.hpp"
#include "train_validate.hpp"

namespace s3gd::app {
namespace {

std::vector<std::string> class_names(const Dataset& data, LossKind loss) {
  std::vector<std::string> names;
  for (const double value : classes_of(data, loss)) names.push_back(data.y.name_of(value));
  return names;
}

std::optional<ValidationFacts> one_vs_rest_validation(const MulticlassRun& run, const OneVsRest& fit,
                                                      const std::optional<JudgedRows>& test) {
  if (!test) return std::nullopt;
  ValidationFacts facts{test->rows.rows(), test->left_out, 0};
  for (std::size_t k = 0; k < fit.classes.size(); ++k) {
    ProblemSpec spec = run.spec;
    spec.positive = fit.classes[k];
    facts.loss += validation_loss(on_rows(Problem(run.train, spec), test->rows), fit.w[k]);
  }
  return facts;
}

}  // namespace

int train_one_vs_rest(const MulticlassRun& run, const Common& common) {
  Progress progress(common, "training");
  OneVsRestInput input;
  input.graph = run.graph;
  std::optional<JudgedRows> test;
  if (run.test != nullptr) test = keep_known(*run.test, class_names(run.train, run.spec.loss.kind), common);
  input.test = test ? &test->rows : nullptr;
  if (const std::optional<Model> model = warm_start_model(run.state))
    input.starts =
        starts_from(*model, class_names(run.train, run.spec.loss.kind), run.train, run.spec.intercept, run.scaling);
  Index done = 0;
  input.watch = [&](const std::string& name, const Summary& summary) {
    progress.show(fmt::format("{} classes done, the last {}: objective {:.6g}  gap {:.1e}  {}", ++done, name,
                              summary.objective, summary.certificate.relative_gap,
                              format_seconds(wall_now() - run.started)));
    return true;
  };
  const OneVsRest fit = solve_one_vs_rest(run.train, run.spec, run.solve, input);
  progress.clear();
  const double total_seconds = wall_now() - run.started;

  Model model = one_vs_rest_model(run.train, run.spec, fit.classes, fit.w, run.scaling, fit.summary.certificate);
  const std::optional<CalibrationFacts> calibration = calibrate_on(run.held_out, model, common);
  if (!run.model_path.empty()) save_model(model, run.model_path);
  if (!run.trace_path.empty()) write_trace(fit.trace, run.trace_path);
  close_checkpoint(run.state, fit.summary.status, common);
  ProblemSpec first = run.spec;
  first.positive = fit.classes.front();
  return print_report({.data = run.train,
                       .formula = Problem(run.train, first).formula() + kForEachClass,
                       .summary = fit.summary,
                       .classes = static_cast<Index>(fit.classes.size()),
                       .load_seconds = run.load_seconds,
                       .total_seconds = total_seconds,
                       .model_path = run.model_path,
                       .multiclass = "ovr",
                       .class_names = fit.classes,
                       .class_summaries = fit.class_summaries,
                       .validation = one_vs_rest_validation(run, fit, test),
                       .calibration = calibration,
                       .page_path = run.page_path,
                       .trace = fit.trace},
                      common);
}

int train_softmax(const MulticlassRun& run, const Common& common) {
  if (run.held_out)
    throw UsageError("softmax has probabilities of its own: leave out --calibrate, or use --multiclass ovr");
  const SoftmaxProblem problem(run.train, softmax_spec(run.spec, run.penalty));
  std::optional<SoftmaxProblem> test;
  std::optional<ValidationFacts> validation;
  if (run.test != nullptr) {
    JudgedRows judged = keep_known(*run.test, problem.class_names(), common);
    validation = {judged.rows.rows(), judged.left_out, 0};
    test = on_rows(problem, std::move(judged.rows));
  }
  SolveOptions solve = run.solve;
  if (const std::optional<Model> model = warm_start_model(run.state))
    solve.start = start_from(*model, problem, run.scaling);
  Progress progress(common, "training");
  SoftmaxInput input;
  input.graph = run.graph;
  input.test = test ? &*test : nullptr;
  if (progress.visible())
    input.watch = [&](const TraceRow& row) {
      progress.show(fmt::format("pass {:.2f}  objective {:.6g}  gap {:.1e}  {}", row.passes, row.train_objective,
                                row.gap, format_seconds(row.wall_seconds)));
      return true;
    };
  const SoftmaxSolution fit = solve_softmax(problem, solve, input);
  progress.clear();
  const double total_seconds = wall_now() - run.started;

  if (validation)
    validation->loss = objective(*test, fit.w) - MatrixPenalty(problem.spec().penalty, problem.data().cols(),
                                                               problem.classes(), problem.spec().intercept)
                                                     .value(fit.w);
  if (!run.model_path.empty())
    save_model(softmax_model(problem, fit.w, run.scaling, fit.summary.certificate), run.model_path);
  if (!run.trace_path.empty()) write_trace(fit.trace, run.trace_path);
  close_checkpoint(run.state, fit.summary.status, common);
  return print_report({.data = run.train,
                       .formula = problem.formula(),
                       .summary = fit.summary,
                       .classes = problem.classes(),
                       .load_seconds = run.load_seconds,
                       .total_seconds = total_seconds,
                       .model_path = run.model_path,
                       .multiclass = "softmax",
                       .rank = fit.rank,
                       .validation = validation,
                       .page_path = run.page_path,
                       .trace = fit.trace},
                      common);
}

}  // namespace s3gd::app
