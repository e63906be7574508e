// How well gradients are estimated: correlation with the exact one, and variance over that of SGD.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "reproduce/criteria.hpp"

namespace s3gd::reproduce::criteria {
namespace {

std::vector<double> correlations(const Question& ask, const ResultSet& set, const std::string& label) {
  return mean_points(ask.results.trials(set, label), &ResultRun::correlation);
}

Finding judge_highest(const Question& ask) {
  const Strings named = ask.list("labels");
  const double part = ask.number("partly_share");
  Tally sets;
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
  Tally sets;
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
  Tally sets;
  for (const ResultSet& set : ask.results.sets) {
    const double mine = mean_of(correlations(ask, set, label)), other = mean_of(correlations(ask, set, than));
    if (std::isnan(mine)) continue;
    means.push_back(mine);
    sets.take(!(mine <= other), fmt::format("{} {:.3f} against {:.3f}", set.name, mine, other));
  }
  const double median = median_of(means);
  const double half_each = (median >= bound ? 0.5 : 0) + (sets.good == sets.judged ? 0.5 : 0);
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
    Tally sets;
    for (const ResultSet& set : ask.results.sets) {
      const auto values = correlations(ask, set, label);
      const double first = mean_of(values, 0, values.size() / 3),
                   last = mean_of(values, values.size() - values.size() / 3);
      if (!std::isnan(first) && !std::isnan(last)) sets.take(last < first, set.name);
    }
    if (sets.judged > 0) said.push_back(fmt::format("{} on {:g} of {:g}", label, sets.good, sets.judged));
    falls += sets.good;
    judged += sets.judged;
  }
  return found(fmt::format("mean correlation over the last third of the looks below that over the first third, for "
                           "{}, in {:.0f} % of cases; partly: {:.0f} %",
                           join(ask.list("labels")), 100 * share, 100 * part),
               grade(falls / judged, share, part), fmt::format("falls in {:g} of {:g} cases", falls, judged),
               join(said));
}

// (anchors, mean of a quantity over the run) by number of anchors.
std::vector<std::pair<double, double>> by_anchors(const Question& ask, const ResultSet& set, Points points) {
  std::vector<std::pair<double, double>> list;
  for (const std::string& label : ask.results.labels()) {
    const double value = mean_of(mean_points(ask.results.trials(set, label), points));
    if (const double m = number_in_label(label, "m"); !std::isnan(m) && !std::isnan(value)) list.emplace_back(m, value);
  }
  std::sort(list.begin(), list.end());
  return list;
}

std::string listing(const ResultSet& set, const std::vector<std::pair<double, double>>& list) {
  Strings parts;
  for (const auto& [m, value] : list) parts.push_back(fmt::format("m = {:g}: {:.3g}", m, value));
  return set.name + ": " + join(parts);
}

Finding judge_anchors_peak(const Question& ask) {
  Strings best_at;
  Tally sets;
  for (const ResultSet& set : ask.results.sets) {
    const auto list = by_anchors(ask, set, &ResultRun::correlation);
    if (list.size() < 2) continue;
    const auto best = std::max_element(list.begin(), list.end(), [](auto a, auto b) { return a.second < b.second; });
    best_at.push_back(fmt::format("best at m = {:g} on {}", best->first, set.name));
    sets.take(best->first < list.back().first, listing(set, list));
  }
  return found("highest mean correlation below the largest number of anchors on every set; partly: on some",
               grade(sets.share(), 1, 1e-9), join(best_at), join(sets.said, "; "));
}

Finding judge_anchors_robust(const Question& ask) {
  const double from = ask.number("from"), within = ask.number("within");
  Tally sets;
  for (const ResultSet& set : ask.results.sets) {
    double low = 2, high = -2;
    for (const auto& [m, value] : by_anchors(ask, set, &ResultRun::correlation)) {
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
  const double within = ask.number("within"), below = ask.number("below"), at = ask.number("at");
  Tally sets;
  for (const ResultSet& set : ask.results.sets) {
    const auto list = by_anchors(ask, set, &ResultRun::variance_ratio);
    if (list.size() < 2) continue;
    bool falls = true;
    for (std::size_t k = 0; k < list.size(); ++k) {
      if (k > 0) falls = falls && list[k].second <= (1 + within) * list[k - 1].second;
      if (list[k].first == at) falls = falls && list[k].second < below;
    }
    sets.take(falls, listing(set, list));
  }
  return found(fmt::format("mean variance ratio rises by at most {:.0f} % from one number of anchors to the next, and "
                           "is below {:g} at {:g}, on every set; partly: on some",
                           100 * within, below, at),
               grade(sets.share(), 1, 1e-9), sets.of_sets(), join(sets.said, "; "));
}

}  // namespace

const std::vector<Entry>& of_gradients() {
  static const std::vector<Entry> table{
      {"highest-correlation", judge_highest},  {"end-correlation", judge_end},
      {"correlation-above", judge_above},      {"correlation-falls", judge_falls},
      {"anchors-peak", judge_anchors_peak},    {"anchors-robust", judge_anchors_robust},
      {"variance-falls", judge_variance_falls}};
  return table;
}

}  // namespace s3gd::reproduce::criteria
