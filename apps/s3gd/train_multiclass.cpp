#include "train_multiclass.hpp"

#include <fmt/format.h>

#include "base/clock.hpp"
#include "model/targets.hpp"
#include "output.hpp"
#include "s3gd/model.hpp"
#include "s3gd/multiclass.hpp"
#include "trace/trace_file.hpp"
#include "train_calibrate.hpp"
#include "train_report.hpp"

namespace s3gd::app {
namespace {

std::string formula_of(const MulticlassRun& run, const std::string& first_class) {
  ProblemSpec spec = run.spec;
  spec.positive = first_class;
  return Problem(run.train, spec).formula() + " for each class, with y_i = 1 for its rows and -1 for all others";
}

}  // namespace

std::string multiclass_kind(const std::string& asked, const ProblemSpec& spec, const Dataset& data) {
  if (!spec.positive.empty()) return {};
  const bool regression = spec.loss.kind == LossKind::squared && data.y.class_names.empty();
  if (asked.empty() && (regression || data.y.kind != LabelKind::classes)) return {};
  if (classes_of(data, spec.loss.kind).size() == 2) return {};
  return asked.empty() ? "ovr" : asked;
}

int train_one_vs_rest(const MulticlassRun& run, const Common& common) {
  Progress progress(common, "training");
  OneVsRestInput input;
  input.graph = run.graph;
  input.test = run.test;
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

  if (!run.model_path.empty()) {
    const Link link = run.spec.loss.kind == LossKind::logistic ? Link::logistic : Link::identity;
    Model model = make_model(run.train, run.spec, fit.classes, fit.w, link, run.scaling, fit.summary.certificate);
    calibrate_on(run.held_out, model, common);
    save_model(model, run.model_path);
  }
  if (!run.trace_path.empty()) write_trace(fit.trace, run.trace_path);
  return print_report(
      {run.train, formula_of(run, fit.classes.front()), fit.summary, static_cast<Index>(fit.classes.size()),
       run.load_seconds, total_seconds, run.model_path, "ovr", fit.classes, fit.class_summaries},
      common);
}

}  // namespace s3gd::app
