#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "compare/outcome.hpp"
#include "report/run_rows.hpp"

namespace s3gd {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

double ratio(double other, double winner) { return std::isfinite(other) && winner > 0 ? other / winner : std::nan(""); }

std::string above(double value, double optimum) {
  const double percent = 100 * (value / optimum - 1);
  return std::abs(percent) < 1e-7 ? "at the optimum" : fmt::format("{:.3g} % above the optimum", percent);
}

}  // namespace

double Trials::mean_tail() const {
  double sum = 0;
  for (const RunRecord* run : runs) sum += run->tail_objective;
  return runs.empty() ? std::nan("") : sum / static_cast<double>(runs.size());
}

std::vector<Trials> trials_of(std::span<const RunRecord> runs_of_dataset, const std::string& label) {
  std::vector<Trials> groups;
  for (const RunRecord& run : runs_of_dataset) {
    if (run.label != label) continue;
    auto group =
        std::find_if(groups.begin(), groups.end(), [&](const Trials& t) { return t.step_rule == run.step_rule; });
    if (group == groups.end()) group = groups.insert(groups.end(), {run.step, run.step_rule, {}});
    if (std::isnan(group->step)) group->step = run.step;  // an automatic one that a trial did not live to tell
    group->runs.push_back(&run);
  }
  std::stable_sort(groups.begin(), groups.end(), [](const Trials& a, const Trials& b) { return a.step < b.step; });
  return groups;
}

ChosenStep choose_step(std::span<const RunRecord> runs_of_dataset, const std::string& label, double optimum,
                       double tolerance) {
  ChosenStep chosen{.dataset = runs_of_dataset.empty() ? "" : runs_of_dataset.front().dataset,
                    .label = label,
                    .step = std::nan(""),
                    .step_rule = {},
                    .mean_tail = std::nan(""),
                    .stable = false,
                    .why = "not run"};
  const double target = (1 + tolerance) * optimum;
  for (const Trials& trials : trials_of(runs_of_dataset, label)) {
    if (chosen.step_rule.empty()) chosen.why = "no run came to its end";
    const double mean = trials.mean_tail();
    const bool stable = mean <= target;
    const bool closer = !chosen.stable && !std::isnan(mean) && !(mean >= chosen.mean_tail);
    if (!stable && !closer) continue;
    const std::string tail = "mean tail " + above(mean, optimum);
    if (stable)
      chosen.why = trials.step_rule == "none" ? "has no step; " + tail : "largest stable step; " + tail;
    else
      chosen.why = "no step is stable, this came closest; " + tail;
    chosen.step = trials.step;
    chosen.step_rule = trials.step_rule;
    chosen.mean_tail = mean;
    chosen.stable = stable;
  }
  return chosen;
}

double seconds_to_target(const RunRecord& run, double optimum, double tolerance, bool with_graph) {
  const double target = (1 + tolerance) * optimum;
  for (const TraceRow& row : run.points)
    if (row.train_objective <= target) return row.cpu_seconds - (with_graph ? 0.0 : run.graph_cpu_seconds);
  return kNever;
}

Verdict judge(std::span<const RunRecord> runs_of_dataset, std::span<const ChosenStep> chosen, double optimum,
              double tolerance, bool with_graph) {
  Verdict verdict;
  verdict.with_graph = with_graph;
  double sgd = kNever;
  for (const ChosenStep& choice : chosen) {
    std::vector<double> seconds;
    std::string solver;
    for (const RunRecord& run : runs_of_dataset) {
      if (run.label != choice.label || run.step_rule != choice.step_rule) continue;
      solver = run.solver;
      seconds.push_back(choice.stable ? seconds_to_target(run, optimum, tolerance, with_graph) : kNever);
    }
    verdict.dataset = choice.dataset;
    verdict.order.push_back({choice.label, seconds.empty() ? kNever : report::median_of(seconds)});
    if (solver == "sgd") sgd = std::min(sgd, verdict.order.back().median_seconds);
  }
  std::stable_sort(verdict.order.begin(), verdict.order.end(),
                   [](const Standing& a, const Standing& b) { return a.median_seconds < b.median_seconds; });
  verdict.speedup_over_sgd = verdict.speedup_over_runner_up = std::nan("");
  if (verdict.order.empty() || std::isinf(verdict.order.front().median_seconds)) return verdict;
  const double best = verdict.order.front().median_seconds;
  verdict.winner = verdict.order.front().label;
  verdict.speedup_over_sgd = ratio(sgd, best);
  if (verdict.order.size() > 1) verdict.speedup_over_runner_up = ratio(verdict.order[1].median_seconds, best);
  return verdict;
}

}  // namespace s3gd
