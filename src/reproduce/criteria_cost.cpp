// What an iteration costs, and how the cost grows.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "reproduce/complexity.hpp"
#include "reproduce/criteria.hpp"

namespace s3gd::reproduce::criteria {
namespace {

// Time of an iteration over that of another label; NaN where one of them was not run.
double cost_ratio(const Results& results, const ResultSet& set, const std::string& label, const std::string& over) {
  return iteration_seconds(results, set, label) / iteration_seconds(results, set, over);
}

Finding judge_cheapest(const Json& rule, const Evidence& evidence) {
  const std::string label = rule.at("label").get<std::string>();
  const double share = rule.at("share").get<double>();
  Finding finding;
  finding.criterion = fmt::format(
      "least time of an iteration on more than {:.0f} % of the sets; partly: at most 5 % above the least", 100 * share);
  double least = 0, nearly = 0, judged = 0;
  Strings said;
  for (const ResultSet& set : evidence.results.sets) {
    const double mine = iteration_seconds(evidence.results, set, label);
    double best = std::numeric_limits<double>::infinity();
    std::string who;
    for (const std::string& other : evidence.results.labels()) {
      const double seconds = iteration_seconds(evidence.results, set, other);
      if (!(seconds < best)) continue;
      best = seconds;
      who = other;
    }
    if (std::isnan(mine)) continue;
    judged += 1;
    least += who == label ? 1 : 0;
    nearly += mine <= 1.05 * best ? 1 : 0;
    said.push_back(fmt::format("{} {}", set.name, who));
  }
  if (judged == 0) return finding;
  const Outcome outcome = least / judged > share    ? Outcome::confirmed
                          : nearly / judged > share ? Outcome::partly
                                                    : Outcome::not_confirmed;
  conclude(finding, outcome, fmt::format("cheapest on {:g} of {:g} sets", least, judged),
           "Cheapest: " + join(said, "; "));
  return finding;
}

// The median ratio of each label lies on the side the rule says.
Finding judge_cost(const Json& rule, const Evidence& evidence) {
  const std::string over = rule.at("over").get<std::string>();
  const bool below = rule.contains("at_most");
  const double bound = rule.at(below ? "at_most" : "at_least").get<double>();
  Finding finding;
  finding.criterion =
      fmt::format("time of an iteration of {} {} {:g} times that of {}, {}; partly: of some of them",
                  join(strings_of(rule, "labels"), " and of "), below ? "at most" : "at least", bound, over,
                  rule.contains("sets") ? "on " + join(strings_of(rule, "sets")) : "in the median over the sets");
  Strings medians, said;
  double good = 0, judged = 0;
  for (const std::string& label : strings_of(rule, "labels")) {
    std::vector<double> ratios;
    Strings list;
    for (const ResultSet* set : sets_of(rule, evidence.results)) {
      ratios.push_back(cost_ratio(evidence.results, *set, label, over));
      list.push_back(set->name + " " + brief(ratios.back()));
    }
    const double median = median_of(ratios);
    if (std::isnan(median)) continue;
    judged += 1;
    good += (below ? median <= bound : median >= bound) ? 1 : 0;
    medians.push_back(fmt::format("{} {} times as long", label, brief(median)));
    said.push_back(fmt::format("{}: {}", label, join(list)));
  }
  conclude(finding, grade(good / judged, 1, 1e-9), join(medians), join(said, "; "));
  return finding;
}

Finding judge_cost_most_on(const Json& rule, const Evidence& evidence) {
  const std::string label = rule.at("label").get<std::string>(), over = rule.at("over").get<std::string>();
  const double bound = rule.at("at_least").get<double>();
  const Strings named = strings_of(rule, "sets");
  Finding finding;
  finding.criterion = fmt::format(
      "median over {} of the time of {} over {} at least {:g} times the median over the other sets; partly: above it",
      join(named), label, over, bound);
  std::vector<double> on, off;
  Strings said;
  for (const ResultSet& set : evidence.results.sets) {
    const double ratio = cost_ratio(evidence.results, set, label, over);
    const bool is_named = std::find(named.begin(), named.end(), set.paper_name()) != named.end();
    (is_named ? on : off).push_back(ratio);
    said.push_back(set.name + " " + brief(ratio));
  }
  const double factor = median_of(on) / median_of(off);
  if (std::isnan(factor)) return finding;
  conclude(finding, grade(factor, bound, 1),
           fmt::format("{} times as long there, {} elsewhere", brief(median_of(on)), brief(median_of(off))),
           join(said));
  return finding;
}

Finding judge_exponents(const Json& rule, const Evidence& evidence) {
  const double tolerance = rule.at("tolerance").get<double>(), part = rule.at("partly_share").get<double>();
  Finding finding;
  finding.criterion = fmt::format(
      "every fitted exponent within {:g} of the one the formula gives on the same grid; partly: {:.0f} % of them",
      tolerance, 100 * part);
  Strings said;
  double good = 0, judged = 0;
  for (const FittedExponent& cell : fit_exponents(rule, evidence.results)) {
    if (std::isnan(cell.measured)) continue;
    judged += 1;
    good += std::abs(cell.measured - cell.formula) <= tolerance ? 1 : 0;
    said.push_back(fmt::format("{} in {}: {:.2f} (formula {:.2f})", cell.solver, cell.by, cell.measured, cell.formula));
  }
  conclude(finding, grade(good / judged, 1, part),
           fmt::format("{:g} of {:g} exponents as the formula has them", good, judged), join(said, "; "));
  return finding;
}

// Time against the number of anchors, which stands in the labels.
Finding judge_sublinear(const Json& rule, const Evidence& evidence) {
  const double bound = rule.at("at_most").get<double>();
  Finding finding;
  finding.criterion = fmt::format(
      "fitted exponent of the time of an iteration in m above 0 and at most {:g} on every set; partly: on some", bound);
  Strings exponents, said;
  double good = 0, judged = 0;
  for (const ResultSet& set : evidence.results.sets) {
    std::vector<double> anchors, seconds;
    for (const std::string& label : evidence.results.labels()) {
      anchors.push_back(number_in_label(label, "m"));
      seconds.push_back(iteration_seconds(evidence.results, set, label));
    }
    const double exponent = fitted_exponent(anchors, seconds);
    if (std::isnan(exponent)) continue;
    judged += 1;
    good += exponent > 0 && exponent <= bound ? 1 : 0;
    const auto [low, high] = std::minmax_element(anchors.begin(), anchors.end());
    exponents.push_back(fmt::format("{} m^{:.2f}", set.name, exponent));
    said.push_back(fmt::format("{} {} at m = {:g}, {} at m = {:g}", set.name,
                               duration(50 * seconds[static_cast<std::size_t>(low - anchors.begin())]), *low,
                               duration(50 * seconds[static_cast<std::size_t>(high - anchors.begin())]), *high));
  }
  conclude(finding, grade(good / judged, 1, 1e-9), join(exponents), "50 iterations: " + join(said, "; "));
  return finding;
}

// Whether the rows' number has a say in the time of an iteration: it does where they no longer fit the cache.
Finding judge_same_at_any_size(const Json& rule, const Evidence& evidence) {
  const std::string label = rule.at("label").get<std::string>();
  const double within = rule.at("within").get<double>(), part = rule.at("partly_within").get<double>();
  Finding finding;
  finding.criterion = fmt::format(
      "time of an iteration of {} with the most rows at most {:g} times that with the fewest; partly: {:g} times",
      label, within, part);
  Strings said;
  std::vector<std::pair<Index, double>> times;
  for (const ResultSet& set : evidence.results.sets)
    if (const double seconds = iteration_seconds(evidence.results, set, label); !std::isnan(seconds)) {
      times.emplace_back(set.rows, seconds);
      said.push_back(fmt::format("{}: {}", set.name, duration(seconds)));
    }
  if (times.size() < 2) return finding;
  const auto [fewest, most] = std::minmax_element(times.begin(), times.end());
  const double factor = most->second / fewest->second;
  conclude(finding, grade(1 / factor, 1 / within, 1 / part),
           fmt::format("{} times as long with {} rows as with {}", brief(factor), most->first, fewest->first),
           "An iteration: " + join(said, "; "));
  return finding;
}

}  // namespace

const std::vector<Entry>& of_cost() {
  static const std::vector<Entry> table{
      {"cheapest", judge_cheapest},   {"cost", judge_cost},           {"cost-most-on", judge_cost_most_on},
      {"exponents", judge_exponents}, {"sublinear", judge_sublinear}, {"same-at-any-size", judge_same_at_any_size}};
  return table;
}

}  // namespace s3gd::reproduce::criteria
