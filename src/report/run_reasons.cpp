// Why the winner won: how many iterations each contender needed, what one costs, and what comes before the first.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "report/run_rows.hpp"

namespace s3gd::report {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

struct Reasons {
  const Trials* trials = nullptr;
  double iterations = kNever, seconds = kNever;  // to the target
  double per_iteration = kNever, before = 0;     // seconds
};

double seconds_per_iteration(const Trials& trials) {
  double sum = 0, count = 0;
  for (const Json* run : trials.runs) {
    const double seconds = number_at(*run, "cpu_seconds") - number_at(*run, "graph_cpu_seconds");
    const double iterations = number_at(*run, "iterations");
    if (!std::isfinite(seconds) || !(iterations > 0)) continue;
    sum += seconds / iterations;
    ++count;
  }
  return count > 0 ? sum / count : kNever;
}

std::vector<Reasons> reasons_of(const RunRows& rows, const std::string& dataset) {
  const double level = (1 + rows.target()) * number_at(rows.about(dataset), "optimum");
  std::vector<Reasons> list;
  for (const std::string& label : rows.labels()) {
    const Trials* trials = rows.shown(dataset, label);
    if (trials == nullptr) continue;
    Reasons one{.trials = trials, .per_iteration = seconds_per_iteration(*trials)};
    if (trials->settled) one.iterations = trials->median_at("iteration", level);
    if (trials->settled) one.seconds = trials->median_at("cpu_seconds", level);
    if (const double before = trials->mean("graph_cpu_seconds"); before > 0) one.before = before;
    list.push_back(one);
  }
  std::stable_sort(list.begin(), list.end(), [](const Reasons& a, const Reasons& b) { return a.seconds < b.seconds; });
  return list;
}

template <class Text>
Cell cell(double value, double best, Text&& text) {
  if (!std::isfinite(value)) return Cell("\u2014", Cell::Look::faint);
  return Cell(text(value), value == best ? Cell::Look::best : Cell::Look::plain);
}

}  // namespace

void add_reasons(Document& document, const RunRows& rows) {
  if (!(rows.target() > 0)) return;
  Table table{.title = "Iterations to the target, and what one costs",
              .caption =
                  "Sorted by the time to the target, which is what comes before the first iteration (graph, "
                  "strata, moments), and then the iterations times what one costs. The best of each dataset "
                  "stand out.",
              .columns = {{"dataset", true},
                          {"contender", true},
                          {"step"},
                          {"iterations to target"},
                          {"cpu per iteration"},
                          {"before the first"},
                          {"cpu to target"}},
              .grouped = true};
  for (const std::string& dataset : rows.datasets()) {
    const std::vector<Reasons> list = reasons_of(rows, dataset);
    Reasons best;
    for (const Reasons& one : list) {
      const bool steps = one.trials->step != kNoStep;  // an exact solver's iterations are another thing
      if (steps) best.iterations = std::min(best.iterations, one.iterations);
      if (steps) best.per_iteration = std::min(best.per_iteration, one.per_iteration);
      best.seconds = std::min(best.seconds, one.seconds);
    }
    for (const Reasons& one : list) {
      const Trials& trials = *one.trials;
      Cell step(trials.step == kNoStep ? "\u2014" : trials.step);
      if (!trials.settled) step = Cell("none stable", Cell::Look::faint);
      table.rows.push_back({dataset, trials.label, step, cell(one.iterations, best.iterations, count_text),
                            cell(one.per_iteration, best.per_iteration, seconds_text),
                            one.before > 0 ? Cell(seconds_text(one.before)) : Cell("\u2014", Cell::Look::faint),
                            cell(one.seconds, best.seconds, seconds_text)});
    }
  }
  document.parts.push_back(Text{.heading = "Why"});
  document.parts.push_back(std::move(table));
}

}  // namespace s3gd::report
