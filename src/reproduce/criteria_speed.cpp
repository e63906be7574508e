// Who gets within the tolerance of the optimum first, and at which steps.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "reproduce/criteria.hpp"

namespace s3gd::reproduce::criteria {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
const double kNarrow = Plan{}.look_growth;  // looks are so far apart

Clock clock_of(const Json& rule) {
  return rule.value("with_graph", false) ? Clock::cpu_with_graph : Clock::cpu_without_graph;
}

// The methods of the paper; other contenders of the same runs do not count.
const Strings kPaperMethods{"sgd", "ssgd", "svrg", "scv", "s3gd"};

double arrival(const Results& results, const ResultSet& set, const std::string& label, Clock clock) {
  return reaches_target(results, set, label, clock).value_or(kNever);
}

// The first to arrive; empty where nobody does.
struct Winner {
  std::string label;
  double seconds = kNever, runner_up = kNever;

  // Two looks are so far apart that it might as well have been the other.
  bool narrowly() const { return runner_up < kNarrow * seconds; }
};

Winner winner(const Results& results, const ResultSet& set, const Strings& labels, Clock clock) {
  Winner first;
  for (const std::string& label : labels) {
    const double seconds = arrival(results, set, label, clock);
    if (seconds < first.seconds) {
      first.runner_up = first.seconds;
      first.seconds = seconds;
      first.label = label;
    } else {
      first.runner_up = std::min(first.runner_up, seconds);
    }
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
  for (const ResultSet& set : results.sets) {
    const Winner first = winner(results, set, kPaperMethods, clock);
    won[first.label].push_back(set.name + (first.narrowly() ? " narrowly" : ""));
  }
  return won;
}

std::string within(const Results& results) { return fmt::format("within {:g} % of F*", 100 * results.tolerance); }

Finding judge_wins(const Json& rule, const Evidence& evidence) {
  const std::string label = rule.at("label").get<std::string>();
  const double wanted = rule.at("at_least").get<double>(), of = rule.at("of").get<double>();
  const auto won = wins(evidence.results, clock_of(rule));
  const auto mine = won.contains(label) ? static_cast<double>(won.at(label).size()) : 0.0;
  bool ahead = mine > 0;
  for (const auto& [other, sets] : won)
    ahead = ahead && (other == label || other.empty() || static_cast<double>(sets.size()) < mine);
  Finding finding;
  finding.criterion = fmt::format("first {} on at least {:g} of {:g} sets; partly: on more sets than any other",
                                  within(evidence.results), wanted, of);
  const std::size_t sets = evidence.results.sets.size();
  if (sets == 0) return finding;
  if (won.size() == 1 && won.contains("")) {
    leave_open(finding, fmt::format("nobody came {} on any of {} sets", within(evidence.results), sets));
    return finding;
  }
  const double share = mine / static_cast<double>(sets);
  conclude(finding,
           share >= wanted / of ? Outcome::confirmed
           : ahead              ? Outcome::partly
                                : Outcome::not_confirmed,
           fmt::format("{} first on {:g} of {} sets", label, mine, sets), "First: " + tally(won));
  return finding;
}

Strings wins_elsewhere(const Json& rule, const Results& results) {
  const Strings named = strings_of(rule, "sets");
  Strings elsewhere;
  for (const ResultSet& set : results.sets)
    if (std::find(named.begin(), named.end(), set.paper_name()) == named.end() &&
        winner(results, set, kPaperMethods, clock_of(rule)).label == rule.at("label").get<std::string>())
      elsewhere.push_back(set.name);
  return elsewhere;
}

Finding judge_wins_on(const Json& rule, const Evidence& evidence) {
  const std::string label = rule.at("label").get<std::string>();
  Finding finding;
  const bool only = rule.value("only", false);
  finding.criterion =
      fmt::format("first within the tolerance on {}{}; partly: on some{}", join(strings_of(rule, "sets"), " and "),
                  only ? " and nowhere else" : "", only ? ", or elsewhere too" : "");
  Strings said;
  double first = 0, judged = 0;
  for (const ResultSet* set : sets_of(rule, evidence.results)) {
    const Winner best = winner(evidence.results, *set, kPaperMethods, clock_of(rule));
    if (best.label.empty()) {
      said.push_back(fmt::format("{}: nobody", set->name));
      continue;
    }
    judged += 1;
    first += best.label == label ? 1 : 0;
    said.push_back(fmt::format("{}: {} first{} ({}), {} {}", set->name, best.label, best.narrowly() ? " narrowly" : "",
                               duration(best.seconds), label,
                               duration(arrival(evidence.results, *set, label, clock_of(rule)))));
  }
  if (judged == 0 && !said.empty()) {
    leave_open(finding, join(said, "; "));
    return finding;
  }
  const Strings elsewhere = only ? wins_elsewhere(rule, evidence.results) : Strings{};
  if (!elsewhere.empty()) said.push_back("also first on " + join(elsewhere));
  const char* others = elsewhere.size() == 1 ? "other" : "others";
  conclude(finding, grade(elsewhere.empty() || first == 0 ? first / judged : 0.5, 1, 1e-9),
           fmt::format("{} first on {:g} of {:g}{}", label, first, judged,
                       elsewhere.empty() ? "" : fmt::format(", and on {} {}", elsewhere.size(), others)),
           join(said, "; "));
  return finding;
}

// How many times as long as `than` a label takes; infinite where only `than` arrives, NaN where neither does.
double times_as_long(const Results& results, const ResultSet& set, const std::string& label, const std::string& than,
                     Clock clock) {
  const double mine = arrival(results, set, label, clock), other = arrival(results, set, than, clock);
  if (std::isinf(mine) && std::isinf(other)) return std::nan("");
  return mine / other;
}

// "IJCNN 2.1 times", "Covtype: sgd never arrives, svrg does"
std::string in_words(const ResultSet& set, double ratio, const std::string& label, const std::string& than) {
  if (std::isinf(ratio)) return fmt::format("{}: {} never arrives, {} does", set.name, label, than);
  if (ratio == 0) return fmt::format("{}: {} never arrives, {} does", set.name, than, label);
  return fmt::format("{} {} times", set.name, brief(ratio));
}

// A label against another on all sets.
struct Slower {
  Strings ratios, neither;  // in words; sets on which neither arrives
  double slower = 0, judged = 0;
};

Slower compare_times(const Json& rule, const Results& results, const std::string& label) {
  const std::string than = rule.at("than").get<std::string>();
  Slower found;
  for (const ResultSet* set : sets_of(rule, results)) {
    if (results.trials(*set, label).empty() || results.trials(*set, than).empty()) continue;
    const double ratio = times_as_long(results, *set, label, than, clock_of(rule));
    if (std::isnan(ratio)) {
      found.neither.push_back(set->name);
      continue;
    }
    found.judged += 1;
    found.slower += ratio > rule.value("by", 1.0) ? 1 : 0;
    found.ratios.push_back(in_words(*set, ratio, label, than));
  }
  return found;
}

Finding judge_slower(const Json& rule, const Evidence& evidence) {
  const std::string than = rule.at("than").get<std::string>();
  const double share = rule.at("share").get<double>();
  Finding finding;
  finding.criterion = fmt::format(
      "{} more than {:g} times as long as {} to get within the tolerance (or never) on at least {:.0f} % of {}; "
      "partly: some of them",
      join(strings_of(rule, "labels"), " and "), rule.value("by", 1.0), than, 100 * share,
      rule.contains("sets") ? join(strings_of(rule, "sets")) : "the sets");
  Strings counts, said, neither;
  double slow_labels = 0, labels = 0;
  for (const std::string& label : strings_of(rule, "labels")) {
    const Slower found = compare_times(rule, evidence.results, label);
    if (!found.neither.empty())
      neither.push_back(
          fmt::format("neither {} nor {} came {} on {}", label, than, within(evidence.results), join(found.neither)));
    if (found.judged == 0) continue;
    labels += 1;
    slow_labels += found.slower / found.judged >= share ? 1 : 0;
    counts.push_back(fmt::format("{} slower on {:g} of {:g}", label, found.slower, found.judged));
    said.push_back(fmt::format("{} against {}: {}", label, than, join(found.ratios)));
  }
  said.insert(said.end(), neither.begin(), neither.end());
  if (labels == 0 && !neither.empty())
    leave_open(finding, join(neither, "; "));
  else
    conclude(finding, grade(slow_labels / labels, 1, 1e-9), join(counts), join(said, "; "));
  return finding;
}

Finding judge_faster(const Json& rule, const Evidence& evidence) {
  const std::string label = rule.at("label").get<std::string>();
  const double factor = rule.value("factor", 1.0), share = rule.at("share").get<double>(),
               part = rule.at("partly_share").get<double>();
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
    if (evidence.results.trials(set, label).empty() || (std::isinf(mine) && std::isinf(best))) continue;
    judged += 1;
    fast += mine <= factor * best ? 1 : 0;
    if (std::isfinite(mine) && std::isfinite(best)) {
      log_sum += std::log(best / mine);
      finite += 1;
    }
    said.push_back(fmt::format("{} {} against {}", set.name, duration(mine), duration(best)));
  }
  if (judged == 0) return finding;
  conclude(finding, grade(fast / judged, share, part),
           fmt::format("on {:g} of {:g} sets, {} times as fast in the geometric mean", fast, judged,
                       brief(std::exp(log_sum / finite))),
           join(said, "; "));
  return finding;
}

Finding judge_among_best(const Json& rule, const Evidence& evidence) {
  const std::string label = rule.at("label").get<std::string>();
  const double within = rule.at("within").get<double>(), share = rule.at("share").get<double>();
  Finding finding;
  finding.criterion = fmt::format(
      "{} takes at most {:g} times as long as the fastest on at least {:.0f} % of the sets; partly: half of them",
      label, within, 100 * share);
  Strings said;
  double good = 0, judged = 0;
  for (const ResultSet& set : evidence.results.sets) {
    const std::string best = winner(evidence.results, set, kPaperMethods, clock_of(rule)).label;
    if (best.empty()) continue;
    const double ratio = times_as_long(evidence.results, set, label, best, clock_of(rule));
    judged += 1;
    good += ratio <= within ? 1 : 0;
    said.push_back(set.name + " " + brief(ratio));
  }
  if (judged == 0) return finding;
  conclude(finding, grade(good / judged, share, 0.5), fmt::format("on {:g} of {:g} sets", good, judged),
           "Times as long as the fastest: " + join(said));
  return finding;
}

Finding judge_wins_kept(const Json& rule, const Evidence& evidence) {
  const std::string label = rule.at("label").get<std::string>();
  const auto without = wins(evidence.results, Clock::cpu_without_graph),
             with = wins(evidence.results, Clock::cpu_with_graph);
  const auto count = [&](const auto& won) {
    return won.contains(label) ? static_cast<double>(won.at(label).size()) : 0.0;
  };
  Finding finding;
  finding.criterion = "first on as many sets with the graph's time as without; partly: on at least half as many";
  if (evidence.results.sets.empty()) return finding;
  if (count(without) == 0)
    leave_open(finding, fmt::format("{} is first nowhere, with or without: {}", label, tally(without)));
  else
    conclude(finding, grade(count(with) / count(without), 1, 0.5),
             fmt::format("{} first on {:g} sets without the graph's time, on {:g} with it", label, count(without),
                         count(with)),
             fmt::format("Without: {}. With: {}", tally(without), tally(with)));
  return finding;
}

}  // namespace

const std::vector<Entry>& of_speed() {
  static const std::vector<Entry> table{{"wins", judge_wins},           {"wins-on", judge_wins_on},
                                        {"wins-kept", judge_wins_kept}, {"slower", judge_slower},
                                        {"faster", judge_faster},       {"among-best", judge_among_best}};
  return table;
}

}  // namespace s3gd::reproduce::criteria
