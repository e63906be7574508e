#include "reproduce/criteria.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "s3gd/error.hpp"

namespace s3gd::reproduce {

const char* name_of(Outcome outcome) {
  constexpr std::array kNames{"confirmed", "partly", "not confirmed", "not measured", "described"};
  return kNames[static_cast<std::size_t>(outcome)];
}

namespace {

// The sets that the rule names, or the experiment's.
criteria::Strings absent_sets(const Json& rule, const Evidence& evidence) {
  if (!rule.contains("sets")) return evidence.absent;
  auto names = rule.at("sets").get<criteria::Strings>();
  std::erase_if(names, [&](const std::string& name) { return evidence.results.find(name) != nullptr; });
  return names;
}

void say_what_is_missing(const criteria::Question& ask, bool counted, const Evidence& evidence, Finding& finding) {
  const std::string absent = join(ask.absent);
  if (finding.outcome == Outcome::not_measured) {
    finding.in_short = absent.empty() ? "no runs to judge by" : "not run: " + absent;
    finding.measured =
        finding.in_short + (evidence.missing.empty() ? "" : ". Of the runs it needs: " + evidence.missing);
  } else if (!absent.empty()) {
    finding.in_short += " (not run: " + absent + ")";
    finding.measured += ". Not run: " + absent;
    if (finding.outcome == Outcome::confirmed && !counted) finding.outcome = Outcome::partly;
  }
}

}  // namespace

Finding judge(const Claim& claim, const Evidence& evidence) {
  Results at_target;  // a claim may ask for another tolerance than the runs' own
  const bool own_target = claim.criterion.contains("target");
  if (own_target) {
    at_target = evidence.results;
    at_target.tolerance = claim.criterion.at("target").get<double>();
  }
  const criteria::Question ask{claim.criterion, own_target ? at_target : evidence.results, evidence.sets,
                               absent_sets(claim.criterion, evidence)};
  const std::string kind = ask.text("kind");
  for (const auto& table : {criteria::of_speed, criteria::of_measures, criteria::of_steps_and_curves})
    for (const criteria::Entry& entry : table()) {
      if (kind != entry.kind) continue;
      Finding finding = entry.judge(ask);
      finding.says = claim.says;
      say_what_is_missing(ask, entry.counts_sets, evidence, finding);
      return finding;
    }
  throw Error("there is no criterion '" + kind + "'", "see src/reproduce/criteria_*.cpp");
}

namespace criteria {

std::vector<const ResultSet*> Question::sets() const {
  std::vector<const ResultSet*> sets;
  if (!rule.contains("sets"))
    for (const ResultSet& set : results.sets) sets.push_back(&set);
  for (const std::string& name : list("sets"))
    if (const ResultSet* set = results.find(name)) sets.push_back(set);
  return sets;
}

Tally Question::tally() const { return {.absent = static_cast<double>(absent.size())}; }

void Tally::take(bool as_claimed, std::string words) {
  judged += 1;
  good += as_claimed ? 1 : 0;
  said.push_back(std::move(words));
}

std::string Tally::of_sets() const { return fmt::format("on {:g} of {:g} sets", good, all()); }

Outcome grade(double value, double full, double part) {
  if (std::isnan(value)) return Outcome::not_measured;
  return value >= full ? Outcome::confirmed : value >= part ? Outcome::partly : Outcome::not_confirmed;
}

Finding found(std::string criterion, Outcome outcome, const std::string& in_short, const std::string& details) {
  Finding finding{.says = {}, .criterion = std::move(criterion), .in_short = {}, .measured = {}, .outcome = outcome};
  if (outcome == Outcome::not_measured) return finding;
  finding.in_short = in_short;
  finding.measured = in_short + (details.empty() ? "" : ". " + details);
  return finding;
}

bool lists(const Strings& list, const std::string& word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

std::string brief(double number) {
  if (std::isnan(number)) return "-";
  return std::isinf(number) ? "never" : fmt::format("{:.3g}", number);
}

std::string duration(double seconds) { return std::isfinite(seconds) ? report::seconds_text(seconds) : brief(seconds); }

double number_in_label(const std::string& label, const std::string& name) {
  const std::string key = name + " = ";
  std::size_t at = label.find(key);
  while (at != std::string::npos && at > 0 && label[at - 1] != '(' && label[at - 1] != ' ')
    at = label.find(key, at + 1);
  return at == std::string::npos ? std::nan("") : std::stod(label.substr(at + key.size()));
}

namespace {

// At which steps methods are stable.
constexpr double kNoStep = std::numeric_limits<double>::infinity();

std::string step_text(double step) { return step > 0 ? fmt::format("{:g}", step) : "none"; }

// The largest stable step; 0 for a method without one.
double largest(const Question& ask, const ResultSet& set, const std::string& label) {
  return largest_stable_step(ask.results, set, label).value_or(0);
}

Finding judge_steps_as_large(const Question& ask) {
  const std::string label = ask.text("label"), than = ask.text("than");
  const double share = ask.number("share"), part = ask.number("partly_share");
  Tally sets = ask.tally();
  for (const ResultSet& set : ask.results.sets) {
    if (ask.results.trials(set, label).empty() || ask.results.trials(set, than).empty()) continue;
    const double mine = largest(ask, set, label), other = largest(ask, set, than);
    sets.take(mine > 0 && mine >= other, fmt::format("{} {} and {}", set.name, step_text(mine), step_text(other)));
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
  return found(criterion, grade(!said.empty(), as_claimed, least > most),
               fmt::format("largest stable steps on {}: {}", set.name, join(largest_steps)),
               "Above F*, by step: " + join(said, "; "));
}

// Steps on a fine grid, so that "larger" does not mean "ten times as large".
Finding judge_larger_steps(const Question& ask) {
  const Strings labels = ask.list("labels"), others = ask.list("than");
  const auto grid = ask.rule.at("of_steps").get<std::size_t>();
  const double share = ask.number("share"), part = ask.number("partly_share");
  Tally sets = ask.tally();
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
  const Outcome outcome = grade(sets.judged > 0, sets.share() >= share, than_first / sets.all() >= part);
  return found(fmt::format("largest stable step of {} larger than that of each of {} on at least {:.0f} % of the sets "
                           "with {} steps; partly: than that of {} on {:.0f} %",
                           join(labels, " and of "), join(others), 100 * share, grid, others.front(), 100 * part),
               outcome,
               fmt::format("larger than all others {}, than {} on {:g}", sets.of_sets(), others.front(), than_first),
               join(sets.said, "; "));
}

// Curves that follow one another, and the shapes of the sets.
Finding judge_test_follows(const Question& ask) {
  const double bound = ask.number("at_least"), share = ask.number("share");
  std::vector<double> all;
  Tally curves;
  for (const ResultSet& set : ask.results.sets)
    for (const std::string& label : ask.results.labels()) {
      const auto trials = ask.results.trials(set, label);
      const double agreement = rank_correlation(mean_points(trials, &TraceRow::train_objective),
                                                mean_points(trials, &TraceRow::test_objective));
      if (std::isnan(agreement)) continue;
      all.push_back(agreement);
      curves.take(agreement >= bound, fmt::format("{} on {} {:.2f}", label, set.name, agreement));
      if (agreement >= bound) curves.said.pop_back();  // those below are told
    }
  return found(
      fmt::format(
          "rank correlation of testing and training objective along the run at least {:g} in {:.0f} % of the curves; "
          "partly: in half of them",
          bound, 100 * share),
      grade(curves.share(), share, 0.5),
      fmt::format("{:g} of {:g} curves, median {:.3f}", curves.good, curves.judged, median_of(all)),
      curves.said.empty() ? "" : "Below: " + join(curves.said));
}

// Each pair of labels that the rule names, on each set.
template <class Use>
void for_each_pair(const Question& ask, Use&& use) {
  for (const ResultSet& set : ask.results.sets)
    for (const Json& pair : ask.rule.at("pairs")) use(set, pair[0].get<std::string>(), pair[1].get<std::string>());
}

// Two labels' curves at the same iterations.
Finding judge_alike(const Question& ask) {
  const double within = ask.number("within");
  Tally pairs;
  double largest = 0;
  for_each_pair(ask, [&](const ResultSet& set, const std::string& a, const std::string& b) {
    const auto one = mean_points(ask.results.trials(set, a), &TraceRow::test_objective);
    const auto two = mean_points(ask.results.trials(set, b), &TraceRow::test_objective);
    std::vector<double> differences;
    for (std::size_t k = 0; k < std::min(one.size(), two.size()); ++k)
      differences.push_back(std::abs(one[k] - two[k]) / std::min(one[k], two[k]));
    const double median = median_of(differences);
    if (std::isnan(median)) return;
    largest = std::max(largest, median);
    pairs.take(median <= within, fmt::format("{} and {}: median {:.2g} %, largest {:.2g} %", a, b, 100 * median,
                                             100 * *std::max_element(differences.begin(), differences.end())));
  });
  return found(fmt::format("testing objectives at the same iterations differ by at most {:g} % in the median over the "
                           "looks, for each pair; partly: for one",
                           100 * within),
               grade(pairs.share(), 1, 1e-9), fmt::format("the largest median difference is {:.2g} %", 100 * largest),
               join(pairs.said, "; "));
}

Finding judge_inner_iterations(const Question& ask) {
  Tally pairs;
  for_each_pair(ask, [&](const ResultSet& set, const std::string& a, const std::string& b) {
    const auto one = reaches_target(ask.results, set, a, Clock::iterations);
    const auto two = reaches_target(ask.results, set, b, Clock::iterations);
    if (one || two)
      pairs.take(one && (!two || *one <= *two),
                 fmt::format("{} {}, {} {}", a, one ? brief(*one) : "never", b, two ? brief(*two) : "never"));
  });
  return found(
      "the first of each pair within the tolerance after no more iterations than the second, in the median over the "
      "trials; partly: of one pair",
      grade(pairs.share(), 1, 1e-9), "median iterations: " + join(pairs.said, "; "));
}

// A description, not a claim: whether the sets here are the paper's, by their shape.
Finding describe_shapes(const Question& ask) {
  Strings same, other, generated;
  for (const FoundSet& set : ask.paper_sets) {
    const ResultSet* here = ask.results.find(set.data.name);
    const bool equal = here != nullptr && !set.generated && here->rows == set.train && here->test_rows == set.test &&
                       here->cols == set.cols;
    (set.generated ? generated : equal ? same : other).push_back(set.name);
  }
  const std::size_t all = ask.paper_sets.size();
  const auto names = [](const Strings& list) { return list.empty() ? "none" : join(list); };
  Finding finding = found("nothing to confirm: rows, test rows and columns beside the paper's",
                          all == 0 ? Outcome::not_measured : Outcome::described,
                          fmt::format("same shape {}, another real set or shape {}, generated {}", same.size(),
                                      other.size(), generated.size()),
                          fmt::format("Same shape: {}; real, of another shape: {}; generated: {}", names(same),
                                      names(other), names(generated)));
  if (all > 0)
    finding.word = same.size() == all ? "as in the paper" : fmt::format("differs in {} of {}", all - same.size(), all);
  return finding;
}

}  // namespace

const std::vector<Entry>& of_steps_and_curves() {
  static const std::vector<Entry> table{{"steps-as-large", judge_steps_as_large, true},
                                        {"stable-steps", judge_stable_steps},
                                        {"larger-steps", judge_larger_steps, true},
                                        {"test-follows", judge_test_follows},
                                        {"alike", judge_alike},
                                        {"inner-iterations", judge_inner_iterations},
                                        {"shapes", describe_shapes}};
  return table;
}

}  // namespace criteria
}  // namespace s3gd::reproduce
