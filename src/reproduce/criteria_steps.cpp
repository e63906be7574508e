// At which steps methods are stable.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "reproduce/criteria.hpp"

namespace s3gd::reproduce::criteria {
namespace {

constexpr double kNoStep = std::numeric_limits<double>::infinity();

std::string step_text(double step) { return step > 0 ? fmt::format("{:g}", step) : "none"; }

// The largest stable step; 0 for a method without one.
double largest(const Question& ask, const ResultSet& set, const std::string& label) {
  return largest_stable_step(ask.results, set, label).value_or(0);
}

Finding judge_steps_as_large(const Question& ask) {
  const std::string label = ask.text("label"), than = ask.text("than");
  const double share = ask.number("share"), part = ask.number("partly_share");
  Tally sets;
  for (const ResultSet& set : ask.results.sets) {
    if (ask.results.trials(set, label).empty() || ask.results.trials(set, than).empty()) continue;
    const double mine = largest(ask, set, label), other = largest(ask, set, than);
    if (mine > 0 || other > 0)
      sets.take(mine >= other, fmt::format("{} {} and {}", set.name, step_text(mine), step_text(other)));
  }
  return found(fmt::format("largest stable step of {} not below that of {} on at least {:.0f} % of the sets; partly: "
                           "{:.0f} %",
                           label, than, 100 * share, 100 * part),
               grade(sets.share(), share, part), sets.of_sets(), join(sets.said, "; "));
}

// The stable ones are stable at every step up to `up_to`, the others are not at any from `from` on.
Finding judge_stable_steps(const Question& ask) {
  const double up_to = ask.number("up_to"), from = ask.number("from");
  const Strings stable = ask.list("stable"), unstable = ask.list("unstable");
  const std::string criterion = fmt::format(
      "mean objective of the last iterations within {:g} % of F*: for {} at every step up to {:g}, for {} at no step "
      "from {:g} on; partly: each of the former has a larger largest stable step than each of the latter",
      100 * ask.results.tolerance, join(stable, " and "), up_to, join(unstable), from);
  if (ask.results.sets.empty()) return found(criterion, Outcome::not_measured, "");
  const ResultSet& set = ask.results.sets.front();
  bool as_claimed = true;
  double least = kNoStep, most = 0;
  Strings largest_steps, said;
  for (const bool should : {true, false})
    for (const std::string& label : should ? stable : unstable) {
      const double largest_here = largest(ask, set, label);
      Strings tails;
      for (const double step : steps_of(ask.results, set, label)) {
        const double above = tail_objective(ask.results, set, label, step) / set.optimum - 1;
        tails.push_back(fmt::format("{:g}: {} %", step, brief(100 * above)));
        if (should ? step <= up_to : step >= from)
          as_claimed = as_claimed && is_stable(ask.results, set, label, step) == should;
      }
      if (tails.empty()) continue;
      (should ? least : most) = should ? std::min(least, largest_here) : std::max(most, largest_here);
      largest_steps.push_back(fmt::format("{} {}", label, largest_here > 0 ? brief(largest_here) : "none"));
      said.push_back(fmt::format("{} ({})", label, join(tails)));
    }
  return found(criterion,
               said.empty()   ? Outcome::not_measured
               : as_claimed   ? Outcome::confirmed
               : least > most ? Outcome::partly
                              : Outcome::not_confirmed,
               fmt::format("largest stable steps on {}: {}", set.name, join(largest_steps)),
               "Above F*, by step: " + join(said, "; "));
}

// Steps on a fine grid, so that "larger" does not mean "ten times as large".
Finding judge_larger_steps(const Question& ask) {
  const Strings labels = ask.list("labels"), others = ask.list("than");
  const auto grid = ask.rule.at("of_steps").get<std::size_t>();
  const double share = ask.number("share"), part = ask.number("partly_share");
  Tally sets;
  double than_first = 0;
  for (const ResultSet& set : ask.results.sets) {
    if (steps_of(ask.results, set, labels.front()).size() < grid) continue;
    double least = kNoStep, most = 0;
    Strings list;
    for (const bool ours : {true, false})
      for (const std::string& label : ours ? labels : others) {
        const double step = largest(ask, set, label);
        (ours ? least : most) = ours ? std::min(least, step) : std::max(most, step);
        list.push_back(label + " " + step_text(step));
      }
    than_first += least > largest(ask, set, others.front()) ? 1 : 0;
    sets.take(least > most, set.name + ": " + join(list));
  }
  const Outcome outcome = sets.judged == 0                   ? Outcome::not_measured
                          : sets.share() >= share            ? Outcome::confirmed
                          : than_first / sets.judged >= part ? Outcome::partly
                                                             : Outcome::not_confirmed;
  return found(fmt::format("largest stable step of {} larger than that of each of {} on at least {:.0f} % of the sets "
                           "with {} steps; partly: than that of {} on {:.0f} %",
                           join(labels, " and of "), join(others), 100 * share, grid, others.front(), 100 * part),
               outcome,
               fmt::format("larger than all others {}, than {} on {:g}", sets.of_sets(), others.front(), than_first),
               join(sets.said, "; "));
}

}  // namespace

const std::vector<Entry>& of_steps() {
  static const std::vector<Entry> table{{"steps-as-large", judge_steps_as_large},
                                        {"stable-steps", judge_stable_steps},
                                        {"larger-steps", judge_larger_steps}};
  return table;
}

}  // namespace s3gd::reproduce::criteria
