// Who gets within the tolerance of the optimum first, and at which steps.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "compare/criteria.hpp"

namespace s3gd::reproduce::criteria {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

Clock clock_of(const Json& rule) {
  return rule.value("with_graph", false) ? Clock::cpu_with_graph : Clock::cpu_without_graph;
}

// The methods of the paper; other contenders of the same runs do not count.
const Strings kPaperMethods{"sgd", "ssgd", "svrg", "scv", "s3gd"};

double arrival(const Results& results, const ResultSet& set, const std::string& label, Clock clock) {
  return reaches_target(results, set, label, clock).value_or(kNever);
}

// The first to arrive; empty where nobody does.
std::string winner(const Results& results, const ResultSet& set, const Strings& labels, Clock clock) {
  std::string first;
  double best = kNever;
  for (const std::string& label : labels) {
    const double seconds = arrival(results, set, label, clock);
    if (seconds >= best) continue;
    best = seconds;
    first = label;
  }
  return first;
}

// "s3gd on 4 (IJCNN, ..), sgd on 1 (..)"
std::string tally(const std::map<std::string, Strings>& won) {
  Strings parts;
  for (const auto& [label, sets] : won)
    parts.push_back(fmt::format("{} on {} ({})", label.empty() ? "none" : label, sets.size(), join(sets)));
  return join(parts, "; ");
}

std::map<std::string, Strings> wins(const Results& results, Clock clock) {
  std::map<std::string, Strings> won;
  for (const ResultSet& set : results.sets) won[winner(results, set, kPaperMethods, clock)].push_back(set.name);
  return won;
}

Finding judge_wins(const Json& rule, const Evidence& evidence) {
  const std::string label = rule.at("label");
  const double wanted = rule.at("at_least").get<double>(), of = rule.at("of");
  const auto won = wins(evidence.results, clock_of(rule));
  const auto mine = won.contains(label) ? static_cast<double>(won.at(label).size()) : 0.0;
  bool ahead = mine > 0;
  for (const auto& [other, sets] : won)
    ahead = ahead && (other == label || other.empty() || static_cast<double>(sets.size()) < mine);
  Finding finding;
  finding.criterion =
      fmt::format("first within {:g} % of F* on at least {:g} of {:g} sets; partly: on more sets than any other",
                  100 * evidence.results.tolerance, wanted, of);
  if (won.size() == (won.contains("") ? 1 : 0)) return finding;  // nobody arrived anywhere
  finding.measured = "first: " + tally(won);
  const double share = mine / static_cast<double>(evidence.results.sets.size());
  finding.outcome = share >= wanted / of ? Outcome::confirmed : ahead ? Outcome::partly : Outcome::not_confirmed;
  return finding;
}

Finding judge_wins_on(const Json& rule, const Evidence& evidence) {
  const std::string label = rule.at("label");
  Finding finding;
  finding.criterion = "first within the tolerance on " + join(strings_of(rule, "sets"), " and ") + "; partly: on some";
  Strings said;
  double first = 0, judged = 0;
  for (const ResultSet* set : sets_of(rule, evidence.results)) {
    const std::string best = winner(evidence.results, *set, kPaperMethods, clock_of(rule));
    if (best.empty()) continue;
    judged += 1;
    first += best == label ? 1 : 0;
    said.push_back(fmt::format("{}: {} first ({}), {} {}", set->name, best,
                               duration(arrival(evidence.results, *set, best, clock_of(rule))), label,
                               duration(arrival(evidence.results, *set, label, clock_of(rule)))));
  }
  finding.measured = join(said, "; ");
  finding.outcome = grade(first / judged, 1, 1e-9);
  return finding;
}

// How many times as long as `than` a label takes; infinite where only `than` arrives, NaN where neither does.
double times_as_long(const Results& results, const ResultSet& set, const std::string& label, const std::string& than,
                     Clock clock) {
  const double mine = arrival(results, set, label, clock), other = arrival(results, set, than, clock);
  if (std::isinf(mine) && std::isinf(other)) return std::nan("");
  return mine / other;
}

Finding judge_slower(const Json& rule, const Evidence& evidence) {
  const std::string than = rule.at("than");
  const double by = rule.value("by", 1.0), share = rule.at("share");
  Finding finding;
  finding.criterion = fmt::format(
      "{} more than {:g} times as long as {} to get within the tolerance (or never) on at least {:.0f} % of {}; "
      "partly: some of them",
      join(strings_of(rule, "labels"), " and "), by, than, 100 * share,
      rule.contains("sets") ? join(strings_of(rule, "sets")) : "the sets");
  Strings said;
  double slow_labels = 0, labels = 0;
  for (const std::string& label : strings_of(rule, "labels")) {
    Strings ratios;
    double slower = 0, judged = 0;
    for (const ResultSet* set : sets_of(rule, evidence.results)) {
      const double ratio = times_as_long(evidence.results, *set, label, than, clock_of(rule));
      if (std::isnan(ratio) || evidence.results.trials(*set, label).empty()) continue;
      judged += 1;
      slower += ratio > by ? 1 : 0;
      ratios.push_back(set->name + " " + brief(ratio));
    }
    if (judged == 0) continue;
    labels += 1;
    slow_labels += slower / judged >= share ? 1 : 0;
    said.push_back(fmt::format("{} slower on {:g} of {:g}, times as long: {}", label, slower, judged, join(ratios)));
  }
  finding.measured = join(said, "; ");
  finding.outcome = grade(slow_labels / labels, 1, 1e-9);
  return finding;
}

Finding judge_faster(const Json& rule, const Evidence& evidence) {
  const std::string label = rule.at("label");
  const double factor = rule.value("factor", 1.0), share = rule.at("share"), part = rule.at("partly_share");
  const Strings others = strings_of(rule, "than");
  const Clock clock = clock_of(rule);
  Finding finding;
  finding.criterion = fmt::format(
      "{} takes at most {:g} times as long as {} to get within the tolerance, {} the graph's time, on at least {:.0f} "
      "% of the sets; partly: {:.0f} %",
      label, factor, others.size() == 1 ? others.front() : "the best of " + join(others),
      clock == Clock::cpu_with_graph ? "with" : "without", 100 * share, 100 * part);
  Strings said;
  double fast = 0, judged = 0, log_sum = 0, finite = 0;
  for (const ResultSet& set : evidence.results.sets) {
    const double mine = arrival(evidence.results, set, label, clock);
    double best = kNever;
    for (const std::string& other : others) best = std::min(best, arrival(evidence.results, set, other, clock));
    if (std::isinf(mine) && std::isinf(best)) continue;
    judged += 1;
    fast += mine <= factor * best ? 1 : 0;
    if (std::isfinite(mine) && std::isfinite(best)) {
      log_sum += std::log(best / mine);
      finite += 1;
    }
    said.push_back(fmt::format("{} {} against {}", set.name, duration(mine), duration(best)));
  }
  if (judged == 0) return finding;
  finding.measured = fmt::format("on {:g} of {:g} sets; geometric mean of the speed-up {}: {}", fast, judged,
                                 brief(std::exp(log_sum / finite)), join(said, "; "));
  finding.outcome = grade(fast / judged, share, part);
  return finding;
}

Finding judge_among_best(const Json& rule, const Evidence& evidence) {
  const std::string label = rule.at("label");
  const double within = rule.at("within"), share = rule.at("share");
  Finding finding;
  finding.criterion = fmt::format(
      "{} takes at most {:g} times as long as the fastest on at least {:.0f} % of the sets; partly: half of them",
      label, within, 100 * share);
  Strings said;
  double good = 0, judged = 0;
  for (const ResultSet& set : evidence.results.sets) {
    const std::string best = winner(evidence.results, set, kPaperMethods, clock_of(rule));
    if (best.empty()) continue;
    const double ratio = times_as_long(evidence.results, set, label, best, clock_of(rule));
    judged += 1;
    good += ratio <= within ? 1 : 0;
    said.push_back(set.name + " " + brief(ratio));
  }
  if (judged == 0) return finding;
  finding.measured = fmt::format("on {:g} of {:g} sets; times as long as the fastest: {}", good, judged, join(said));
  finding.outcome = grade(good / judged, share, 0.5);
  return finding;
}

Finding judge_wins_kept(const Json& rule, const Evidence& evidence) {
  const std::string label = rule.at("label");
  const auto without = wins(evidence.results, Clock::cpu_without_graph),
             with = wins(evidence.results, Clock::cpu_with_graph);
  const auto count = [&](const auto& won) {
    return won.contains(label) ? static_cast<double>(won.at(label).size()) : 0.0;
  };
  Finding finding;
  finding.criterion = "first on as many sets with the graph's time as without; partly: on at least half as many";
  if (count(without) == 0) return finding;
  finding.measured = fmt::format("without: {}. With: {}", tally(without), tally(with));
  finding.outcome = grade(count(with) / count(without), 1, 0.5);
  return finding;
}

std::string step_text(const std::optional<double>& step) { return step ? fmt::format("{:g}", *step) : "none"; }

Finding judge_steps_as_large(const Json& rule, const Evidence& evidence) {
  const std::string label = rule.at("label"), than = rule.at("than");
  const double share = rule.at("share"), part = rule.at("partly_share");
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
  finding.measured = fmt::format("on {:g} of {:g} sets: {}", good, judged, join(said, "; "));
  finding.outcome = grade(good / judged, share, part);
  return finding;
}

// The stable ones are stable at every step up to `up_to`, the others are not at any from `from` on.
Finding judge_stable_steps(const Json& rule, const Evidence& evidence) {
  const double up_to = rule.at("up_to"), from = rule.at("from");
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
  Strings said;
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
      said.push_back(fmt::format("{} ({})", label, join(tails)));
    }
  if (said.empty()) return finding;
  finding.measured = fmt::format("above F* on {}, by step: {}", set.name, join(said, "; "));
  finding.outcome = as_claimed ? Outcome::confirmed : least > most ? Outcome::partly : Outcome::not_confirmed;
  return finding;
}

}  // namespace

const std::vector<Entry>& of_speed() {
  static const std::vector<Entry> table{{"wins", judge_wins},
                                        {"wins-on", judge_wins_on},
                                        {"wins-kept", judge_wins_kept},
                                        {"slower", judge_slower},
                                        {"faster", judge_faster},
                                        {"among-best", judge_among_best},
                                        {"steps-as-large", judge_steps_as_large},
                                        {"stable-steps", judge_stable_steps}};
  return table;
}

}  // namespace s3gd::reproduce::criteria
