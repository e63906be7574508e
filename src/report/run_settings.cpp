// Every step tried, every run that failed, the settings and the machine.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "report/run_rows.hpp"

namespace s3gd::report {
namespace {

constexpr std::size_t kMostFailures = 200;  // listed one by one
constexpr double kAtOptimum = 1e-9;         // relatively; F* itself is not known any better

std::string above_optimum(double share) {
  return std::abs(share) < kAtOptimum ? "at F*" : fmt::format("{:+.3g} %", 100 * share);
}

Cell step_cell(const RunRows& rows, const Trials& trials) {
  const double optimum = number_at(rows.about(trials.dataset), "optimum");
  const double tail = trials.mean("tail_objective");
  std::string text =
      trials.all_well() && std::isfinite(tail) && optimum > 0 ? above_optimum(tail / optimum - 1) : trials.status();
  if (trials.chosen) text += trials.settled ? " \u2713" : " (shown)";
  const bool stable =
      std::all_of(trials.runs.begin(), trials.runs.end(), [](const Json* run) { return flag_at(*run, "stable"); });
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
    for (const Json* run : trials.runs) {
      const std::string status = text_at(*run, "status"), error = text_at(*run, "error");
      if (status != "diverged" && status != "failed" && error.empty()) continue;
      if (++count > kMostFailures) continue;
      table.rows.push_back(
          {trials.dataset, trials.label, trials.step, words_of(run->value("trial", Json())),
           Cell(status, Cell::Look::poor),
           error.empty() ? fmt::format("after {} iterations", count_text(number_at(*run, "iterations"))) : error});
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
