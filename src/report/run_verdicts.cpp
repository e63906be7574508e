// Who reached the target first, by how much, how long every contender took, and why: how many iterations each needed, what one
// costs, and what comes before the first.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "report/run_rows.hpp"

namespace s3gd::report {
namespace {

// The verdicts by one clock, of all datasets.
struct Race {
  double target = 0;
  std::string clock;
  bool with_graph = false;
  std::vector<const Json*> verdicts = {};

  std::string name() const {
    return fmt::format("{} to within {:.3g} % of F*, graph {}", clock == "wall_seconds" ? "Wall time" : "Cpu time",
                       100 * target, with_graph ? "included" : "not included");
  }
};

std::vector<Race> races_of(const RunRows& rows) {
  std::vector<Race> races;
  for (const Json& verdict : list_at(rows.json(), "verdicts")) {
    const Race key{number_at(verdict, "target"), text_at(verdict, "clock"), flag_at(verdict, "with_graph")};
    auto race = std::find_if(races.begin(), races.end(), [&](const Race& one) {
      return one.target == key.target && one.clock == key.clock && one.with_graph == key.with_graph;
    });
    if (race == races.end()) race = races.insert(races.end(), key);
    race->verdicts.push_back(&verdict);
  }
  std::stable_sort(races.begin(), races.end(),
                   [](const Race& a, const Race& b) { return a.with_graph && !b.with_graph; });
  return races;
}

double time_of(const Json& verdict, const std::string& label) {
  for (const Json& place : list_at(verdict, "order"))
    if (text_at(place, "label") == label) return number_at(place, "median_seconds");
  return std::nan("");
}

std::string runner_up(const Json& verdict) {
  const std::string winner = text_at(verdict, "winner");
  for (const Json& place : list_at(verdict, "order"))
    if (text_at(place, "label") != winner && std::isfinite(number_at(place, "median_seconds")))
      return text_at(place, "label");
  return {};
}

std::string times(double factor) { return std::isfinite(factor) ? fmt::format("{:.3g}\u00d7", factor) : "\u2014"; }

Cell over_sgd(const Json& verdict) {
  const double factor = number_at(verdict, "speedup_over_sgd");
  if (std::isfinite(factor) && text_at(verdict, "winner") != "sgd") return Cell(times(factor));
  for (const Json& place : list_at(verdict, "order"))
    if (text_at(place, "label") == "sgd")
      return Cell(std::isfinite(factor) ? "is SGD" : "SGD not there", Cell::Look::faint);
  return Cell("\u2014", Cell::Look::faint);
}

// A lead that is smaller than the distance of two looks is none.
Cell over_runner_up(const Json& verdict, double resolution) {
  const double factor = number_at(verdict, "speedup_over_runner_up");
  const bool narrow = factor < resolution;
  return Cell(times(factor) + (narrow ? ", narrowly" : ""), narrow ? Cell::Look::faint : Cell::Look::plain);
}

std::vector<Cell> summary_row(const Json& verdict, double resolution) {
  const std::string winner = text_at(verdict, "winner"), second = runner_up(verdict);
  if (winner.empty())
    return {
        text_at(verdict, "dataset"), Cell("none reached it", Cell::Look::poor), "\u2014", "\u2014", "\u2014", "\u2014"};
  return {text_at(verdict, "dataset"),
          Cell(winner, Cell::Look::best),
          seconds_text(time_of(verdict, winner)),
          over_sgd(verdict),
          second.empty() ? std::string("\u2014") : second,
          over_runner_up(verdict, resolution)};
}

Table summary(const Race& race, double resolution) {
  Table table{
      .title = race.name(),
      .columns = {
          {"dataset", true}, {"winner", true}, {"time"}, {"faster than SGD"}, {"runner-up", true}, {"faster than it"}}};
  for (const Json* verdict : race.verdicts) table.rows.push_back(summary_row(*verdict, resolution));
  return table;
}

// Where a contender has no time: what became of it.
Cell missing(const RunRows& rows, const std::string& dataset, const std::string& label) {
  const Trials* trials = rows.shown(dataset, label);
  if (trials == nullptr) return Cell("not run", Cell::Look::faint);
  return trials->all_well() ? Cell("not reached", Cell::Look::faint) : Cell(trials->status(), Cell::Look::poor);
}

Table every_time(const Race& race, const RunRows& rows) {
  Table table{.title = "Every contender: " + race.name(), .columns = {{"dataset", true}}, .folded = true};
  for (const std::string& label : rows.labels()) table.columns.push_back({label});
  for (const Json* verdict : race.verdicts) {
    const std::string dataset = text_at(*verdict, "dataset");
    std::vector<Cell> row{dataset};
    for (const std::string& label : rows.labels()) {
      const double seconds = time_of(*verdict, label);
      const bool first = label == text_at(*verdict, "winner");
      row.push_back(std::isfinite(seconds) ? Cell(seconds_text(seconds), first ? Cell::Look::best : Cell::Look::plain)
                                           : missing(rows, dataset, label));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::string winners_text(const Race& race) {
  std::map<std::string, std::size_t> wins;
  for (const Json* verdict : race.verdicts)
    if (const std::string winner = text_at(*verdict, "winner"); !winner.empty()) ++wins[winner];
  std::vector<std::pair<std::string, std::size_t>> order(wins.begin(), wins.end());
  std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  if (order.empty()) return "none";
  std::string text = order.front().first;
  for (std::size_t k = 1; k < order.size() && order[k].second == order.front().second; ++k)
    text += ", " + order[k].first;
  return fmt::format("{}: {} of {}", text, order.front().second, race.verdicts.size());
}

double median_speedup(const Race& race) {
  std::vector<double> factors;
  for (const Json* verdict : race.verdicts) factors.push_back(number_at(*verdict, "speedup_over_sgd"));
  return median_of(factors);
}

std::size_t bad_runs(const RunRows& rows) {
  const Json& runs = list_at(rows.json(), "runs");
  return static_cast<std::size_t>(std::count_if(runs.begin(), runs.end(), [](const Json& run) {
    const std::string status = text_at(run, "status");
    return status == "diverged" || status == "failed";
  }));
}

std::pair<std::string, std::string> runs_fact(const RunRows& rows) {
  const auto count = [](std::size_t n) { return count_text(static_cast<double>(n)); };
  const std::size_t bad = bad_runs(rows);
  return {bad == 0 ? "runs" : fmt::format("runs, {} of them diverged or failed", count(bad)),
          count(list_at(rows.json(), "runs").size())};
}

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

void add_verdicts(Document& document, const RunRows& rows) {
  const std::vector<Race> races = races_of(rows);
  document.parts.push_back(Text{.heading = "Who wins"});
  Facts facts{.headline = true};
  if (!races.empty()) {
    facts.list.emplace_back("first on most datasets", winners_text(races.front()));
    if (const double factor = median_speedup(races.front()); std::isfinite(factor))
      facts.list.emplace_back("winner against SGD, median", times(factor));
  }
  facts.list.push_back(runs_fact(rows));
  document.parts.push_back(std::move(facts));
  for (const Json& note : list_at(rows.json(), "notes"))
    document.parts.push_back(Text{.body = "Note: " + words_of(note)});
  if (races.empty()) document.parts.push_back(Text{.body = "No verdict: the optimum or the runs are missing."});
  const double resolution = number_at(rows.json().value("protocol", Json::object()), "look_growth");
  for (const Race& race : races) document.parts.push_back(summary(race, resolution));
  for (const Race& race : races) document.parts.push_back(every_time(race, rows));
}

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
