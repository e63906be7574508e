#include "solve/sentences.hpp"

#include <fmt/core.h>

#include <cmath>
#include <limits>
#include <tuple>

#include "base/index.hpp"
#include "base/mention.hpp"
#include "solve/observer.hpp"

namespace s3gd {
namespace {

constexpr double kNextToNothing = 1e-3;  // of the objective at zero: what is left when classes come apart
constexpr double kLittle = 0.1;          // of the same, with hardly a mistake: so many of the rows
constexpr double kHardlyAMistake = 0.01;
constexpr double kWildScales = 1e4;        // between the largest entries of two columns
constexpr double kManyZeroRows = 0.01;     // of the rows
constexpr double kMuchAstray = 0.08;       // of a class, among the other's typical rows ..
constexpr double kOneSided = 4;            // .. and so many times as many as the other way round
constexpr Index kRowsToJudgeAClass = 100;  // in the sample
constexpr double kNoMargin = 1e-6;         // that features make no difference with
constexpr double kUsedUp = 0.9;    // of the passes: a step may cost several, so that the last ones are left over
constexpr double kNoSlope = 1e-8;  // of what it could be: rows cancel each other, up to rounding

// An exact solver that ends well before its passes are used up has come as far as rounding lets it.
bool used_up(const Summary& summary, const SolveOptions& options) {
  return options.iterations > 0 || (options.passes > 0 && summary.passes > kUsedUp * options.passes - 1);
}

// Whose steps need not become smaller: their noise does.
bool has_no_floor(const SolveOptions& options) {
  const std::string& solver = options.solver;
  return solver == "gd" || solver == "svrg" || solver == "saga" || solver == "sag" || refers_to_slopes(options);
}

std::string way_on(const Summary& summary, const SolveOptions& options, bool exact) {
  if (summary.status == Status::out_of_time) return "allow " + more("seconds");
  const bool by_steps = options.passes == 0 && options.iterations > 0;
  const std::string longer = more(by_steps ? "iterations" : "passes");
  if (exact)
    return used_up(summary, options) ? "allow " + longer
                                     : "rounding allows no more; raise " + opt("tol") + ", scale the features (" +
                                           opt("scale") + "), or use " + opt("precision", "double");
  const std::string finishes = opt("solver", "auto") + " finishes exactly";
  if (has_no_floor(options)) return longer + " get closer; " + finishes;
  return "stochastic steps of constant size stop at a floor; " + finishes + ", a " + smaller("step") + " or " + longer +
         " get closer";
}

double median_of(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

double share_beyond(const std::vector<double>& margins, double border, double side) {
  const auto beyond = std::count_if(margins.begin(), margins.end(), [&](double u) { return side * (u - border) > 0; });
  return static_cast<double>(beyond) / static_cast<double>(margins.size());
}

template <class View>
double product(const View& x, Index i, const double* w) {
  if constexpr (is_dense_view<View>)
    return kernel::dot(x.row(i), w, x.cols);
  else
    return kernel::sparse_dot(x.values + x.starts[i], x.columns + x.starts[i], x.row_nonzeros(i), w);
}

}  // namespace

SampleReport report_sample(const Matrix& x, const std::function<double(Index)>& weight) {
  SampleReport report;
  std::vector<double> largest(at(x.cols()), 0.0);
  for_each_in_sample(x, weight, [&](const auto& view, Index row) {
    bool zero = true;
    for_each_nonzero(view, row, [&](Index j, auto entry) {
      zero = false;
      double& size = largest[at(j)];
      size = std::max(size, std::abs(static_cast<double>(entry)));
    });
    ++report.rows;
    report.zero_rows += zero ? 1 : 0;
  });
  report.least_column = std::numeric_limits<double>::infinity();
  for (const double value : largest) {
    if (value > 0) report.least_column = std::min(report.least_column, value);
    report.largest_column = std::max(report.largest_column, value);
  }
  return report;
}

SampleReport report_sample(const Problem& problem) {
  return report_sample(problem.x(), [&](Index row) { return problem.weight(row); });
}

SampleReport report_sample(const Dataset& data) {
  return report_sample(data.x, [&](Index row) { return data.weights.empty() ? 1.0 : data.weights[row]; });
}

std::pair<ClassReport, ClassReport> compare_classes(const std::vector<double>& high, const std::vector<double>& low) {
  ClassReport a{static_cast<Index>(high.size()), 0}, b{static_cast<Index>(low.size()), 0};
  if (high.empty() || low.empty()) return {a, b};
  a.astray = share_beyond(high, median_of(low), -1);
  b.astray = share_beyond(low, median_of(high), 1);
  return {a, b};
}

RowReport report_rows(const Problem& problem, const std::vector<double>& w, const SampleReport& sample) {
  RowReport report;
  static_cast<SampleReport&>(report) = sample;
  report.classes = !std::isnan(problem.positive_class());
  std::vector<double> positive, negative;
  const double constant = problem.has_intercept() ? w.back() : 0.0;
  const auto weight = [&](Index row) { return problem.weight(row); };
  for_each_in_sample(problem.x(), weight, [&](const auto& view, Index row) {
    const double by_features = product(view, row, w.data()), margin = constant + by_features;
    report.by_features = std::max(report.by_features, std::abs(by_features));
    const double y = problem.targets()[at(row)];
    report.wrong += y * margin > 0 ? 0 : 1;
    (y > 0 ? positive : negative).push_back(margin);
  });
  std::tie(report.positive, report.negative) = compare_classes(positive, negative);
  return report;
}

void advise_on_rows(const SampleReport& sample, std::vector<Advice>& advice) {
  const double factor = sample.largest_column / sample.least_column;
  if (sample.largest_column > kWildScales * sample.least_column)
    advice.push_back(
        {AdviceCode::wild_scales,
         fmt::format("features differ in scale by a factor of {:.0e}, so that the penalty weighs on some and "
                     "not on others: use {}",
                     factor, opt("scale", "standard or max-abs")),
         {{"factor", factor}}});
  const double share = static_cast<double>(sample.zero_rows) / static_cast<double>(std::max<Index>(1, sample.rows));
  if (share >= kManyZeroRows)
    advice.push_back(
        {AdviceCode::zero_rows,
         fmt::format("{} % of the rows are all zero and say nothing but their label: check how the file is "
                     "read ({}, {}, {}), or leave them out",
                     share < 0.1 ? fmt::format("{:.2g}", 100 * share) : fmt::format("{:.0f}", 100 * share),
                     opt("format"), opt("index-base"), opt("label-column")),
         {{"share", share}}});
}

std::optional<Advice> advice_on_separable(Index wrong, const SampleReport& sample, bool unpenalised, double objective,
                                          double objective_at_zero) {
  if (sample.rows < 2) return {};
  Advice advice{
      AdviceCode::separable, {}, {{"wrong", static_cast<double>(wrong)}, {"rows", static_cast<double>(sample.rows)}}};
  if (unpenalised && wrong > 0 && objective < kLittle * objective_at_zero &&
      static_cast<double>(wrong) <= kHardlyAMistake * static_cast<double>(sample.rows)) {
    advice.text = fmt::format(
        "the classes can be told apart with hardly a mistake ({} of {} rows looked at), and there is no penalty: the "
        "weights may grow without end as {} falls, and mean little; give {}",
        wrong, sample.rows, opt("tol"), opt("penalty", "l2"));
    return advice;
  }
  if (wrong > 0 || (!unpenalised && !(objective < kNextToNothing * objective_at_zero))) return {};
  advice.text = fmt::format(
      "the classes can be told apart without a mistake, and {}: the weights grow until the tolerance ends "
      "it, and mean little; give {} with a {}",
      unpenalised ? "there is no penalty" : "the penalty is next to nothing", opt("penalty", "l2"), larger("lambda"));
  return advice;
}

std::optional<Advice> advice_on_labels(const NamedClass& a, const NamedClass& b) {
  if (std::min(a.report.rows, b.report.rows) < kRowsToJudgeAClass) return {};
  const bool first = a.report.astray > b.report.astray;
  const NamedClass &suspect = first ? a : b, &other = first ? b : a;
  const double more = suspect.report.astray, less = other.report.astray;
  if (more < kMuchAstray || more < kOneSided * less) return {};
  const std::string name = class_mark(suspect.name);
  return Advice{AdviceCode::suspect_labels,
                fmt::format("{:.0f} % of the rows labelled {} look like a typical {}, and only {:.1f} % the other way "
                            "round: labels {} may be wrong; check some of them",
                            100 * more, name, class_mark(other.name), 100 * less, name),
                {{"astray", more}, {"other_way", less}}};
}

Advice advice_on_zero_weights(double lambda, double largest) {
  const bool known = !std::isnan(largest);
  const std::string from =
      known ? fmt::format(" ({}, they are from {:.3g} on)", opt("lambda", fmt::format("{:.3g}", lambda)), largest) : "";
  Advice advice{AdviceCode::zero_weights,
                "the penalty is so strong that all weights are zero" + from + ": give a " + smaller("lambda")};
  if (known) advice.values = {{"lambda", lambda}, {"largest", largest}};
  return advice;
}

Advice advice_on_vanishing_weights() {
  return {
      AdviceCode::vanishing_weights,
      "the penalty is so strong that the weights vanish, and with them what features say: give a " + smaller("lambda")};
}

bool weights_vanish(double by_features, const SampleReport& sample) {
  return sample.largest_column > 0 && by_features <= kNoMargin;
}

bool features_are_mute(std::span<const double> slopes, double typical, const SampleReport& sample) {
  return std::all_of(slopes.begin(), slopes.end(),
                     [&](double slope) { return std::abs(slope) <= kNoSlope * typical * sample.largest_column; });
}

Advice advice_on_mute_features() {
  return {AdviceCode::mute_features,
          "the features, added up, say nothing about the labels, so that no " + opt("lambda") +
              " gives them weights: check how labels and rows belong together, or add products or other functions of "
              "the features"};
}

Advice advice_on_divergence(double step, double safe) {
  return {
      AdviceCode::diverged,
      fmt::format("the run diverged at step {:.3g}; the best iterate before that was kept. Leave {} out, or try {:.3g}",
                  step, opt("step"), safe),
      {{"step", step}, {"safe_step", safe}}};
}

std::optional<Advice> advice_on_limits(const Summary& summary, const SolveOptions& options, bool exact) {
  if (summary.status != Status::out_of_passes && summary.status != Status::out_of_time) return {};
  const double gap = summary.certificate.relative_gap;
  return Advice{
      AdviceCode::stopped_short,
      fmt::format("stopped after {:.3g} passes at a relative gap of {:.2g}, short of the tolerance {:.2g}: {}",
                  summary.passes, gap, options.tol, way_on(summary, options, exact)),
      {{"passes", summary.passes}, {"relative_gap", gap}, {"tol", options.tol}}};
}

}  // namespace s3gd
