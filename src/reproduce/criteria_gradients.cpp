// How well gradients are estimated: correlation with the exact one, and variance over that of SGD.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "reproduce/criteria.hpp"

namespace s3gd::reproduce::criteria {
namespace {

std::vector<double> correlations(const Results& results, const ResultSet& set, const std::string& label) {
  return mean_points(results.trials(set, label), &ResultRun::correlation);
}

double mean_correlation(const Results& results, const ResultSet& set, const std::string& label) {
  return mean_of(correlations(results, set, label));
}

Finding judge_highest(const Json& rule, const Evidence& evidence) {
  const Strings named = strings_of(rule, "labels");
  const double part = rule.at("partly_share").get<double>();
  Finding finding;
  finding.criterion = fmt::format(
      "mean correlation over the run of {} above that of all others on every set; partly: on {:.0f} % of them",
      join(named, " and "), 100 * part);
  Strings said;
  double good = 0, judged = 0;
  for (const ResultSet& set : evidence.results.sets) {
    double lowest = 2, highest_other = -2;
    Strings list;
    for (const std::string& label : evidence.results.labels()) {
      const double mean = mean_correlation(evidence.results, set, label);
      if (std::isnan(mean)) continue;
      const bool is_named = std::find(named.begin(), named.end(), label) != named.end();
      if (is_named) lowest = std::min(lowest, mean);
      if (!is_named) highest_other = std::max(highest_other, mean);
      list.push_back(fmt::format("{} {:.3f}", label, mean));
    }
    if (lowest > 1 || highest_other < -1) continue;
    judged += 1;
    good += lowest > highest_other ? 1 : 0;
    said.push_back(set.name + ": " + join(list));
  }
  conclude(finding, grade(good / judged, 1, part), fmt::format("on {:g} of {:g} sets", good, judged), join(said, "; "));
  return finding;
}

// The last tenth of the run.
Finding judge_end(const Json& rule, const Evidence& evidence) {
  const std::string label = rule.at("label").get<std::string>();
  const double bound = rule.at("at_least").get<double>(), part = rule.at("partly_share").get<double>();
  Finding finding;
  finding.criterion = fmt::format(
      "mean correlation of {} over the last tenth of the looks at least {:g} on every set; partly: on {:.0f} % of them",
      label, bound, 100 * part);
  Strings said;
  double good = 0, judged = 0;
  for (const ResultSet& set : evidence.results.sets) {
    const auto values = correlations(evidence.results, set, label);
    const double end = mean_of(values, values.size() - std::max<std::size_t>(1, values.size() / 10));
    if (values.empty() || std::isnan(end)) continue;
    judged += 1;
    good += end >= bound ? 1 : 0;
    said.push_back(fmt::format("{} {:.3f}", set.name, end));
  }
  conclude(finding, grade(good / judged, 1, part), fmt::format("on {:g} of {:g} sets", good, judged), join(said));
  return finding;
}

Finding judge_above(const Json& rule, const Evidence& evidence) {
  const std::string label = rule.at("label").get<std::string>(), than = rule.at("than").get<std::string>();
  const double bound = rule.at("at_least").get<double>();
  Finding finding;
  finding.criterion = fmt::format(
      "median over the sets of the mean correlation of {} at least {:g}, and above that of {} on every set; partly: "
      "one of the two",
      label, bound, than);
  Strings said;
  std::vector<double> means;
  bool above = true;
  for (const ResultSet& set : evidence.results.sets) {
    const double mine = mean_correlation(evidence.results, set, label),
                 other = mean_correlation(evidence.results, set, than);
    if (std::isnan(mine)) continue;
    means.push_back(mine);
    above = above && !(mine <= other);
    said.push_back(fmt::format("{} {:.3f} against {:.3f}", set.name, mine, other));
  }
  if (means.empty()) return finding;
  const double median = median_of(means);
  conclude(finding, grade((median >= bound ? 0.5 : 0) + (above ? 0.5 : 0), 1, 0.5),
           fmt::format("median {:.3f}", median), join(said, "; "));
  return finding;
}

Finding judge_falls(const Json& rule, const Evidence& evidence) {
  const double share = rule.at("share").get<double>(), part = rule.at("partly_share").get<double>();
  Finding finding;
  finding.criterion = fmt::format(
      "mean correlation over the last third of the looks below that over the first third, for {}, in {:.0f} % of "
      "cases; partly: {:.0f} %",
      join(strings_of(rule, "labels")), 100 * share, 100 * part);
  Strings said;
  double falls = 0, judged = 0;
  for (const std::string& label : strings_of(rule, "labels")) {
    double here = 0, of = 0;
    for (const ResultSet& set : evidence.results.sets) {
      const auto values = correlations(evidence.results, set, label);
      const double first = mean_of(values, 0, values.size() / 3),
                   last = mean_of(values, values.size() - values.size() / 3);
      if (std::isnan(first) || std::isnan(last)) continue;
      of += 1;
      here += last < first ? 1 : 0;
    }
    if (of > 0) said.push_back(fmt::format("{} on {:g} of {:g}", label, here, of));
    falls += here;
    judged += of;
  }
  conclude(finding, grade(falls / judged, share, part), fmt::format("falls in {:g} of {:g} cases", falls, judged),
           join(said));
  return finding;
}

// (anchors, mean of a quantity over the run) by number of anchors.
std::vector<std::pair<double, double>> by_anchors(const Results& results, const ResultSet& set, Points points) {
  std::vector<std::pair<double, double>> list;
  for (const std::string& label : results.labels()) {
    const double value = mean_of(mean_points(results.trials(set, label), points));
    if (const double m = number_in_label(label, "m"); !std::isnan(m) && !std::isnan(value)) list.emplace_back(m, value);
  }
  std::sort(list.begin(), list.end());
  return list;
}

std::string listing(const std::vector<std::pair<double, double>>& list) {
  Strings parts;
  for (const auto& [m, value] : list) parts.push_back(fmt::format("m = {:g}: {:.3g}", m, value));
  return join(parts);
}

Finding judge_anchors_peak(const Json&, const Evidence& evidence) {
  Finding finding;
  finding.criterion = "highest mean correlation below the largest number of anchors on every set; partly: on some";
  Strings best_at, said;
  double good = 0, judged = 0;
  for (const ResultSet& set : evidence.results.sets) {
    const auto list = by_anchors(evidence.results, set, &ResultRun::correlation);
    if (list.size() < 2) continue;
    const auto best = std::max_element(list.begin(), list.end(), [](auto a, auto b) { return a.second < b.second; });
    judged += 1;
    good += best->first < list.back().first ? 1 : 0;
    best_at.push_back(fmt::format("best at m = {:g} on {}", best->first, set.name));
    said.push_back(set.name + ": " + listing(list));
  }
  conclude(finding, grade(good / judged, 1, 1e-9), join(best_at), join(said, "; "));
  return finding;
}

Finding judge_anchors_robust(const Json& rule, const Evidence& evidence) {
  const double from = rule.at("from").get<double>(), within = rule.at("within").get<double>();
  Finding finding;
  finding.criterion = fmt::format(
      "from {:g} anchors on, mean correlations differ by at most {:g} on every set; partly: on some", from, within);
  Strings said;
  double good = 0, judged = 0;
  for (const ResultSet& set : evidence.results.sets) {
    double low = 2, high = -2;
    for (const auto& [m, value] : by_anchors(evidence.results, set, &ResultRun::correlation)) {
      if (m < from) continue;
      low = std::min(low, value);
      high = std::max(high, value);
    }
    if (low > high) continue;
    judged += 1;
    good += high - low <= within ? 1 : 0;
    said.push_back(fmt::format("{:.3f} to {:.3f} on {}", low, high, set.name));
  }
  conclude(finding, grade(good / judged, 1, 1e-9), join(said), "");
  return finding;
}

Finding judge_variance_falls(const Json& rule, const Evidence& evidence) {
  const double within = rule.at("within").get<double>(), below = rule.at("below").get<double>(),
               at = rule.at("at").get<double>();
  Finding finding;
  finding.criterion = fmt::format(
      "mean variance ratio rises by at most {:.0f} % from one number of anchors to the next, and is below {:g} at "
      "{:g}, on every set; partly: on some",
      100 * within, below, at);
  Strings said;
  double good = 0, judged = 0;
  for (const ResultSet& set : evidence.results.sets) {
    const auto list = by_anchors(evidence.results, set, &ResultRun::variance_ratio);
    if (list.size() < 2) continue;
    bool falls = true;
    for (std::size_t k = 0; k < list.size(); ++k) {
      if (k > 0) falls = falls && list[k].second <= (1 + within) * list[k - 1].second;
      if (list[k].first == at) falls = falls && list[k].second < below;
    }
    judged += 1;
    good += falls ? 1 : 0;
    said.push_back(set.name + ": " + listing(list));
  }
  conclude(finding, grade(good / judged, 1, 1e-9), fmt::format("on {:g} of {:g} sets", good, judged), join(said, "; "));
  return finding;
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
