#include "solve/sentences.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

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
constexpr char kStopped[] = "stopped after ";

// An exact solver that ends well before its passes are used up has come as far as rounding lets it.
bool used_up(const Summary& summary, const SolveOptions& options) {
  return options.iterations > 0 || (options.passes > 0 && summary.passes > kUsedUp * options.passes - 1);
}

// Whose steps need not become smaller: their noise does.
bool has_no_floor(const std::string& solver) {
  return solver == "gd" || solver == "svrg" || solver == "saga" || solver == "sag";
}

std::string way_on(const Summary& summary, const SolveOptions& options, bool exact) {
  if (summary.status == Status::out_of_time) return "allow more --seconds";
  const bool limited = options.passes > 0 || options.iterations > 0;
  const std::string limit = options.passes > 0 ? "--passes" : "--iterations";
  if (exact)
    return used_up(summary, options)
               ? "allow more " + limit
               : "rounding allows no more; raise --tol, scale the features (--scale), or use --precision double";
  const std::string more = "more " + (limited ? limit : "--passes");
  if (has_no_floor(options.solver)) return more + " get closer; --solver auto finishes exactly";
  return "stochastic steps of constant size stop at a floor; --solver auto finishes exactly, a smaller --step or " +
         more + " get closer";
}

}  // namespace

void advise_on_rows(const SampleReport& sample, std::vector<std::string>& advice) {
  if (sample.largest_column > kWildScales * sample.least_column)
    advice.push_back(
        fmt::format("features differ in scale by a factor of {:.0e}, so that the penalty weighs on some and not on "
                    "others: give --scale standard or max-abs",
                    sample.largest_column / sample.least_column));
  const double share = static_cast<double>(sample.zero_rows) / static_cast<double>(std::max<Index>(1, sample.rows));
  if (share >= kManyZeroRows)
    advice.push_back(
        fmt::format("{} % of the rows are all zero and say nothing but their label: check how the file is read "
                    "(--format, --index-base, --label-column), or leave them out",
                    share < 0.1 ? fmt::format("{:.2g}", 100 * share) : fmt::format("{:.0f}", 100 * share)));
}

std::string advice_on_separable(Index wrong, const SampleReport& sample, bool unpenalised, double objective,
                                double objective_at_zero) {
  if (sample.rows < 2) return {};
  if (unpenalised && wrong > 0 && objective < kLittle * objective_at_zero &&
      static_cast<double>(wrong) <= kHardlyAMistake * static_cast<double>(sample.rows))
    return fmt::format(
        "the classes can be told apart with hardly a mistake ({} of {} rows looked at), and there is no penalty: the "
        "weights may grow without end as --tol falls, and mean little; give --penalty l2",
        wrong, sample.rows);
  if (wrong > 0 || (!unpenalised && !(objective < kNextToNothing * objective_at_zero))) return {};
  return fmt::format(
      "the classes can be told apart without a mistake, and {}: the weights grow until the tolerance ends "
      "it, and mean little; give --penalty l2 with a larger --lambda",
      unpenalised ? "there is no penalty" : "the penalty is next to nothing");
}

std::string advice_on_labels(const NamedClass& a, const NamedClass& b) {
  if (std::min(a.report.rows, b.report.rows) < kRowsToJudgeAClass) return {};
  const bool first = a.report.astray > b.report.astray;
  const NamedClass &suspect = first ? a : b, &other = first ? b : a;
  const double more = suspect.report.astray, less = other.report.astray;
  if (more < kMuchAstray || more < kOneSided * less) return {};
  return fmt::format(
      "{:.0f} % of the rows labelled {} look like a typical {}, and only {:.1f} % the other way round: "
      "labels {} may be wrong; check some of them",
      100 * more, suspect.name, other.name, 100 * less, suspect.name);
}

std::string advice_on_zero_weights(double lambda, double largest) {
  const bool known = !std::isnan(largest);
  return fmt::format("the penalty is so strong that all weights are zero{}: give a smaller --lambda",
                     known ? fmt::format(" (--lambda {:.3g}, they are from {:.3g} on)", lambda, largest) : "");
}

std::string advice_on_vanishing_weights() {
  return "the penalty is so strong that the weights vanish, and with them what features say: give a smaller --lambda";
}

bool weights_vanish(double by_features, const SampleReport& sample) {
  return sample.largest_column > 0 && by_features <= kNoMargin;
}

bool features_are_mute(std::span<const double> slopes, double typical, const SampleReport& sample) {
  return std::all_of(slopes.begin(), slopes.end(),
                     [&](double slope) { return std::abs(slope) <= kNoSlope * typical * sample.largest_column; });
}

std::string advice_on_mute_features() {
  return "the features, added up, say nothing about the labels, so that no --lambda gives them weights: check how "
         "labels and rows belong together, or add products or other functions of the features";
}

std::string advice_on_limits(const Summary& summary, const SolveOptions& options, bool exact) {
  if (summary.status != Status::out_of_passes && summary.status != Status::out_of_time) return {};
  return fmt::format("{}{:.3g} passes at a relative gap of {:.2g}, short of the tolerance {:.2g}: {}", kStopped,
                     summary.passes, summary.certificate.relative_gap, options.tol, way_on(summary, options, exact));
}

bool is_about_limits(const std::string& sentence) { return sentence.starts_with(kStopped); }

}  // namespace s3gd
