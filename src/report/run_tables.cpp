// The tables of a comparison: who reached the target first and by how much, how long every contender took, and why; every step tried,
// every run that failed, the settings and the machine.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

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

std::pair<std::string, std::string> runs_fact(const RunRows& rows) {
  const auto count = [](std::size_t n) { return count_text(static_cast<double>(n)); };
  const auto bad = static_cast<std::size_t>(std::count_if(rows.runs().begin(), rows.runs().end(), went_badly));
  return {bad == 0 ? "runs" : fmt::format("runs, {} of them diverged or failed", count(bad)),
          count(rows.runs().size())};
}

constexpr double kNever = std::numeric_limits<double>::infinity();

struct Reasons {
  const Trials* trials = nullptr;
  double iterations = kNever, seconds = kNever;  // to the target
  double per_iteration = kNever, before = 0;     // seconds
};

double seconds_per_iteration(const Trials& trials) {
  double sum = 0, count = 0;
  for (const RunRecord* run : trials.runs) {
    const double seconds = run->cpu_seconds - run->graph_cpu_seconds;
    if (!std::isfinite(seconds) || run->iterations <= 0) continue;
    sum += seconds / static_cast<double>(run->iterations);
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
    if (trials->settled) {
      one.iterations =
          trials->median_within(level, [](const TraceRow& at) { return static_cast<double>(at.iteration); });
      one.seconds = trials->median_within(level, [](const TraceRow& at) { return at.cpu_seconds; });
    }
    if (const double before = trials->mean(&RunRecord::graph_cpu_seconds); before > 0) one.before = before;
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

constexpr std::size_t kMostFailures = 200;  // listed one by one
constexpr double kAtOptimum = 1e-9;         // relatively; F* itself is not known any better

std::string above_optimum(double share) {
  return std::abs(share) < kAtOptimum ? "at F*" : fmt::format("{:+.3g} %", 100 * share);
}

Cell step_cell(const RunRows& rows, const Trials& trials) {
  const double optimum = number_at(rows.about(trials.dataset), "optimum");
  const double tail = trials.mean(&RunRecord::tail_objective);
  std::string text =
      trials.all_well() && std::isfinite(tail) && optimum > 0 ? above_optimum(tail / optimum - 1) : trials.status();
  if (trials.chosen) text += trials.settled ? " \u2713" : " (shown)";
  const bool stable =
      std::all_of(trials.runs.begin(), trials.runs.end(), [](const RunRecord* run) { return run->stable; });
  Cell::Look look = stable ? Cell::Look::plain : Cell::Look::faint;
  if (trials.settled) look = Cell::Look::best;
  if (!trials.all_well()) look = Cell::Look::poor;
  return {text, look, fmt::format("{}; mean of the last iterations {}", trials.status(), number(tail))};
}

std::vector<std::string> steps_of(const RunRows& rows) {
  std::vector<std::string> steps;
  for (const Trials& trials : rows.trials())
    if (std::find(steps.begin(), steps.end(), trials.step) == steps.end()) steps.push_back(trials.step);
  return steps;
}

// Where a key's own words would not say what it is.
const std::map<std::string, std::string> kReadable{{"tail", "last iterations averaged"},
                                                   {"tolerance", "target above F*"},
                                                   {"exact_tolerance", "gap of exact solvers"},
                                                   {"inner", "steps between snapshots"},
                                                   {"batch", "rows a step"},
                                                   {"positive", "positive class"},
                                                   {"jobs", "runs side by side"},
                                                   {"seed", "first seed"},
                                                   {"look_growth", "a look is so many times as far as the last"},
                                                   {"gradients", "gradients measured"},
                                                   {"seconds", "seconds of a run, at most"},
                                                   {"steps_suit_the_data", "steps by the data"}};

std::string readable(const std::string& key) {
  const auto found = kReadable.find(key);
  return found != kReadable.end() ? found->second : spaced(key);
}

Facts facts_of(const std::string& title, const Json& object) {
  Facts facts{.title = title};
  for (const auto& [key, value] : object.items()) {
    if (value.is_null() || value == "" || key == "contenders") continue;  // they have a table of their own
    const bool bytes = key.ends_with("_bytes") && value.is_number();
    facts.list.emplace_back(readable(bytes ? key.substr(0, key.size() - 6) : key),
                            bytes ? fmt::format("{:.3g} GB", value.get<double>() / 1e9) : words_of(value));
  }
  return facts;
}

Table datasets_table(const RunRows& rows) {
  Table table{.title = "Datasets",
              .columns = {{"dataset", true},
                          {"rows"},
                          {"columns"},
                          {"entries"},
                          {"classes"},
                          {"test rows"},
                          {"F*"},
                          {"its gap"},
                          {"source", true}}};
  for (const std::string& dataset : rows.datasets()) {
    const Json& about = rows.about(dataset);
    const std::string why = text_at(about, "stand_in");
    table.rows.push_back({dataset, count_text(number_at(about, "rows")), count_text(number_at(about, "cols")),
                          count_text(number_at(about, "nonzeros")), count_text(number_at(about, "classes")),
                          count_text(number_at(about, "test_rows")), number(number_at(about, "optimum")),
                          number(number_at(about, "optimum_gap")),
                          why.empty() ? Cell(text_at(about, "source"))
                                      : Cell(text_at(about, "source") + ", a stand-in: " + why, Cell::Look::poor)});
  }
  return table;
}

// The settings that differ between contenders; those of exact solvers, which take no such steps, say nothing.
std::vector<std::string> settings_that_differ(const Json& contenders) {
  std::map<std::string, std::set<std::string>> values;
  for (const Json& one : contenders)
    if (!flag_at(one, "exact"))
      for (const auto& [key, value] : one.items()) values[key].insert(value.dump_repaired());
  std::vector<std::string> keys;
  for (const auto& [key, different] : values)
    if (key != "label" && key != "solver" && different.size() > 1) keys.push_back(key);
  return keys;
}

// Who took part and how; no rows where their names say it all.
Table contenders_table(const Json& contenders) {
  Table table{.title = "Contenders", .columns = {{"contender", true}, {"solver", true}}};
  const std::vector<std::string> keys = settings_that_differ(contenders);
  const bool plain = std::all_of(contenders.begin(), contenders.end(),
                                 [](const Json& one) { return text_at(one, "label") == text_at(one, "solver"); });
  if (plain && keys.empty()) return table;
  for (const std::string& key : keys) table.columns.push_back({readable(key), true});
  for (const Json& one : contenders) {
    std::vector<Cell> row{text_at(one, "label"), text_at(one, "solver")};
    for (const std::string& key : keys)
      row.emplace_back(flag_at(one, "exact")                        ? "\u2014"
                       : key == "inner" && number_at(one, key) == 0 ? "its own"
                                                                    : words_of(one.value(key, Json())));
    table.rows.push_back(std::move(row));
  }
  return table;
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

void add_steps(Document& document, const RunRows& rows) {
  document.parts.push_back(Text{
      .heading = "Steps",
      .body = "How far above F* the last iterations were on average, for every step tried. \u2713 marks the step that "
              "was chosen: the largest stable one. Faint: not stable; where none was, the one that is "
              "shown is named."});
  const std::vector<std::string> steps = steps_of(rows);
  Table table{
      .title = "Steps by dataset and contender", .columns = {{"dataset", true}, {"contender", true}}, .grouped = true};
  for (const std::string& step : steps) table.columns.push_back({step == kNoStep ? step : "step " + step});
  for (const std::string& dataset : rows.datasets())
    for (const std::string& label : rows.labels()) {
      std::vector<Cell> row{dataset, label};
      bool any = false;
      for (const std::string& step : steps) {
        const auto found = std::find_if(rows.trials().begin(), rows.trials().end(), [&](const Trials& one) {
          return one.dataset == dataset && one.label == label && one.step == step;
        });
        any = any || found != rows.trials().end();
        row.push_back(found == rows.trials().end() ? Cell() : step_cell(rows, *found));
      }
      if (any) table.rows.push_back(std::move(row));
    }
  document.parts.push_back(std::move(table));
}

void add_failures(Document& document, const RunRows& rows) {
  Table table{
      .columns = {
          {"dataset", true}, {"contender", true}, {"step"}, {"trial"}, {"status", true}, {"what happened", true}}};
  std::size_t count = 0;
  for (const Trials& trials : rows.trials())
    for (const RunRecord* run : trials.runs) {
      if (!went_badly(*run) && run->error.empty()) continue;
      if (++count > kMostFailures) continue;
      const auto say = [](Index number) { return count_text(static_cast<double>(number)); };
      table.rows.push_back(
          {trials.dataset, trials.label, trials.step, say(run->trial), Cell(run->status, Cell::Look::poor),
           run->error.empty() ? fmt::format("after {} iterations", say(run->iterations)) : run->error});
    }
  if (count == 0) return;
  table.title = fmt::format("Runs that diverged or failed: {}", count_text(static_cast<double>(count)));
  if (count > kMostFailures) table.caption = fmt::format("The first {}; run.json has all of them.", kMostFailures);
  table.folded = count > 10;
  document.parts.push_back(std::move(table));
}

void add_settings(Document& document, const RunRows& rows) {
  const Json& run = rows.json();
  document.parts.push_back(Text{.heading = "Settings"});
  document.parts.push_back(datasets_table(rows));
  if (run.contains("protocol") && run["protocol"].is_object()) {
    if (Table table = contenders_table(list_at(run["protocol"], "contenders")); !table.rows.empty())
      document.parts.push_back(std::move(table));
    document.parts.push_back(facts_of("Protocol", run["protocol"]));
  }
  if (run.contains("machine") && run["machine"].is_object())
    document.parts.push_back(facts_of("Machine", run["machine"]));
  Facts origin{.title = "Origin"};
  origin.list.emplace_back("s3gd", text_at(run, "version"));
  origin.list.emplace_back("made", text_at(run, "created"));
  std::string command;
  for (const Json& word : list_at(run, "command")) command += (command.empty() ? "" : " ") + words_of(word);
  if (!command.empty()) origin.list.emplace_back("command", command);
  document.parts.push_back(std::move(origin));
}

}  // namespace s3gd::report
