// Curves that follow one another, and the shapes of the sets.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "reproduce/criteria.hpp"

namespace s3gd::reproduce::criteria {
namespace {

Finding judge_test_follows(const Json& rule, const Evidence& evidence) {
  const double bound = rule.at("at_least").get<double>(), share = rule.at("share").get<double>();
  Finding finding;
  finding.criterion = fmt::format(
      "rank correlation of testing and training objective along the run at least {:g} in {:.0f} % of the curves; "
      "partly: in half of them",
      bound, 100 * share);
  std::vector<double> all;
  Strings low;
  double good = 0;
  for (const ResultSet& set : evidence.results.sets)
    for (const std::string& label : evidence.results.labels()) {
      const auto trials = evidence.results.trials(set, label);
      const double agreement =
          rank_correlation(mean_points(trials, &ResultRun::objective), mean_points(trials, &ResultRun::test_objective));
      if (std::isnan(agreement)) continue;
      all.push_back(agreement);
      good += agreement >= bound ? 1 : 0;
      if (agreement < bound) low.push_back(fmt::format("{} on {} {:.2f}", label, set.name, agreement));
    }
  if (all.empty()) return finding;
  const auto count = static_cast<double>(all.size());
  conclude(finding, grade(good / count, share, 0.5),
           fmt::format("{:g} of {:g} curves, median {:.3f}", good, count, median_of(all)),
           low.empty() ? "" : "Below: " + join(low));
  return finding;
}

// Two labels' curves at the same iterations.
Finding judge_alike(const Json& rule, const Evidence& evidence) {
  const double within = rule.at("within").get<double>();
  Finding finding;
  finding.criterion = fmt::format(
      "testing objectives at the same iterations differ by at most {:g} % in the median over the looks, for each pair; "
      "partly: for one",
      100 * within);
  Strings said;
  double good = 0, judged = 0, largest = 0;
  for (const ResultSet& set : evidence.results.sets)
    for (const Json& pair : rule.at("pairs")) {
      const std::string a = pair[0].get<std::string>(), b = pair[1].get<std::string>();
      const auto one = mean_points(evidence.results.trials(set, a), &ResultRun::test_objective);
      const auto two = mean_points(evidence.results.trials(set, b), &ResultRun::test_objective);
      std::vector<double> differences;
      for (std::size_t k = 0; k < std::min(one.size(), two.size()); ++k)
        differences.push_back(std::abs(one[k] - two[k]) / std::min(one[k], two[k]));
      const double median = median_of(differences);
      if (std::isnan(median)) continue;
      judged += 1;
      good += median <= within ? 1 : 0;
      largest = std::max(largest, median);
      said.push_back(fmt::format("{} and {}: {:.2g} % (largest {:.2g} %)", a, b, 100 * median,
                                 100 * *std::max_element(differences.begin(), differences.end())));
    }
  conclude(finding, grade(good / judged, 1, 1e-9), fmt::format("they differ by {:.2g} % at most", 100 * largest),
           join(said, "; "));
  return finding;
}

Finding judge_inner_iterations(const Json& rule, const Evidence& evidence) {
  Finding finding;
  finding.criterion =
      "the first of each pair within the tolerance after no more iterations than the second; partly: of one pair";
  Strings said;
  double good = 0, judged = 0;
  for (const ResultSet& set : evidence.results.sets)
    for (const Json& pair : rule.at("pairs")) {
      const std::string a = pair[0].get<std::string>(), b = pair[1].get<std::string>();
      const auto one = reaches_target(evidence.results, set, a, Clock::iterations);
      const auto two = reaches_target(evidence.results, set, b, Clock::iterations);
      if (!one && !two) continue;
      judged += 1;
      good += one && (!two || *one <= *two) ? 1 : 0;
      said.push_back(fmt::format("{} {}, {} {}", a, one ? brief(*one) : "never", b, two ? brief(*two) : "never"));
    }
  conclude(finding, grade(good / judged, 1, 1e-9), "iterations: " + join(said, "; "), "");
  return finding;
}

// A description, not a claim: whether the sets here are the paper's, by their shape.
Finding describe_shapes(const Json&, const Evidence& evidence) {
  Finding finding;
  finding.criterion = "nothing to confirm: rows, test rows and columns beside the paper's";
  Strings same, other, generated;
  for (const FoundSet& set : evidence.sets) {
    const ResultSet* here = evidence.results.find(set.data.name);
    const bool equal = here != nullptr && !set.generated && here->rows == set.train && here->test_rows == set.test &&
                       here->cols == set.cols;
    (set.generated ? generated : equal ? same : other).push_back(set.name);
  }
  if (evidence.sets.empty()) return finding;
  const auto names = [](const Strings& list) { return list.empty() ? "none" : join(list); };
  conclude(finding, Outcome::described,
           fmt::format("same shape {}, another real set or shape {}, generated {}", same.size(), other.size(),
                       generated.size()),
           fmt::format("Same shape: {}; real, of another shape: {}; generated: {}", names(same), names(other),
                       names(generated)));
  const std::size_t all = evidence.sets.size();
  finding.word = same.size() == all ? "as in the paper" : fmt::format("differs in {} of {}", all - same.size(), all);
  return finding;
}

}  // namespace

const std::vector<Entry>& of_curves() {
  static const std::vector<Entry> table{{"test-follows", judge_test_follows},
                                        {"alike", judge_alike},
                                        {"inner-iterations", judge_inner_iterations},
                                        {"shapes", describe_shapes}};
  return table;
}

}  // namespace s3gd::reproduce::criteria
