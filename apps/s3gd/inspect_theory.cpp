#include "inspect_theory.hpp"

#include <fmt/core.h>

#include <cmath>

#include "s3gd/error.hpp"
#include "s3gd/problem.hpp"
#include "s3gd/solve.hpp"
#include "saved/inspect.hpp"

namespace s3gd::app {
namespace {

std::string rate_text(const TheoryFacts& facts) {
  if (facts.constants.strong_convexity <= 0)
    return "none: the objective is not strongly convex (--penalty l2 --intercept regularised is)";
  if (!std::isfinite(facts.rate.rho)) return fmt::format("none for the step {:.3g}: it is above the bound", facts.step);
  return fmt::format("rho = {:.4g}, Delta = {:.4g} Delta_HP for the step {:.3g} and {} inner steps{}", facts.rate.rho,
                     facts.rate.delta_factor, facts.step, facts.inner,
                     facts.rate.rho >= 1 ? " (no promise: rho is not below 1)" : "");
}

}  // namespace

void add_theory_options(Arguments& app, TheoryOptions& options) {
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
  const ProblemSpec spec = usual_spec(problem_spec(options.problem, data, common), data, options.loss->count() > 0);
  std::unique_ptr<const Problem> problem;
  try {
    problem = std::make_unique<const Problem>(prepare(data, fit_options(options.problem), common.threads).train, spec);
  } catch (const Error& error) {
    // What is in the data is worth knowing even when no model can be fitted to it.
    return {nullptr, "objective  " + error.in_words(program_words) + "\n"};
  }
  TheoryQuestion question{options.batch, options.inner, options.step, {}, common.seed, common.threads};
  if (options.variance) question.graph = options.graph;
  const TheoryFacts facts = theory_facts(*problem, question);
  const Theory& constants = facts.constants;
  TheoryReport report;
  report.json = to_json(facts);
  std::vector<std::pair<std::string, std::string>> fields{
      {"objective", facts.formula},
      {"smoothness", fmt::format("L = {:.4g} (largest row), {:.4g} (mean), L_P = {:.4g} (whole), mu = {:.4g}",
                                 constants.smoothness_max, constants.smoothness_mean, constants.smoothness_full,
                                 constants.strong_convexity)},
      {"steps",
       fmt::format("suggested {:.4g} for batches of {}; theorems: below {:.3g} (svrg), {:.3g} (s3gd)",
                   constants.suggested_step, options.batch, constants.svrg_step_bound, constants.s3gd_step_bound)},
      {"rate", rate_text(facts)}};
  if (facts.variances) {
    std::string text;
    for (const EstimatorVariance& entry : *facts.variances)
      text += fmt::format("{}{} {:.3g}", text.empty() ? "" : ", ", entry.solver, entry.ratio);
    fields.emplace_back("variance", text + " (of sgd's, after one pass of it)");
  }
  report.text = format_fields(fields);
  return report;
}

}  // namespace s3gd::app
