#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "compare/contender.hpp"
#include "reproduce/reproduce.hpp"

namespace s3gd::reproduce {
namespace {

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

Index Coverage::sum(Index SetCoverage::*count) const {
  Index sum = 0;
  for (const SetCoverage& one : sets) sum += one.*count;
  return sum;
}

std::string Coverage::words() const {
  if (complete()) return {};
  std::map<std::pair<Index, Index>, std::vector<std::string>, std::greater<>> by_trials;
  for (const SetCoverage& one : sets) by_trials[{one.trials, one.of}].push_back(one.set);
  std::vector<std::string> parts, none;
  for (const auto& [trials, names] : by_trials) {
    if (trials.first == 0)
      none.insert(none.end(), names.begin(), names.end());
    else
      parts.push_back(
          fmt::format("{} of {}{} on {}", trials.first, trials.second, parts.empty() ? " trials" : "", join(names)));
  }
  if (!none.empty()) parts.push_back("not run: " + join(none));
  return join(parts, "; ");
}

Coverage coverage_of(const Experiment& experiment, const std::vector<FoundSet>& sets, const Settings& settings,
                     const Results& results) {
  Coverage coverage;
  for (const RunGroup& group : run_groups(experiment)) {
    const Plan plan = plan_of(group, sets, settings);
    for (const CompareData& data : plan.datasets) {
      const std::string name = ResultSet{.name = data.name}.paper_name();
      if (!listed(experiment.sets, name)) continue;
      const bool of_paper =
          std::any_of(sets.begin(), sets.end(), [&](const FoundSet& s) { return s.data.name == data.name; });
      if (of_paper && !listed(settings.sets, name)) continue;
      auto at = std::find_if(coverage.sets.begin(), coverage.sets.end(),
                             [&](const SetCoverage& one) { return one.set == data.name; });
      if (at == coverage.sets.end()) at = coverage.sets.insert(at, {.set = data.name});
      add_plan(plan, experiment, results, *at);
    }
  }
  return coverage;
}

Results only_covered(const Results& results, const Coverage& coverage) {
  Results some = results;
  const auto not_covered = [&](const std::string& name) {
    return std::any_of(coverage.sets.begin(), coverage.sets.end(),
                       [&](const SetCoverage& one) { return one.set == name && one.trials == 0; });
  };
  std::erase_if(some.sets, [&](const ResultSet& set) { return not_covered(set.name); });
  std::erase_if(some.runs, [&](const ResultRun& run) { return not_covered(run.set); });
  return some;
}

}  // namespace s3gd::reproduce
