#include "train_multiclass.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/clock.hpp"
#include "model/targets.hpp"
#include "output.hpp"
#include "s3gd/model.hpp"
#include "s3gd/multiclass.hpp"
#include "s3gd/softmax.hpp"
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

// The validation rows as softmax wants them: with the classes of the training rows, all of them.
std::optional<SoftmaxProblem> softmax_test(const MulticlassRun& run, const SoftmaxProblem& problem,
                                           const Common& common) {
  if (run.test == nullptr) return std::nullopt;
  const std::vector<double> known = run.test->y.distinct();
  std::vector<std::string> names;
  for (const double value : known) names.push_back(run.test->y.name_of(value));
  if (names != problem.class_names()) {
    remark(common, "the validation rows do not have the classes of the training rows: their objective is left out");
    return std::nullopt;
  }
  return SoftmaxProblem(*run.test, problem.spec());
}

SoftmaxSpec softmax_spec(const MulticlassRun& run) {
  SoftmaxSpec spec;
  if (is_matrix_penalty(run.penalty)) {
    spec.penalty.kind = run.penalty == "nuclear" ? MatrixPenaltyKind::nuclear : MatrixPenaltyKind::group_lasso;
    spec.penalty.lambda = run.spec.penalty.lambda;
    spec.penalty.factors = run.spec.penalty.factors;
  } else {
    spec.penalty = matrix_penalty(run.spec.penalty);
  }
  spec.intercept = run.spec.intercept;
  spec.class_weight = run.spec.class_weight;
  spec.threads = run.spec.threads;
  return spec;
}

Model softmax_model(const MulticlassRun& run, const SoftmaxProblem& problem, const SoftmaxSolution& fit) {
  const PerClass parts = per_class(problem, fit.w);
  std::vector<std::vector<double>> parameters;
  for (Index k = 0; k < problem.classes(); ++k) {
    const auto first = parts.weights.begin() + k * problem.cols();
    parameters.emplace_back(first, first + problem.cols());
    if (problem.has_intercept()) parameters.back().push_back(parts.intercepts[static_cast<std::size_t>(k)]);
  }
  Model model = make_model(run.train, run.spec, problem.class_names(), parameters, Link::softmax, run.scaling,
                           fit.summary.certificate);
  if (is_matrix_penalty(run.penalty)) model.matrix_penalty = name_of(problem.spec().penalty.kind);
  return model;
}

bool softmax_has(const ProblemSpec& spec) {
  return spec.penalty.kind != PenaltyKind::l1_l2norm && spec.penalty.also.empty() &&
         spec.class_weight != ClassWeight::paper;
}

}  // namespace

bool is_matrix_penalty(const std::string& name) {
  return name == "group" || name == "group-lasso" || name == "nuclear";
}

std::vector<SolverInfo> softmax_only_solvers() {
  const std::vector<SolverInfo> usual = solvers();
  std::vector<SolverInfo> list;
  for (const SolverInfo& solver : softmax_solvers())
    if (std::none_of(usual.begin(), usual.end(), [&](const SolverInfo& one) { return one.name == solver.name; }))
      list.push_back(solver);
  return list;
}

void MulticlassOptions::add(CLI::App& app) {
  CLI::Option* loss = app.get_option("--loss");
  loss->description(loss->get_description() + ", softmax");
  loss->transform(CLI::Validator(
      [this](std::string& word) {
        softmax_loss = word == "softmax";
        if (softmax_loss) word = "logistic";
        return std::string();
      },
      ""));
  add_word(app, "--multiclass", multiclass, {"ovr", "softmax"},
           "more than two classes (default: softmax for logistic and auto, else ovr)")
      ->excludes("--binary")
      ->group("Problem");
}

std::string asked_multiclass(const MulticlassOptions& options, const ProblemOptions& problem) {
  const bool matrix = is_matrix_penalty(problem.penalty);
  if (!options.softmax_loss && !matrix && options.multiclass != "softmax") return options.multiclass;
  const std::string what = matrix ? "--penalty " + problem.penalty : "softmax";
  if (options.multiclass == "ovr") throw UsageError(what + " fits all classes together: leave out --multiclass ovr");
  if (!problem.spec.positive.empty()) throw UsageError(what + " fits all classes together: leave out --binary");
  if (matrix && problem.c) throw UsageError("--C goes with --penalty l2 or l1; give --lambda");
  if (problem.spec.loss.kind != LossKind::logistic)
    throw UsageError(what + " has the softmax loss: leave out --loss, or use --multiclass ovr");
  return "softmax";
}

std::string multiclass_kind(const std::string& asked, const ProblemSpec& spec, const std::string& solver,
                            const Dataset& data) {
  if (!spec.positive.empty()) return {};
  const bool regression = spec.loss.kind == LossKind::squared && data.y.class_names.empty();
  if (asked.empty() && (regression || data.y.kind != LabelKind::classes)) return {};
  if (asked == "softmax") return asked;
  if (classes_of(data, spec.loss.kind).size() == 2) return {};
  if (asked == "ovr") return asked;
  return spec.loss.kind == LossKind::logistic && solver == "auto" && softmax_has(spec) ? "softmax" : "ovr";
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

int train_softmax(const MulticlassRun& run, const Common& common) {
  if (run.held_out)
    throw UsageError("softmax has probabilities of its own: leave out --calibrate, or use --multiclass ovr");
  const SoftmaxProblem problem(run.train, softmax_spec(run));
  const std::optional<SoftmaxProblem> test = softmax_test(run, problem, common);
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
  const SoftmaxSolution fit = solve_softmax(problem, run.solve, input);
  progress.clear();
  const double total_seconds = wall_now() - run.started;

  if (!run.model_path.empty()) save_model(softmax_model(run, problem, fit), run.model_path);
  if (!run.trace_path.empty()) write_trace(fit.trace, run.trace_path);
  return print_report({run.train,
                       problem.formula(),
                       fit.summary,
                       problem.classes(),
                       run.load_seconds,
                       total_seconds,
                       run.model_path,
                       "softmax",
                       {},
                       {},
                       fit.rank},
                      common);
}

}  // namespace s3gd::app
