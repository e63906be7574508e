// Who gets within the tolerance of the optimum first.
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

Clock clock_of(const Question& ask) {
  return ask.rule.value("with_graph", false) ? Clock::cpu_with_graph : Clock::cpu_without_graph;
}

// The methods of the paper, unless the rule names others; further contenders of the same runs do not count.
Strings racers(const Question& ask) {
  static const Strings kPaperMethods{"sgd", "ssgd", "svrg", "scv", "s3gd"};
  return ask.rule.contains("among") ? ask.list("among") : kPaperMethods;
}

double arrival(const Question& ask, const ResultSet& set, const std::string& label, Clock clock) {
  return reaches_target(ask.results, set, label, clock).value_or(kNever);
}

// The first to arrive; empty where nobody does.
struct Winner {
  std::string label;
  double seconds = kNever, runner_up = kNever;

  // Two looks are so far apart that it might as well have been the other.
  const char* narrowly() const { return runner_up < kNarrow * seconds ? " narrowly" : ""; }
};

Winner winner(const Question& ask, const ResultSet& set, Clock clock) {
  Winner first;
  for (const std::string& label : racers(ask)) {
    const double seconds = arrival(ask, set, label, clock);
    if (seconds < first.seconds)
      first = {label, seconds, first.seconds};
    else
      first.runner_up = std::min(first.runner_up, seconds);
  }
  return first;
}

// Sets by who is first there; the empty name has those where nobody arrives.
struct Wins : std::map<std::string, Strings> {
  Wins(const Question& ask, Clock clock) {
    for (const ResultSet& set : ask.results.sets) {
      const Winner first = winner(ask, set, clock);
      (*this)[first.label].push_back(set.name + first.narrowly());
    }
  }
  double count(const std::string& label) const { return contains(label) ? static_cast<double>(at(label).size()) : 0.0; }
  // "s3gd on 4 (IJCNN, ..); sgd on 1 (..)"
  std::string words() const {
    Strings parts;
    for (const auto& [label, sets] : *this)
      parts.push_back(fmt::format("{} on {} ({})", label.empty() ? "none" : label, sets.size(), join(sets)));
    return join(parts, "; ");
  }
};

std::string within(const Question& ask) {
  return fmt::format(
      "within {:g} % of F* in the median over the trials{}", 100 * ask.results.tolerance,
      clock_of(ask) == Clock::cpu_with_graph ? ", all that comes before the first step on the clock" : "");
}

Finding judge_wins(const Question& ask) {
  const std::string label = ask.text("label");
  const double wanted = ask.number("at_least"), of = ask.number("of");
  const Wins won(ask, clock_of(ask));
  const double mine = won.count(label);
  bool ahead = true;  // even if another were first wherever nothing was run
  for (const std::string& other : racers(ask))
    ahead = ahead && (other == label || won.count(other) + ask.tally().absent < mine);
  return found(fmt::format("first {} on at least {:g} of {:g} sets; partly: on more sets than any other", within(ask),
                           wanted, of),
               grade(!ask.results.sets.empty(), mine >= wanted, ahead),
               fmt::format("{} first on {:g} of {:g} sets", label, mine, of), "First: " + won.words());
}

Finding judge_wins_on(const Question& ask) {
  const std::string label = ask.text("label");
  const Strings named = ask.list("sets");
  const bool only = ask.rule.value("only", false);
  const Clock clock = clock_of(ask);
  const std::string criterion = fmt::format("first {} on {}{}; partly: on some{}", within(ask), join(named, " and "),
                                            only ? " and nowhere else" : "", only ? ", or elsewhere too" : "");
  Tally sets = ask.tally();
  for (const ResultSet* set : ask.sets()) {
    const Winner best = winner(ask, *set, clock);
    sets.take(best.label == label, best.label.empty() ? set->name + ": nobody"
                                                      : fmt::format("{}: {} first{} ({}), {} {}", set->name, best.label,
                                                                    best.narrowly(), duration(best.seconds), label,
                                                                    duration(arrival(ask, *set, label, clock))));
  }
  Strings elsewhere;
  for (const ResultSet& set : ask.results.sets)
    if (only && !lists(named, set.paper_name()) && winner(ask, set, clock).label == label)
      elsewhere.push_back(set.name);
  if (!elsewhere.empty()) sets.said.push_back("also first on " + join(elsewhere));
  const char* others = elsewhere.size() == 1 ? "other" : "others";
  return found(criterion, grade(elsewhere.empty() || sets.good == 0 ? sets.share() : 0.5, 1, 1e-9),
               fmt::format("{} first on {:g} of {:g}{}", label, sets.good, sets.all(),
                           elsewhere.empty() ? "" : fmt::format(", and on {} {}", elsewhere.size(), others)),
               join(sets.said, "; "));
}

// How many times as long as `than` a label takes; 0 and infinite where one of them never arrives, NaN where neither does.
double times_as_long(const Question& ask, const ResultSet& set, const std::string& label, const std::string& than) {
  const double mine = arrival(ask, set, label, clock_of(ask)), other = arrival(ask, set, than, clock_of(ask));
  return std::isinf(mine) && std::isinf(other) ? std::nan("") : mine / other;
}

// "IJCNN 2.1 times", "Covtype: sgd never arrives, svrg does"
std::string in_words(const ResultSet& set, double ratio, const std::string& label, const std::string& than) {
  if (std::isnan(ratio)) return fmt::format("{}: neither arrives", set.name);
  if (std::isinf(ratio)) return fmt::format("{}: {} never arrives, {} does", set.name, label, than);
  if (ratio == 0) return fmt::format("{}: {} never arrives, {} does", set.name, than, label);
  return fmt::format("{} {} times", set.name, brief(ratio));
}

Finding judge_slower(const Question& ask) {
  const std::string than = ask.text("than");
  const double share = ask.number("share"), by = ask.rule.value("by", 1.0);
  const Strings labels = ask.list("labels");
  Strings counts;
  Tally slow;
  for (const std::string& label : labels) {
    Tally sets = ask.tally();
    for (const ResultSet* set : ask.sets()) {
      if (ask.results.trials(*set, label).empty() || ask.results.trials(*set, than).empty()) continue;
      const double ratio = times_as_long(ask, *set, label, than);
      sets.take(ratio > by, in_words(*set, ratio, label, than));
    }
    if (sets.judged == 0) continue;
    counts.push_back(fmt::format("{} slower on {:g} of {:g}", label, sets.good, sets.all()));
    slow.take(sets.share() >= share, fmt::format("{} against {}: {}", label, than, join(sets.said)));
  }
  return found(fmt::format("{} more than {:g} times as long as {} to get {} (or never, where {} does) on at least "
                           "{:.0f} % of {}; partly: some of them",
                           join(labels, " and "), by, than, within(ask), than, 100 * share,
                           ask.rule.contains("sets") ? join(ask.list("sets")) : "the sets"),
               grade(slow.share(), 1, 1e-9), join(counts), join(slow.said, "; "));
}

Finding judge_faster(const Question& ask) {
  const std::string label = ask.text("label");
  const double factor = ask.rule.value("factor", 1.0), share = ask.number("share"), part = ask.number("partly_share");
  const Strings others = ask.list("than");
  const Clock clock = clock_of(ask);
  Tally sets = ask.tally();
  double log_sum = 0, finite = 0;
  for (const ResultSet& set : ask.results.sets) {
    const double mine = arrival(ask, set, label, clock);
    double best = kNever;
    for (const std::string& other : others) best = std::min(best, arrival(ask, set, other, clock));
    if (ask.results.trials(set, label).empty()) continue;
    if (std::isfinite(mine) && std::isfinite(best)) {
      log_sum += std::log(best / mine);
      finite += 1;
    }
    sets.take(std::isfinite(mine) && mine <= factor * best,
              fmt::format("{} {} against {}", set.name, duration(mine), duration(best)));
  }
  return found(
      fmt::format("{} takes at most {:g} times as long as {} to get {}, on at least {:.0f} % of the sets; partly: "
                  "{:.0f} %",
                  label, factor, others.size() == 1 ? others.front() : "the best of " + join(others), within(ask),
                  100 * share, 100 * part),
      grade(sets.share(), share, part),
      fmt::format("{}, {} times as fast in the geometric mean", sets.of_sets(), brief(std::exp(log_sum / finite))),
      join(sets.said, "; "));
}

Finding judge_among_best(const Question& ask) {
  const std::string label = ask.text("label");
  const double times = ask.number("within"), share = ask.number("share");
  Tally sets = ask.tally();
  for (const ResultSet& set : ask.results.sets) {
    const std::string best = winner(ask, set, clock_of(ask)).label;
    const double ratio = best.empty() ? std::nan("") : times_as_long(ask, set, label, best);
    sets.take(ratio <= times, set.name + " " + (best.empty() ? "nobody" : brief(ratio)));
  }
  return found(
      fmt::format("{} takes at most {:g} times as long as the fastest to get {} on at least {:.0f} % of the sets; "
                  "partly: half of them",
                  label, times, within(ask), 100 * share),
      grade(sets.share(), share, 0.5), sets.of_sets(), "Times as long as the fastest: " + join(sets.said));
}

Finding judge_wins_kept(const Question& ask) {
  const std::string label = ask.text("label");
  const Wins without(ask, Clock::cpu_without_graph), with(ask, Clock::cpu_with_graph);
  const double kept = with.count(label) / std::max(1.0, without.count(label));
  return found(
      "first on as many sets with the graph's time as without, and on one at least; partly: on at least half "
      "as many",
      grade(!without.empty(), kept >= 1, kept >= 0.5),
      fmt::format("{} first on {:g} sets without the graph's time, on {:g} with it", label, without.count(label),
                  with.count(label)),
      fmt::format("Without: {}. With: {}", without.words(), with.words()));
}

}  // namespace

const std::vector<Entry>& of_speed() {
  static const std::vector<Entry> table{{"wins", judge_wins, true},     {"wins-on", judge_wins_on, true},
                                        {"wins-kept", judge_wins_kept}, {"slower", judge_slower, true},
                                        {"faster", judge_faster, true}, {"among-best", judge_among_best, true}};
  return table;
}

}  // namespace s3gd::reproduce::criteria
