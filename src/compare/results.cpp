#include "compare/results.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace s3gd::reproduce {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

double number_or_zero(const Json& object, const char* key) {
  const double value = report::number_at(object, key);
  return std::isnan(value) ? 0 : value;
}

Index count_or_zero(const Json& object, const char* key) { return static_cast<Index>(number_or_zero(object, key)); }

// A look leaves the caches full of other rows, so that the iterations after it are slow, and the first interval also sets up
// the first snapshot: only intervals at least half as long as the longest count, the first never (unless it is the only one).
double seconds_between_distant_looks(const RunRecord& run) {
  Index longest = 0, iterations = 0;
  double seconds = 0;
  const std::size_t first = run.points.size() > 2 ? 2 : 1;
  const auto apart = [&](std::size_t k) { return run.points[k].iteration - run.points[k - 1].iteration; };
  for (std::size_t k = first; k < run.points.size(); ++k) longest = std::max(longest, apart(k));
  for (std::size_t k = first; k < run.points.size(); ++k) {
    if (2 * apart(k) < longest) continue;
    iterations += apart(k);
    seconds += run.points[k].cpu_seconds - run.points[k - 1].cpu_seconds;
  }
  return iterations > 0 ? seconds / static_cast<double>(iterations) : kNone;
}

std::vector<double> ranks(const std::vector<double>& values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  std::vector<double> result(values.size());
  for (std::size_t first = 0; first < order.size();) {
    std::size_t last = first;
    while (last + 1 < order.size() && values[order[last + 1]] == values[order[first]]) ++last;
    for (std::size_t k = first; k <= last; ++k) result[order[k]] = 0.5 * static_cast<double>(first + last);
    first = last + 1;
  }
  return result;
}

// Centred sums of squares and products: xx, xy, yy.
std::array<double, 3> moments(const std::vector<double>& x, const std::vector<double>& y) {
  const double mx = mean_of(x), my = mean_of(y);
  std::array<double, 3> sums{};
  for (std::size_t k = 0; k < x.size(); ++k) {
    sums[0] += (x[k] - mx) * (x[k] - mx);
    sums[1] += (x[k] - mx) * (y[k] - my);
    sums[2] += (y[k] - my) * (y[k] - my);
  }
  return sums;
}

}  // namespace

std::string ResultSet::paper_name() const { return name.substr(0, name.find(" (")); }

const ResultSet* Results::find(const std::string& paper_name) const {
  for (const ResultSet& set : sets)
    if (set.paper_name() == paper_name || set.name == paper_name) return &set;
  return nullptr;
}

std::vector<std::string> Results::labels() const {
  std::vector<std::string> list;
  for (const RunRecord& run : runs)
    if (std::find(list.begin(), list.end(), run.label) == list.end()) list.push_back(run.label);
  return list;
}

std::vector<const RunRecord*> Results::trials(const ResultSet& set, const std::string& label,
                                              std::optional<double> step) const {
  if (!step) step = chosen_step(*this, set, label);
  std::vector<const RunRecord*> found;
  for (const RunRecord& run : runs)
    if (step && run.dataset == set.name && run.label == label && run.step == *step) found.push_back(&run);
  return found;
}

void add_results(Results& results, const Json& run) {
  results.tolerance = run.at("protocol").value("tolerance", results.tolerance);
  for (const Json& entry : run.at("datasets")) {
    const auto name = entry.at("name").get<std::string>();
    if (results.find(name) != nullptr) continue;
    results.sets.push_back({.name = name,
                            .source = report::text_at(entry, "source"),
                            .stand_in = report::text_at(entry, "stand_in"),
                            .optimum = report::number_at(entry, "optimum"),
                            .optimum_gap = report::number_at(entry, "optimum_gap"),
                            .rows = count_or_zero(entry, "rows"),
                            .test_rows = count_or_zero(entry, "test_rows"),
                            .cols = count_or_zero(entry, "cols"),
                            .classes = count_or_zero(entry, "classes")});
  }
  for (const Json& row : run.at("runs")) {
    RunRecord& read = results.runs.emplace_back(run_record(row));
    for (double* number : {&read.step, &read.graph_cpu_seconds})
      if (std::isnan(*number)) *number = 0;
  }
}

bool listed(const std::vector<std::string>& list, const std::string& word) {
  return list.empty() || std::find(list.begin(), list.end(), word) != list.end();
}

Results only(const Results& results, const std::vector<std::string>& sets, const std::vector<std::string>& labels) {
  Results some;
  some.tolerance = results.tolerance;
  for (const ResultSet& set : results.sets)
    if (listed(sets, set.paper_name())) some.sets.push_back(set);
  for (const RunRecord& run : results.runs)
    if (some.find(run.dataset) != nullptr && listed(labels, run.label)) some.runs.push_back(run);
  return some;
}

double tail_objective(const Results& results, const ResultSet& set, const std::string& label, double step) {
  double sum = 0;
  const auto trials = results.trials(set, label, step);
  for (const RunRecord* run : trials) sum += run->tail_objective;
  return trials.empty() ? kNone : sum / static_cast<double>(trials.size());
}

bool is_stable(const Results& results, const ResultSet& set, const std::string& label, double step) {
  return tail_objective(results, set, label, step) <= (1 + results.tolerance) * set.optimum;
}

std::vector<double> steps_of(const Results& results, const ResultSet& set, const std::string& label) {
  std::vector<double> steps;
  for (const report::Trials& trials : report::steps_of(results.runs, set.name, label))
    steps.push_back(trials.step_value);
  return steps;
}

std::optional<double> largest_stable_step(const Results& results, const ResultSet& set, const std::string& label) {
  const std::optional<double> step = chosen_step(results, set, label);
  return step && is_stable(results, set, label, *step) ? step : std::nullopt;
}

std::optional<double> chosen_step(const Results& results, const ResultSet& set, const std::string& label) {
  const std::vector<report::Trials> steps = report::steps_of(results.runs, set.name, label);
  if (steps.empty()) return std::nullopt;
  const report::Trials* chosen = report::choose(steps, (1 + results.tolerance) * set.optimum);
  return (chosen == nullptr ? steps.front() : *chosen).step_value;
}

std::optional<double> reaches_target(const Results& results, const ResultSet& set, const std::string& label,
                                     Clock clock) {
  if (!largest_stable_step(results, set, label)) return std::nullopt;
  std::vector<double> times;
  for (const RunRecord* run : results.trials(set, label))
    times.push_back(first_within(*run, (1 + results.tolerance) * set.optimum, [&](const TraceRow& look) {
      if (clock == Clock::iterations) return static_cast<double>(look.iteration);
      return look.cpu_seconds - (clock == Clock::cpu_without_graph ? run->graph_cpu_seconds : 0);
    }));
  const double median = median_of(times);
  return std::isfinite(median) ? std::optional(median) : std::nullopt;
}

double iteration_seconds(const Results& results, const ResultSet& set, const std::string& label) {
  std::vector<double> costs;
  for (const RunRecord& run : results.runs) {
    if (run.dataset != set.name || run.label != label) continue;
    const double cost = seconds_between_distant_looks(run);
    if (cost > 0) costs.push_back(cost);
  }
  return median_of(costs);
}

std::vector<double> mean_points(const std::vector<const RunRecord*>& trials, Points points) {
  std::vector<double> means;
  std::size_t length = 0;
  for (const RunRecord* run : trials) length = std::max(length, run->points.size());
  for (std::size_t k = 0; k < length; ++k) {
    std::vector<double> values;
    for (const RunRecord* run : trials)
      if (k < run->points.size()) values.push_back(run->points[k].*points);
    means.push_back(mean_of(values));
  }
  return means;
}

double mean_of(const std::vector<double>& values, std::size_t from, std::size_t to) {
  double sum = 0, count = 0;
  for (std::size_t k = from; k < std::min(to, values.size()); ++k) {
    if (!std::isfinite(values[k])) continue;
    sum += values[k];
    count += 1;
  }
  return count == 0 ? kNone : sum / count;
}

double fitted_exponent(const std::vector<double>& x, const std::vector<double>& y) {
  std::vector<double> lx, ly;
  for (std::size_t k = 0; k < x.size(); ++k) {
    if (!(x[k] > 0) || !(y[k] > 0)) continue;
    lx.push_back(std::log(x[k]));
    ly.push_back(std::log(y[k]));
  }
  if (lx.size() < 2) return kNone;
  const auto sums = moments(lx, ly);
  return sums[1] / sums[0];
}

double rank_correlation(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> x, y;
  for (std::size_t k = 0; k < std::min(a.size(), b.size()); ++k) {
    if (!std::isfinite(a[k]) || !std::isfinite(b[k])) continue;
    x.push_back(a[k]);
    y.push_back(b[k]);
  }
  if (x.size() < 3) return kNone;
  const auto sums = moments(ranks(x), ranks(y));
  return sums[1] / std::sqrt(sums[0] * sums[2]);
}

}  // namespace s3gd::reproduce
