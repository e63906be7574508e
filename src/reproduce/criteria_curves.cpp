// Curves that follow one another, and the shapes of the sets.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "reproduce/criteria.hpp"

namespace s3gd::reproduce::criteria {
namespace {

Finding judge_test_follows(const Question& ask) {
  const double bound = ask.number("at_least"), share = ask.number("share");
  std::vector<double> all;
  Tally curves;
  for (const ResultSet& set : ask.results.sets)
    for (const std::string& label : ask.results.labels()) {
      const auto trials = ask.results.trials(set, label);
      const double agreement =
          rank_correlation(mean_points(trials, &ResultRun::objective), mean_points(trials, &ResultRun::test_objective));
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
    const auto one = mean_points(ask.results.trials(set, a), &ResultRun::test_objective);
    const auto two = mean_points(ask.results.trials(set, b), &ResultRun::test_objective);
    std::vector<double> differences;
    for (std::size_t k = 0; k < std::min(one.size(), two.size()); ++k)
      differences.push_back(std::abs(one[k] - two[k]) / std::min(one[k], two[k]));
    const double median = median_of(differences);
    if (std::isnan(median)) return;
    largest = std::max(largest, median);
    pairs.take(median <= within, fmt::format("{} and {}: {:.2g} % (largest {:.2g} %)", a, b, 100 * median,
                                             100 * *std::max_element(differences.begin(), differences.end())));
  });
  return found(fmt::format("testing objectives at the same iterations differ by at most {:g} % in the median over the "
                           "looks, for each pair; partly: for one",
                           100 * within),
               grade(pairs.share(), 1, 1e-9), fmt::format("they differ by {:.2g} % at most", 100 * largest),
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
      "the first of each pair within the tolerance after no more iterations than the second; partly: of one pair",
      grade(pairs.share(), 1, 1e-9), "iterations: " + join(pairs.said, "; "));
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

const std::vector<Entry>& of_curves() {
  static const std::vector<Entry> table{{"test-follows", judge_test_follows},
                                        {"alike", judge_alike},
                                        {"inner-iterations", judge_inner_iterations},
                                        {"shapes", describe_shapes}};
  return table;
}

}  // namespace s3gd::reproduce::criteria
