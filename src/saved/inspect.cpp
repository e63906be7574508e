#include "saved/inspect.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "base/json.hpp"
#include "base/memory.hpp"
#include "base/mention.hpp"
#include "data/checks.hpp"
#include "problem/loss.hpp"
#include "problem/names.hpp"

namespace s3gd {
namespace {

constexpr double kWildScales = 1000;  // between the largest and the least scale of a column

std::vector<EstimatorVariance> variances(const Problem& problem, const TheoryQuestion& question) {
  GraphOptions graph_options = *question.graph;
  graph_options.seed = question.seed;
  graph_options.threads = question.threads;
  const Graph graph = build_graph(problem.x(), graph_options);
  // At w = 0 every row has the same slope and there is nothing to estimate: look where a pass of sgd leads to.
  SolveOptions one_pass;
  one_pass.solver = "sgd";
  one_pass.batch = question.batch;
  one_pass.passes = 1;
  one_pass.tol = 0;
  one_pass.seed = question.seed;
  return estimator_variances(problem, graph, solve(problem, one_pass).w, question.batch);
}

}  // namespace

bool has_checksums(const Dataset& data) { return data.verifier && data.verifier->has_checksums(); }

std::vector<Advice> advice_on(const Dataset& data, const DataSummary& summary) {
  std::vector<Advice> advice;
  const double factor = summary.largest_column_scale / summary.least_column_scale;
  if (summary.least_column_scale > 0 && factor > kWildScales)
    advice.push_back({AdviceCode::wild_scales,
                      fmt::format("columns differ in scale by a factor of {:.0e}: {} helps", factor,
                                  opt("scale", "standard or max-abs")),
                      {{"factor", factor}}});
  if (summary.constant_columns > 0)
    advice.push_back({AdviceCode::constant_columns,
                      fmt::format("{} constant columns do what an intercept does", summary.constant_columns),
                      {{"columns", static_cast<double>(summary.constant_columns)}}});
  if (summary.zero_columns > data.cols() / 2)
    advice.push_back({AdviceCode::zero_columns, "more than half of the columns hold nothing but zeros"});
  if (summary.classes.size() == 1)
    advice.push_back({AdviceCode::one_class, "there is only one class: nothing to learn"});
  Index least = data.rows(), most = 0;
  for (const ClassCount& entry : summary.classes) {
    least = std::min(least, entry.rows);
    most = std::max(most, entry.rows);
  }
  if (summary.classes.size() > 1 && most > 10 * least)
    advice.push_back(
        {AdviceCode::lopsided_classes,
         "classes differ in size more than tenfold: " + opt("class-weight", "balanced") + " gives each the same say",
         {{"factor", static_cast<double>(most) / static_cast<double>(least)}}});
  return advice;
}

Json to_json(const Dataset& data, const DataSummary& summary, Words words) {
  Json json{{"source", data.source},
            {"rows", data.rows()},
            {"cols", data.cols()},
            {"nonzeros", summary.nonzeros},
            {"density", summary.density},
            {"layout", data.x.is_dense() ? "dense" : "sparse"},
            {"precision", name_of(data.x.precision())},
            {"labels", name_of(data.y.kind)},
            {"weights", !data.weights.empty()},
            {"feature_names", !data.feature_names.empty()},
            {"checksum", has_checksums(data) ? "verified" : "none"}};
  if (data.y.kind == LabelKind::classes) {
    json["classes"] = Json::array();
    for (const ClassCount& entry : summary.classes)
      json["classes"].push_back({{"label", entry.name}, {"rows", entry.rows}});
  }
  if (data.y.kind == LabelKind::real)
    json["label_range"] = {{"min", summary.label_least}, {"max", summary.label_largest}, {"mean", summary.label_mean}};
  json["values"] = {{"min", summary.least},
                    {"max", summary.largest},
                    {"zero_columns", summary.zero_columns},
                    {"constant_columns", summary.constant_columns},
                    {"zero_rows", summary.zero_rows},
                    {"min_column_scale", summary.least_column_scale},
                    {"max_column_scale", summary.largest_column_scale}};
  json["row_norms"] = Json::array();
  for (std::size_t k = 0; k < summary.norm_quantiles.size(); ++k)
    json["row_norms"].push_back({{"quantile", kNormQuantiles[k]}, {"norm", summary.norm_quantiles[k]}});
  json["memory_bytes"] = summary.memory_bytes;
  json["peak_memory_bytes"] = peak_memory_bytes();
  json["advice"] = sentences(advice_on(data, summary), words);
  return json;
}

ProblemSpec usual_spec(ProblemSpec spec, const Dataset& data, bool loss_was_given) {
  if (data.y.kind == LabelKind::real && !loss_was_given) spec.loss.kind = usual_loss(data.y.kind);
  if (data.y.kind == LabelKind::classes && spec.positive.empty() && data.y.distinct().size() > 2)
    spec.positive = "largest";
  return spec;
}

TheoryFacts theory_facts(const Problem& problem, const TheoryQuestion& question) {
  TheoryFacts facts;
  facts.formula = problem.formula();
  facts.constants = theory(problem, question.batch, question.seed);
  facts.step = question.step > 0 ? question.step : facts.constants.s3gd_step_bound / 2;
  facts.inner = question.inner;
  facts.rate = paper_rate(facts.constants, facts.step, question.inner);
  if (question.graph) facts.variances = variances(problem, question);
  return facts;
}

Json to_json(const TheoryFacts& facts) {
  const Theory& constants = facts.constants;
  Json json{
      {"objective", facts.formula},
      {"L", constants.smoothness_max},
      {"L_mean", constants.smoothness_mean},
      {"L_P", constants.smoothness_full},
      {"mu", constants.strong_convexity},
      {"svrg_step_bound", constants.svrg_step_bound},
      {"s3gd_step_bound", constants.s3gd_step_bound},
      {"batch_smoothness", constants.batch_smoothness},
      {"suggested_step", constants.suggested_step},
      {"rate",
       {{"step", facts.step}, {"inner", facts.inner}, {"rho", facts.rate.rho}, {"delta", facts.rate.delta_factor}}}};
  if (!facts.variances) return json;
  json["variance_ratios"] = Json::object();
  for (const EstimatorVariance& entry : *facts.variances) json["variance_ratios"][entry.solver] = entry.ratio;
  return json;
}

}  // namespace s3gd
