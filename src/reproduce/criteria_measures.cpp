// What an iteration costs, how the cost grows, and how well gradients are estimated.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "reproduce/criteria.hpp"

namespace s3gd::reproduce {
namespace {

constexpr double kNoLimit = std::numeric_limits<double>::infinity();

double& side(Shape& shape, const std::string& by) {
  static const std::map<std::string, double Shape::*> kSides{
      {"n", &Shape::n}, {"d", &Shape::d}, {"m", &Shape::m}, {"p", &Shape::p}, {"k_in", &Shape::k_in}};
  return shape.*kSides.at(by);
}

struct Sample {
  Shape shape;
  double seconds = 0;
};

Shape shape_of(const ResultSet& set, const std::string& solver) {
  return {
      .n = static_cast<double>(set.rows), .d = static_cast<double>(set.cols), .k_in = solver == "svrg" ? 50.0 : 20.0};
}

// Sets that differ in `by` alone, the other side being that of most sets.
std::vector<Sample> over_sets(const Results& results, const std::string& solver, const std::string& by) {
  std::vector<double> others;
  for (const ResultSet& set : results.sets) others.push_back(static_cast<double>(by == "n" ? set.cols : set.rows));
  const auto most = std::max_element(others.begin(), others.end(), [&](double a, double b) {
    return std::count(others.begin(), others.end(), a) < std::count(others.begin(), others.end(), b);
  });
  std::vector<Sample> samples;
  for (std::size_t k = 0; k < others.size(); ++k)
    if (others[k] == *most)
      samples.push_back({shape_of(results.sets[k], solver), iteration_seconds(results, results.sets[k], solver)});
  return samples;
}

std::vector<Sample> over_labels(const Results& results, const std::string& solver, const std::string& by) {
  std::vector<Sample> samples;
  for (const ResultSet& set : results.sets)
    for (const std::string& label : results.labels()) {
      const double value = criteria::number_in_label(label, by);
      const double seconds = iteration_seconds(results, set, label);
      if (std::isnan(value) || std::isnan(seconds) || !label.starts_with(solver + " ")) continue;
      samples.push_back({shape_of(set, solver), seconds});
      side(samples.back().shape, by) = value;
    }
  return samples;
}

}  // namespace

double formula_cost(const std::string& solver, const Shape& s) {
  if (solver == "sgd" || solver == "ssgd") return s.p * s.d;
  if (solver == "svrg") return s.p * s.d + s.n / s.k_in * s.d;
  if (solver == "scv") return s.p * s.d + s.d * s.d;
  if (solver == "s3gd") return s.p * s.d + s.m / s.k_in * s.d + s.p * (s.k + s.d);
  return std::nan("");
}

std::vector<FittedExponent> fit_exponents(const Json& rule, const Results& results) {
  std::vector<FittedExponent> cells;
  for (const Json& row : rule.at("vary"))
    for (const auto& solver : row.at("solvers").get<std::vector<std::string>>()) {
      FittedExponent cell{.solver = solver, .by = row.at("by").get<std::string>(), .at = {}, .seconds = {}};
      std::vector<double> formula;
      const auto samples = cell.by == "n" || cell.by == "d" ? over_sets : over_labels;
      for (Sample& sample : samples(results, solver, cell.by)) {
        const double at = side(sample.shape, cell.by);
        if (at > row.value("at_most", kNoLimit)) continue;
        cell.at.push_back(at);
        cell.seconds.push_back(sample.seconds);
        formula.push_back(formula_cost(solver, sample.shape));
      }
      cell.formula = fitted_exponent(cell.at, formula);
      cell.measured = fitted_exponent(cell.at, cell.seconds);
      cells.push_back(std::move(cell));
    }
  return cells;
}

namespace criteria {
namespace {

// Time of an iteration over that of another label; NaN where one of them was not run.
double cost_ratio(const Results& results, const ResultSet& set, const std::string& label, const std::string& over) {
  return iteration_seconds(results, set, label) / iteration_seconds(results, set, over);
}

Finding judge_cheapest(const Question& ask) {
  const std::string label = ask.text("label");
  const double share = ask.number("share");
  Tally least = ask.tally();
  double nearly = 0;
  for (const ResultSet& set : ask.results.sets) {
    const double mine = iteration_seconds(ask.results, set, label);
    double best = kNoLimit;
    std::string who;
    for (const std::string& other : ask.results.labels()) {
      const double seconds = iteration_seconds(ask.results, set, other);
      if (!(seconds < best)) continue;
      best = seconds;
      who = other;
    }
    if (std::isnan(mine)) continue;
    least.take(who == label, set.name + " " + who);
    nearly += mine <= 1.05 * best ? 1 : 0;
  }
  const Outcome outcome = grade(least.judged > 0, least.share() > share, nearly / least.all() > share);
  return found(
      fmt::format("least time of an iteration on more than {:.0f} % of the sets; partly: at most 5 % above the least",
                  100 * share),
      outcome, "cheapest " + least.of_sets(), "Cheapest: " + join(least.said, "; "));
}

// The median ratio of each label lies on the side the rule says.
Finding judge_cost(const Question& ask) {
  const std::string over = ask.text("over");
  const bool below = ask.rule.contains("at_most");
  const double bound = ask.number(below ? "at_most" : "at_least");
  Tally labels;
  Strings medians;
  for (const std::string& label : ask.list("labels")) {
    std::vector<double> ratios;
    Strings list;
    for (const ResultSet* set : ask.sets()) {
      ratios.push_back(cost_ratio(ask.results, *set, label, over));
      list.push_back(set->name + " " + brief(ratios.back()));
    }
    const double median = median_of(ratios);
    if (std::isnan(median)) continue;
    labels.take(below ? median <= bound : median >= bound, label + ": " + join(list));
    medians.push_back(
        fmt::format("{} {} times as long{}", label, brief(median), ratios.size() > 1 ? " in the median" : ""));
  }
  return found(fmt::format("time of an iteration of {} {} {:g} times that of {}, {}; partly: of some of them",
                           join(ask.list("labels"), " and of "), below ? "at most" : "at least", bound, over,
                           ask.rule.contains("sets") ? "on " + join(ask.list("sets")) : "in the median over the sets"),
               grade(labels.share(), 1, 1e-9), join(medians), join(labels.said, "; "));
}

Finding judge_cost_most_on(const Question& ask) {
  const std::string label = ask.text("label"), over = ask.text("over");
  const double bound = ask.number("at_least");
  const Strings named = ask.list("sets");
  std::vector<double> on, off;
  Strings said;
  for (const ResultSet& set : ask.results.sets) {
    const double ratio = cost_ratio(ask.results, set, label, over);
    (lists(named, set.paper_name()) ? on : off).push_back(ratio);
    said.push_back(set.name + " " + brief(ratio));
  }
  return found(
      fmt::format(
          "median over {} of the time of {} over {} at least {:g} times the median over the other sets; partly: above "
          "it",
          join(named), label, over, bound),
      grade(median_of(on) / median_of(off), bound, 1),
      fmt::format("in the median {} times as long there, {} elsewhere", brief(median_of(on)), brief(median_of(off))),
      join(said));
}

Finding judge_exponents(const Question& ask) {
  const double tolerance = ask.number("tolerance"), part = ask.number("partly_share");
  Tally exponents;
  for (const FittedExponent& cell : fit_exponents(ask.rule, ask.results))
    if (!std::isnan(cell.measured))
      exponents.take(
          std::abs(cell.measured - cell.formula) <= tolerance,
          fmt::format("{} in {}: {:.2f} (formula {:.2f})", cell.solver, cell.by, cell.measured, cell.formula));
  return found(
      fmt::format(
          "every fitted exponent within {:g} of the one the formula gives on the same grid; partly: {:.0f} % of them",
          tolerance, 100 * part),
      grade(exponents.share(), 1, part),
      fmt::format("{:g} of {:g} exponents as the formula has them", exponents.good, exponents.judged),
      join(exponents.said, "; "));
}

// Time against the number of anchors, which stands in the labels.
Finding judge_sublinear(const Question& ask) {
  const double bound = ask.number("at_most");
  Tally sets = ask.tally();
  Strings exponents;
  for (const ResultSet& set : ask.results.sets) {
    const ByAnchors times =
        by_anchors(ask.results, [&](const std::string& label) { return iteration_seconds(ask.results, set, label); });
    std::vector<double> anchors, seconds;
    for (const auto& [m, time] : times) {
      anchors.push_back(m);
      seconds.push_back(time);
    }
    const double exponent = fitted_exponent(anchors, seconds);
    if (std::isnan(exponent)) continue;
    exponents.push_back(fmt::format("{} m^{:.2f}", set.name, exponent));
    sets.take(exponent > 0 && exponent <= bound,
              fmt::format("{} {} at m = {:g}, {} at m = {:g}", set.name, duration(50 * seconds.front()),
                          anchors.front(), duration(50 * seconds.back()), anchors.back()));
  }
  return found(
      fmt::format(
          "fitted exponent of the time of an iteration in m above 0 and at most {:g} on every set; partly: on some",
          bound),
      grade(sets.share(), 1, 1e-9), join(exponents), "50 iterations: " + join(sets.said, "; "));
}

// Whether the rows' number has a say in the time of an iteration: it does where they no longer fit the cache.
Finding judge_same_at_any_size(const Question& ask) {
  const std::string label = ask.text("label");
  const double within = ask.number("within"), part = ask.number("partly_within");
  const std::string criterion = fmt::format(
      "time of an iteration of {} with the most rows at most {:g} times that with the fewest; partly: {:g} times",
      label, within, part);
  Strings said;
  std::vector<std::pair<Index, double>> times;
  for (const ResultSet& set : ask.results.sets)
    if (const double seconds = iteration_seconds(ask.results, set, label); !std::isnan(seconds)) {
      times.emplace_back(set.rows, seconds);
      said.push_back(set.name + ": " + duration(seconds));
    }
  if (times.size() < 2) return found(criterion, Outcome::not_measured, "");
  const auto [fewest, most] = std::minmax_element(times.begin(), times.end());
  const double factor = most->second / fewest->second;
  return found(criterion, grade(1 / factor, 1 / within, 1 / part),
               fmt::format("{} times as long with {} rows as with {}", brief(factor), most->first, fewest->first),
               "An iteration: " + join(said, "; "));
}

// How well gradients are estimated: correlation with the exact one, and variance over that of SGD.
std::vector<double> correlations(const Question& ask, const ResultSet& set, const std::string& label) {
  return mean_points(ask.results.trials(set, label), &TraceRow::correlation);
}

Finding judge_highest(const Question& ask) {
  const Strings named = ask.list("labels");
  const double part = ask.number("partly_share");
  Tally sets = ask.tally();
  for (const ResultSet& set : ask.results.sets) {
    double lowest = 2, highest_other = -2;
    Strings list;
    for (const std::string& label : ask.results.labels()) {
      const double mean = mean_of(correlations(ask, set, label));
      if (std::isnan(mean)) continue;
      if (lists(named, label))
        lowest = std::min(lowest, mean);
      else
        highest_other = std::max(highest_other, mean);
      list.push_back(fmt::format("{} {:.3f}", label, mean));
    }
    if (lowest <= 1 && highest_other >= -1) sets.take(lowest > highest_other, set.name + ": " + join(list));
  }
  return found(
      fmt::format(
          "mean correlation over the run of {} above that of all others on every set; partly: on {:.0f} % of them",
          join(named, " and "), 100 * part),
      grade(sets.share(), 1, part), sets.of_sets(), join(sets.said, "; "));
}

// The last tenth of the run.
Finding judge_end(const Question& ask) {
  const std::string label = ask.text("label");
  const double bound = ask.number("at_least"), part = ask.number("partly_share");
  Tally sets = ask.tally();
  for (const ResultSet& set : ask.results.sets) {
    const auto values = correlations(ask, set, label);
    const double end = mean_of(values, values.size() - std::max<std::size_t>(1, values.size() / 10));
    if (!values.empty() && !std::isnan(end)) sets.take(end >= bound, fmt::format("{} {:.3f}", set.name, end));
  }
  return found(fmt::format("mean correlation of {} over the last tenth of the looks at least {:g} on every set; "
                           "partly: on {:.0f} % of them",
                           label, bound, 100 * part),
               grade(sets.share(), 1, part), sets.of_sets(), join(sets.said));
}

Finding judge_above(const Question& ask) {
  const std::string label = ask.text("label"), than = ask.text("than");
  const double bound = ask.number("at_least");
  std::vector<double> means;
  Tally sets = ask.tally();
  for (const ResultSet& set : ask.results.sets) {
    const double mine = mean_of(correlations(ask, set, label)), other = mean_of(correlations(ask, set, than));
    if (std::isnan(mine)) continue;
    means.push_back(mine);
    sets.take(!(mine <= other), fmt::format("{} {:.3f} against {:.3f}", set.name, mine, other));
  }
  const double median = median_of(means);
  const double half_each = (median >= bound ? 0.5 : 0) + (sets.good == sets.all() ? 0.5 : 0);
  return found(fmt::format("median over the sets of the mean correlation of {} at least {:g}, and above that of {} on "
                           "every set; partly: one of the two",
                           label, bound, than),
               means.empty() ? Outcome::not_measured : grade(half_each, 1, 0.5), fmt::format("median {:.3f}", median),
               join(sets.said, "; "));
}

Finding judge_falls(const Question& ask) {
  const double share = ask.number("share"), part = ask.number("partly_share");
  Strings said;
  double falls = 0, judged = 0;
  for (const std::string& label : ask.list("labels")) {
    Tally sets = ask.tally();
    for (const ResultSet& set : ask.results.sets) {
      const auto values = correlations(ask, set, label);
      const double first = mean_of(values, 0, values.size() / 3),
                   last = mean_of(values, values.size() - values.size() / 3);
      if (!std::isnan(first) && !std::isnan(last)) sets.take(last < first, set.name);
    }
    if (sets.judged > 0) said.push_back(fmt::format("{} on {:g} of {:g}", label, sets.good, sets.judged));
    falls += sets.good;
    judged += sets.judged > 0 ? sets.all() : 0;
  }
  return found(fmt::format("mean correlation over the last third of the looks below that over the first third, for "
                           "{}, in {:.0f} % of cases; partly: {:.0f} %",
                           join(ask.list("labels")), 100 * share, 100 * part),
               grade(falls / judged, share, part), fmt::format("falls in {:g} of {:g} cases", falls, judged),
               join(said));
}

// The mean of a quantity over the run, by number of anchors.
ByAnchors means_by_anchors(const Question& ask, const ResultSet& set, Points points) {
  return by_anchors(ask.results, [&](const std::string& label) {
    return mean_of(mean_points(ask.results.trials(set, label), points));
  });
}

std::string listing(const ResultSet& set, const ByAnchors& list) {
  Strings parts;
  for (const auto& [m, value] : list) parts.push_back(fmt::format("m = {:g}: {:.3g}", m, value));
  return set.name + ": " + join(parts);
}

Finding judge_anchors_peak(const Question& ask) {
  const Json& at = ask.rule.at("at");
  Strings best_at, wanted;
  for (const auto& [set, m] : at.items()) wanted.push_back(fmt::format("at m = {} on {}", m.dump(), set));
  Tally sets = ask.tally();
  for (const ResultSet& set : ask.results.sets) {
    const auto list = means_by_anchors(ask, set, &TraceRow::correlation);
    if (list.size() < 2) continue;
    const auto best = std::max_element(list.begin(), list.end(), [](auto a, auto b) { return a.second < b.second; });
    best_at.push_back(fmt::format("best at m = {:g} on {}", best->first, set.name));
    sets.take(best->first == at.value(set.paper_name(), 0.0), listing(set, list));
  }
  return found(fmt::format("highest mean correlation {}", join(wanted, " and ")), grade(sets.share(), 1, 1),
               join(best_at), join(sets.said, "; "));
}

Finding judge_anchors_robust(const Question& ask) {
  const double from = ask.number("from"), within = ask.number("within");
  Tally sets = ask.tally();
  for (const ResultSet& set : ask.results.sets) {
    double low = 2, high = -2;
    for (const auto& [m, value] : means_by_anchors(ask, set, &TraceRow::correlation)) {
      if (m < from) continue;
      low = std::min(low, value);
      high = std::max(high, value);
    }
    if (low <= high) sets.take(high - low <= within, fmt::format("{:.3f} to {:.3f} on {}", low, high, set.name));
  }
  return found(
      fmt::format("from {:g} anchors on, mean correlations differ by at most {:g} on every set; partly: on some", from,
                  within),
      grade(sets.share(), 1, 1e-9), join(sets.said));
}

Finding judge_variance_falls(const Question& ask) {
  const double below = ask.number("below"), at = ask.number("at");
  Tally sets = ask.tally();
  for (const ResultSet& set : ask.results.sets) {
    const auto list = means_by_anchors(ask, set, &TraceRow::variance_ratio);
    if (list.size() < 2) continue;
    bool falls = true;
    for (std::size_t k = 0; k < list.size(); ++k) {
      if (k > 0) falls = falls && list[k].second < list[k - 1].second;
      if (list[k].first == at) falls = falls && list[k].second < below;
    }
    sets.take(falls, listing(set, list));
  }
  return found(fmt::format("mean variance ratio falls from every number of anchors to the next, and is below {:g} at "
                           "{:g}, on every set; partly: on some",
                           below, at),
               grade(sets.share(), 1, 1e-9), sets.of_sets(), join(sets.said, "; "));
}

// Near the optimum, and at no look above a bound.
Finding judge_lower_variance(const Question& ask) {
  const std::string label = ask.text("label"), than = ask.text("than");
  const double bound = ask.number("never_above");
  Tally sets = ask.tally();
  for (const ResultSet& set : ask.results.sets) {
    const double mine = last_variance(ask.results, set, label), other = last_variance(ask.results, set, than);
    double largest = 0;
    for (const RunRecord* run : ask.results.trials(set, label))
      for (const TraceRow& look : run->points) largest = std::max(largest, look.variance_ratio);  // not NaN
    if (!std::isnan(mine) && !std::isnan(other))
      sets.take(mine < other && largest <= bound,
                fmt::format("{} {} against {}, largest {}", set.name, brief(mine), brief(other), brief(largest)));
  }
  return found(fmt::format("mean variance over SGD's at the last {} looks below that of {}, and at no look above {:g}, "
                           "on every set; partly: on some",
                           kLastLooks, than, bound),
               grade(sets.share(), 1, 1e-9), sets.of_sets(), join(sets.said, "; "));
}

}  // namespace

ByAnchors by_anchors(const Results& results, const std::function<double(const std::string& label)>& value_of) {
  ByAnchors list;
  for (const std::string& label : results.labels()) {
    const double m = number_in_label(label, "m"), value = value_of(label);
    if (std::isfinite(m) && std::isfinite(value)) list.emplace_back(m, value);
  }
  std::sort(list.begin(), list.end());
  return list;
}

double last_variance(const Results& results, const ResultSet& set, const std::string& label) {
  const auto values = mean_points(results.trials(set, label), &TraceRow::variance_ratio);
  return mean_of(values, values.size() - std::min(values.size(), kLastLooks));
}

const std::vector<Entry>& of_measures() {
  static const std::vector<Entry> table{{"cheapest", judge_cheapest, true},
                                        {"cost", judge_cost},
                                        {"cost-most-on", judge_cost_most_on},
                                        {"exponents", judge_exponents},
                                        {"sublinear", judge_sublinear, true},
                                        {"same-at-any-size", judge_same_at_any_size},
                                        {"highest-correlation", judge_highest, true},
                                        {"end-correlation", judge_end, true},
                                        {"correlation-above", judge_above},
                                        {"correlation-falls", judge_falls, true},
                                        {"anchors-peak", judge_anchors_peak, true},
                                        {"anchors-robust", judge_anchors_robust, true},
                                        {"variance-falls", judge_variance_falls, true},
                                        {"lower-variance", judge_lower_variance, true}};
  return table;
}

}  // namespace criteria
}  // namespace s3gd::reproduce
