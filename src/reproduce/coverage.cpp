#include "reproduce/coverage.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "base/text.hpp"
#include "compare/contender.hpp"
#include "reproduce/reproduce.hpp"

namespace s3gd::reproduce {
namespace {

bool listed(const std::vector<std::string>& list, const std::string& word) {
  return list.empty() || std::find(list.begin(), list.end(), word) != list.end();
}

Index trials_there(const Results& results, const std::string& set, const Contender& contender, const StepRule& step) {
  return std::count_if(results.runs.begin(), results.runs.end(), [&](const ResultRun& run) {
    return run.set == set && run.label == contender.label && (is_exact(contender.solver) || run.step == step.value);
  });
}

void add_plan(const Plan& plan, const Experiment& experiment, const Results& results, SetCoverage& covered) {
  for (const Contender& contender : plan.contenders) {
    if (!listed(experiment.labels, contender.label)) continue;
    for (const StepRule& step : plan.steps) {
      if (is_exact(contender.solver) && &step != &plan.steps.front()) continue;
      const Index there = std::min(plan.trials, trials_there(results, covered.set, contender, step));
      covered.trials = covered.planned == 0 ? there : std::min(covered.trials, there);
      covered.of = plan.trials;
      covered.runs += there;
      covered.planned += plan.trials;
    }
  }
}

}  // namespace

Index Coverage::runs() const {
  return std::accumulate(sets.begin(), sets.end(), Index{0}, [](Index sum, const auto& set) { return sum + set.runs; });
}

Index Coverage::planned() const {
  return std::accumulate(sets.begin(), sets.end(), Index{0},
                         [](Index sum, const auto& set) { return sum + set.planned; });
}

const SetCoverage* Coverage::find(const std::string& set) const {
  for (const SetCoverage& one : sets)
    if (one.set == set) return &one;
  return nullptr;
}

std::string Coverage::words() const {
  if (complete()) return {};
  std::map<std::pair<Index, Index>, std::vector<std::string>, std::greater<>> by_trials;
  for (const SetCoverage& one : sets) by_trials[{one.trials, one.of}].push_back(one.set);
  std::string text;
  std::vector<std::string> none;
  for (const auto& [trials, names] : by_trials) {
    if (trials.first == 0)
      none.insert(none.end(), names.begin(), names.end());
    else
      text += fmt::format("{}{} of {}{} on {}", text.empty() ? "" : "; ", trials.first, trials.second,
                          text.empty() ? " trials" : "", join(names));
  }
  if (!none.empty()) text += fmt::format("{}not run: {}", text.empty() ? "" : "; ", join(none));
  return text;
}

Coverage coverage_of(const Experiment& experiment, const std::vector<FoundSet>& sets, const Settings& settings,
                     const Results& results) {
  Coverage coverage;
  for (const RunGroup& group : run_groups(experiment)) {
    const Plan plan = plan_of(group, sets, settings);
    for (const CompareData& data : plan.datasets) {
      ResultSet named;
      named.name = data.name;
      if (!listed(experiment.sets, named.paper_name())) continue;
      const bool of_paper =
          std::any_of(sets.begin(), sets.end(), [&](const FoundSet& s) { return s.data.name == data.name; });
      if (of_paper && !listed(settings.sets, named.paper_name())) continue;
      auto at = std::find_if(coverage.sets.begin(), coverage.sets.end(),
                             [&](const SetCoverage& one) { return one.set == data.name; });
      if (at == coverage.sets.end()) {
        coverage.sets.push_back({.set = data.name});
        at = coverage.sets.end() - 1;
      }
      add_plan(plan, experiment, results, *at);
    }
  }
  return coverage;
}

Results only_covered(const Results& results, const Coverage& coverage) {
  Results some;
  some.tolerance = results.tolerance;
  const auto covered = [&](const std::string& name) {
    const SetCoverage* found = coverage.find(name);
    return found == nullptr || found->trials > 0;
  };
  for (const ResultSet& set : results.sets)
    if (covered(set.name)) some.sets.push_back(set);
  for (const ResultRun& run : results.runs)
    if (covered(run.set)) some.runs.push_back(run);
  return some;
}

}  // namespace s3gd::reproduce
