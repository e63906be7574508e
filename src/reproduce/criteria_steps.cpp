// At which steps methods are stable.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "reproduce/criteria.hpp"

namespace s3gd::reproduce::criteria {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

std::string step_text(const std::optional<double>& step) { return step ? fmt::format("{:g}", *step) : "none"; }

Finding judge_steps_as_large(const Json& rule, const Evidence& evidence) {
  const std::string label = rule.at("label").get<std::string>(), than = rule.at("than").get<std::string>();
  const double share = rule.at("share").get<double>(), part = rule.at("partly_share").get<double>();
  Finding finding;
  finding.criterion =
      fmt::format("largest stable step of {} not below that of {} on at least {:.0f} % of the sets; partly: {:.0f} %",
                  label, than, 100 * share, 100 * part);
  Strings said;
  double good = 0, judged = 0;
  for (const ResultSet& set : evidence.results.sets) {
    if (evidence.results.trials(set, label).empty() || evidence.results.trials(set, than).empty()) continue;
    const auto mine = largest_stable_step(evidence.results, set, label);
    const auto other = largest_stable_step(evidence.results, set, than);
    if (!mine && !other) continue;
    judged += 1;
    good += mine.value_or(0) >= other.value_or(0) ? 1 : 0;
    said.push_back(fmt::format("{} {} and {}", set.name, step_text(mine), step_text(other)));
  }
  if (judged == 0) return finding;
  conclude(finding, grade(good / judged, share, part), fmt::format("on {:g} of {:g} sets", good, judged),
           join(said, "; "));
  return finding;
}

// The stable ones are stable at every step up to `up_to`, the others are not at any from `from` on.
Finding judge_stable_steps(const Json& rule, const Evidence& evidence) {
  const double up_to = rule.at("up_to").get<double>(), from = rule.at("from").get<double>();
  const Strings stable = strings_of(rule, "stable"), unstable = strings_of(rule, "unstable");
  Finding finding;
  finding.criterion = fmt::format(
      "mean objective of the last iterations within {:g} % of F*: for {} at every step up to {:g}, for {} at no step "
      "from {:g} on; partly: each of the former has a larger largest stable step than each of the latter",
      100 * evidence.results.tolerance, join(stable, " and "), up_to, join(unstable), from);
  if (evidence.results.sets.empty()) return finding;
  const ResultSet& set = evidence.results.sets.front();
  bool as_claimed = true;
  double least = kNever, most = 0;
  Strings largest_steps, said;
  for (const bool should : {true, false})
    for (const std::string& label : should ? stable : unstable) {
      const double largest = largest_stable_step(evidence.results, set, label).value_or(0);
      Strings tails;
      for (const double step : steps_of(evidence.results, set, label)) {
        const double above = tail_objective(evidence.results, set, label, step) / set.optimum - 1;
        tails.push_back(fmt::format("{:g}: {} %", step, brief(100 * above)));
        if (should ? step <= up_to : step >= from)
          as_claimed = as_claimed && is_stable(evidence.results, set, label, step) == should;
      }
      if (tails.empty()) continue;
      (should ? least : most) = should ? std::min(least, largest) : std::max(most, largest);
      largest_steps.push_back(fmt::format("{} {}", label, largest > 0 ? brief(largest) : "none"));
      said.push_back(fmt::format("{} ({})", label, join(tails)));
    }
  if (said.empty()) return finding;
  conclude(finding,
           as_claimed     ? Outcome::confirmed
           : least > most ? Outcome::partly
                          : Outcome::not_confirmed,
           fmt::format("largest stable steps on {}: {}", set.name, join(largest_steps)),
           "Above F*, by step: " + join(said, "; "));
  return finding;
}

// Steps on a fine grid, so that "larger" does not mean "ten times as large". A method without a stable step has step 0.
Finding judge_larger_steps(const Json& rule, const Evidence& evidence) {
  const Strings labels = strings_of(rule, "labels"), others = strings_of(rule, "than");
  const auto grid = rule.at("of_steps").get<std::size_t>();
  const double share = rule.at("share").get<double>(), part = rule.at("partly_share").get<double>();
  const Results& results = evidence.results;
  Finding finding;
  finding.criterion = fmt::format(
      "largest stable step of {} larger than that of each of {} on at least {:.0f} % of the sets with {} steps; "
      "partly: "
      "than that of {} on {:.0f} %",
      join(labels, " and of "), join(others), 100 * share, grid, others.front(), 100 * part);
  const auto largest = [&](const ResultSet& set, const std::string& label) {
    return largest_stable_step(results, set, label).value_or(0);
  };
  Strings said;
  double all = 0, first = 0, judged = 0;
  for (const ResultSet& set : results.sets) {
    if (steps_of(results, set, labels.front()).size() < grid) continue;
    double least = kNever, most = 0;
    Strings list;
    for (const std::string& label : labels) least = std::min(least, largest(set, label));
    for (const std::string& other : others) most = std::max(most, largest(set, other));
    for (const Strings* some : {&labels, &others})
      for (const std::string& label : *some)
        list.push_back(label + " " + step_text(largest_stable_step(results, set, label)));
    judged += 1;
    all += least > most ? 1 : 0;
    first += least > largest(set, others.front()) ? 1 : 0;
    said.push_back(set.name + ": " + join(list));
  }
  if (judged == 0) return finding;
  const Outcome outcome = all / judged >= share    ? Outcome::confirmed
                          : first / judged >= part ? Outcome::partly
                                                   : Outcome::not_confirmed;
  conclude(
      finding, outcome,
      fmt::format("larger than all others on {:g} of {:g} sets, than {} on {:g}", all, judged, others.front(), first),
      join(said, "; "));
  return finding;
}

}  // namespace

const std::vector<Entry>& of_steps() {
  static const std::vector<Entry> table{{"steps-as-large", judge_steps_as_large},
                                        {"stable-steps", judge_stable_steps},
                                        {"larger-steps", judge_larger_steps}};
  return table;
}

}  // namespace s3gd::reproduce::criteria
