#include "compare_report.hpp"

#include <fmt/core.h>

#include <map>

#include "base/interrupt.hpp"
#include "base/json.hpp"
#include "base/text.hpp"
#include "output.hpp"

namespace s3gd::app {
namespace {

std::string seconds_or_dash(const Json& value) { return value.is_number() ? format_seconds(value.get<double>()) : "-"; }

// label -> median seconds of one verdict
std::map<std::string, Json> medians_of(const Json& verdict) {
  std::map<std::string, Json> medians;
  for (const Json& place : verdict.at("order"))
    medians[place.at("label").get<std::string>()] = place.at("median_seconds");
  return medians;
}

const Json& verdict_of(const Json& run, const std::string& dataset, bool with_graph) {
  for (const Json& verdict : run.at("verdicts"))
    if (verdict.at("dataset") == dataset && verdict.at("with_graph") == with_graph) return verdict;
  throw std::logic_error("a dataset without a verdict");
}

// A lead that is smaller than the distance of two looks is none.
std::string who_won(const Json& verdict, double target, double look_growth) {
  if (verdict.at("winner").is_null()) return fmt::format("nobody came within {:g} % of F*\n", 100 * target);
  std::vector<std::string> leads;
  for (const auto& [key, other] : {std::pair("speedup_over_sgd", "sgd"), {"speedup_over_runner_up", "the runner-up"}})
    if (verdict.at(key).is_number() && verdict.at("winner") != other)
      leads.push_back(fmt::format("{:.3g} times as fast as {}", verdict.at(key).get<double>(), other));
  const Json& lead = verdict.at("speedup_over_runner_up");
  const char* narrowly = lead.is_number() && lead.get<double>() < look_growth ? " narrowly" : "";
  if (leads.empty()) leads.emplace_back("nobody else came there");
  return fmt::format("first{} within {:g} % of F*: {}, {}\n", narrowly, 100 * target,
                     verdict.at("winner").get<std::string>(), join(leads));
}

std::string text_of_dataset(const Json& run, const Json& dataset) {
  const auto name = dataset.at("name").get<std::string>();
  const double target = run.at("protocol").at("tolerance").get<double>();
  const Json& with_graph = verdict_of(run, name, true);
  auto all = medians_of(with_graph), without = medians_of(verdict_of(run, name, false));
  std::vector<std::vector<std::string>> rows{{"solver", "step", "time to target", "without graph", ""}};
  for (const Json& place : with_graph.at("order")) {
    const auto label = place.at("label").get<std::string>();
    for (const Json& chosen : run.at("chosen")) {
      if (chosen.at("dataset") != name || chosen.at("label") != label) continue;
      const Json& step = chosen.at("step_rule");
      rows.push_back({label, step.is_null() || step == "none" ? "-" : step.get<std::string>(),
                      seconds_or_dash(all[label]), seconds_or_dash(without[label]),
                      chosen.at("why").get<std::string>()});
    }
  }
  std::string text =
      fmt::format("{}: {} x {}, F* = {} (certified to {:.0e})\n", name, format_count(dataset.at("rows").get<Index>()),
                  format_count(dataset.at("cols").get<Index>()), format_number(dataset.at("optimum").get<double>()),
                  dataset.at("optimum_gap").get<double>());
  return text + format_table(rows) + who_won(with_graph, target, run.at("protocol").at("look_growth").get<double>());
}

Json summary_of(const Json& run, const PlanResult& result, const std::string& folder) {
  Json json{{"status", result.status == Status::interrupted ? "interrupted" : "done"},
            {"folder", folder},
            {"runs", result.runs},
            {"planned", result.planned},
            {"reused", result.reused},
            {"failed", result.failed}};
  for (const char* key : {"seconds", "notes", "machine", "protocol", "datasets", "chosen", "verdicts"})
    json[key] = run.at(key);
  return json;
}

}  // namespace

int print_comparison(const PlanResult& result, const std::string& folder, bool pages, const Common& common) {
  if (result.run_file.empty()) throw Interrupted();
  const Json run = Json::parse_file(result.run_file);
  if (common.json) {
    print_json(summary_of(run, result, folder));
  } else {
    std::string text;
    for (const Json& dataset : run.at("datasets")) text += (text.empty() ? "" : "\n") + text_of_dataset(run, dataset);
    print(text);
  }
  for (const Json& note : run.at("notes")) remark(common, "note: " + note.get<std::string>());
  if (result.failed > 0)
    remark(common, fmt::format("{} of {} runs failed: the column error of {}/runs.csv says why", result.failed,
                               result.runs, folder));
  if (result.status == Status::interrupted) remark(common, "interrupted; the same command goes on from here");
  remark(common, fmt::format("{} runs written to {} ({} were there): run.json, runs.csv, points.csv",
                             format_count(result.runs), folder, format_count(result.reused)));
  if (pages) remark(common, fmt::format("to look at: {0}/report.html; for a paper: {0}/figures", folder));
  if (result.status == Status::interrupted) return kInterrupted;
  return result.runs > 0 && result.failed == result.runs ? kBadInput : kGood;
}

}  // namespace s3gd::app
