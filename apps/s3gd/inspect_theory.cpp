#include "inspect_theory.hpp"

#include <fmt/format.h>

#include <cmath>

#include "s3gd/error.hpp"
#include "s3gd/problem.hpp"
#include "s3gd/solve.hpp"

namespace s3gd::app {
namespace {

// The options as given, and where the data asks for it another default: regression for real labels, the largest
// class against the rest for more than two.
ProblemSpec spec_for(const Dataset& data, const TheoryOptions& options, const Common& common) {
  ProblemSpec spec = problem_spec(options.problem, data, common);
  if (data.y.kind == LabelKind::real && options.loss->count() == 0) spec.loss.kind = LossKind::squared;
  if (data.y.kind == LabelKind::classes && spec.positive.empty() && data.y.distinct().size() > 2)
    spec.positive = "largest";
  return spec;
}

Dataset scaled(const Dataset& data, Scale scale, int threads) {
  return apply_scaling(data, learn_scaling(data, scale, threads), threads);
}

std::vector<EstimatorVariance> variances(const Problem& problem, const TheoryOptions& options, const Common& common) {
  if (!options.variance) return {};
  GraphOptions graph_options = options.graph;
  graph_options.seed = common.seed;
  graph_options.threads = common.threads;
  const Graph graph = build_graph(problem.x(), graph_options);
  // At w = 0 every row has the same slope and there is nothing to estimate: look where a pass of sgd leads to.
  SolveOptions one_pass;
  one_pass.solver = "sgd";
  one_pass.batch = options.batch;
  one_pass.passes = 1;
  one_pass.tol = 0;
  one_pass.seed = common.seed;
  return estimator_variances(problem, graph, solve(problem, one_pass).w, options.batch);
}

std::string rate_text(const Theory& constants, const Rate& rate, double step, Index inner) {
  if (constants.strong_convexity <= 0)
    return "none: the objective is not strongly convex (--penalty l2 --intercept regularised is)";
  if (!std::isfinite(rate.rho)) return fmt::format("none for the step {:.3g}: it is above the bound", step);
  return fmt::format("rho = {:.4g}, Delta = {:.4g} Delta_HP for the step {:.3g} and {} inner steps{}", rate.rho,
                     rate.delta_factor, step, inner, rate.rho >= 1 ? " (no promise: rho is not below 1)" : "");
}

}  // namespace

void add_theory_options(CLI::App& app, TheoryOptions& options) {
  add_problem_options(app, options.problem);
  options.loss = app.get_option("--loss");
  const std::string group = "Theory";
  app.add_option("--batch", options.batch, "rows in a mini-batch")->check(whole_number(1))->group(group);
  app.add_option("--inner", options.inner, "steps between snapshots")->check(whole_number(1))->group(group);
  app.add_option("--step", options.step, "for the rate; 0 = half of the theorem's bound")
      ->check(real_number(0))
      ->group(group);
  app.add_flag("--variance", options.variance, "build a graph and measure every estimator's variance")->group(group);
  add_graph_options(app, options.graph);
}

TheoryReport report_theory(const Dataset& data, const TheoryOptions& options, const Common& common) {
  if (data.y.kind == LabelKind::none) return {nullptr, ""};
  const ProblemSpec spec = spec_for(data, options, common);
  std::unique_ptr<const Problem> problem;
  try {
    problem = std::make_unique<const Problem>(
        scaled(weighted_by_class(data, options.problem), options.problem.scale, common.threads), spec);
  } catch (const Error& error) {
    // What is in the data is worth knowing even when no model can be fitted to it.
    return {nullptr, std::string("objective  ") + error.what() + "\n"};
  }
  const Theory constants = theory(*problem, options.batch, common.seed);
  const double step = options.step > 0 ? options.step : constants.s3gd_step_bound / 2;
  const Rate rate = paper_rate(constants, step, options.inner);
  TheoryReport report;
  report.json = {{"objective", problem->formula()},
                 {"L", constants.smoothness_max},
                 {"L_mean", constants.smoothness_mean},
                 {"L_P", constants.smoothness_full},
                 {"mu", constants.strong_convexity},
                 {"svrg_step_bound", constants.svrg_step_bound},
                 {"s3gd_step_bound", constants.s3gd_step_bound},
                 {"batch_smoothness", constants.batch_smoothness},
                 {"suggested_step", constants.suggested_step},
                 {"rate", {{"step", step}, {"inner", options.inner}, {"rho", rate.rho}, {"delta", rate.delta_factor}}}};
  std::vector<std::pair<std::string, std::string>> fields{
      {"objective", problem->formula()},
      {"smoothness", fmt::format("L = {:.4g} (largest row), {:.4g} (mean), L_P = {:.4g} (whole), mu = {:.4g}",
                                 constants.smoothness_max, constants.smoothness_mean, constants.smoothness_full,
                                 constants.strong_convexity)},
      {"steps",
       fmt::format("suggested {:.4g} for batches of {}; theorems: below {:.3g} (svrg), {:.3g} (s3gd)",
                   constants.suggested_step, options.batch, constants.svrg_step_bound, constants.s3gd_step_bound)},
      {"rate", rate_text(constants, rate, step, options.inner)}};
  if (options.variance) {
    report.json["variance_ratios"] = Json::object();
    std::string text;
    for (const EstimatorVariance& entry : variances(*problem, options, common)) {
      report.json["variance_ratios"][entry.solver] = entry.ratio;
      text += fmt::format("{}{} {:.3g}", text.empty() ? "" : ", ", entry.solver, entry.ratio);
    }
    fields.emplace_back("variance", text + " (of sgd's, after one pass of it)");
  }
  report.text = format_fields(fields);
  return report;
}

}  // namespace s3gd::app
