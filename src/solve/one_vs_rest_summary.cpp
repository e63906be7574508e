#include "solve/one_vs_rest.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "base/index.hpp"
#include "base/text.hpp"

namespace s3gd {
namespace {

constexpr std::size_t kMostAdvice = 6;

// An interrupt concerns the whole run; a diverged class is useless; the others are short of the tolerance.
// In the order of Status: converged, out_of_passes, out_of_time, early_stopped, interrupted, diverged.
int severity(Status status) {
  constexpr int kSeverities[] = {0, 2, 3, 1, 5, 4};
  return kSeverities[static_cast<int>(status)];
}

bool went_better(const Summary& a, const Summary& b) {
  if (severity(a.status) != severity(b.status)) return severity(a.status) < severity(b.status);
  return a.certificate.relative_gap < b.certificate.relative_gap;
}

void add(Certificate& sum, const Certificate& one) {
  sum.primal += one.primal;
  sum.dual += one.dual;
  sum.relative_gap = std::max(sum.relative_gap, one.relative_gap);
  if (one.kind == Certificate::Kind::prox_gradient) sum.kind = one.kind;
}

// What is kept under a name, which is added where it is not there.
template <class T>
T& entry(std::vector<std::pair<std::string, T>>& list, const std::string& name) {
  for (auto& [known, value] : list)
    if (known == name) return value;
  return list.emplace_back(name, T{}).second;
}

// Why a stage ended is said with the number of classes, unless it is the same for all.
std::vector<Stage> merge_stages(std::span<const Summary> summaries) {
  struct Sum {
    double seconds = 0;
    Index iterations = 0;
    std::vector<std::pair<std::string, Index>> ends;
  };
  std::vector<std::pair<std::string, Sum>> sums;
  for (const Summary& summary : summaries)
    for (const Stage& one : summary.stages) {
      Sum& sum = entry(sums, one.name);
      sum.seconds += one.seconds;
      sum.iterations += one.iterations;
      ++entry(sum.ends, one.ended);
    }
  std::vector<Stage> stages;
  for (const auto& [name, sum] : sums) {
    std::vector<std::string> counted;
    for (const auto& [why, times] : sum.ends) counted.push_back(fmt::format("{}: {}", why, times));
    stages.push_back({name, sum.seconds, sum.iterations, counted.size() == 1 ? sum.ends[0].first : join(counted)});
  }
  return stages;
}

// What all classes are told is said once; what some are told, with their names, the class that went worst first. How far
// from the tolerance a class stopped is told of the worst alone.
std::vector<Advice> merge_advice(std::span<const std::string> classes, std::span<const Summary> summaries,
                                 std::size_t worst) {
  const auto is_told = [](const Summary& summary, const Advice& one) {
    return std::find(summary.advice.begin(), summary.advice.end(), one) != summary.advice.end();
  };
  std::vector<Advice> told = summaries[worst].advice;
  for (const Summary& summary : summaries)
    for (const Advice& one : summary.advice)
      if (one.code != AdviceCode::stopped_short && std::find(told.begin(), told.end(), one) == told.end())
        told.push_back(one);
  std::vector<Advice> advice;
  for (const Advice& one : told) {
    if (advice.size() == kMostAdvice) {
      const std::size_t further = told.size() - kMostAdvice;
      advice.push_back({AdviceCode::further_classes,
                        fmt::format("{} more of the kind, for single classes", further),
                        {{"further", static_cast<double>(further)}}});
      break;
    }
    advice.push_back(one);
    for (std::size_t k = 0; k < summaries.size(); ++k)
      if (is_told(summaries[k], one)) advice.back().classes.push_back(classes[k]);
    if (advice.back().classes.size() == summaries.size()) advice.back().classes.clear();
  }
  const auto unfinished = std::count_if(summaries.begin(), summaries.end(), [](const Summary& summary) {
    return summary.status != Status::converged && summary.status != Status::early_stopped;
  });
  if (unfinished > 0 && summaries.size() > 1)
    advice.push_back(
        {AdviceCode::unfinished_classes,
         fmt::format("{} of {} classes did not reach the tolerance", unfinished, summaries.size()),
         {{"unfinished", static_cast<double>(unfinished)}, {"classes", static_cast<double>(summaries.size())}}});
  return advice;
}

}  // namespace

Summary merge_summaries(std::span<const std::string> classes, std::span<const Summary> summaries) {
  const auto worst = std::max_element(summaries.begin(), summaries.end(), went_better);
  Summary whole;
  whole.status = worst->status;
  whole.solver = worst->solver;
  whole.step = worst->step;
  whole.inner = worst->inner;
  for (const Summary& one : summaries) {
    add(whole.certificate, one.certificate);
    for (const auto part : {&Summary::objective, &Summary::graph_seconds, &Summary::solve_seconds,
                            &Summary::evaluate_seconds, &Summary::cpu_seconds, &Summary::passes})
      whole.*part += one.*part;
    whole.iterations += one.iterations;
    whole.surrogate_gap = std::max(whole.surrogate_gap, one.surrogate_gap);
  }
  whole.stages = merge_stages(summaries);
  whole.advice = merge_advice(classes, summaries, at(worst - summaries.begin()));
  return whole;
}

Solution merge_solutions(std::span<const std::string> classes, std::vector<Solution> solutions) {
  Solution whole;
  std::vector<Summary> summaries;
  for (std::size_t k = 0; k < solutions.size(); ++k) {
    Solution& one = solutions[k];
    whole.w.insert(whole.w.end(), one.w.begin(), one.w.end());
    for (TraceRow& row : one.trace) {
      row.stage = classes[k] + ": " + row.stage;
      whole.trace.push_back(std::move(row));
    }
    summaries.push_back(std::move(one.summary));
  }
  whole.summary = merge_summaries(classes, summaries);
  whole.summary.classes = std::move(summaries);
  return whole;
}

}  // namespace s3gd
