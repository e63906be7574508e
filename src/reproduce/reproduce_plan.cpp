#include <fmt/core.h>

#include <algorithm>

#include "reproduce/reproduce.hpp"
#include "s3gd/error.hpp"

namespace s3gd::reproduce {
namespace {

Json effective_plan(const RunGroup& group, const Settings& settings) {
  Json plan = group.plan;
  if (settings.quick) plan.update(group.plan.value("quick", Json::object()));
  if (settings.trials > 0) plan["trials"] = std::min<Index>(settings.trials, plan.at("trials").get<Index>());
  const Index iterations = plan.at("iterations").get<Index>(), tail = plan.at("tail").get<Index>();
  if (settings.iterations > 0 && settings.iterations < iterations) {
    plan["iterations"] = settings.iterations;
    plan["tail"] = std::max<Index>(1, tail * settings.iterations / iterations);
  }
  return plan;
}

CompareData data_of(const Json& entry, const std::vector<FoundSet>& sets, const Settings& settings) {
  if (entry.is_object()) {
    CompareData data;
    data.name = entry.at("name").get<std::string>();
    data.source = capped_rows(entry.at("source").get<std::string>(), settings.rows);
    return data;
  }
  const auto name = entry.get<std::string>();
  for (const FoundSet& set : sets)
    if (set.name == name) return set.data;
  throw Error("the experiments name a set '" + name + "' that datasets.json lacks", "build the program again");
}

}  // namespace

Plan plan_of(const RunGroup& group, const std::vector<FoundSet>& sets, const Settings& settings) {
  const Json wanted = effective_plan(group, settings);
  Plan plan = paper_plan();
  plan.title = group.name;
  bool tests = false;
  for (const Json& entry : wanted.at("data")) {
    plan.datasets.push_back(data_of(entry, sets, settings));
    tests = tests || !entry.is_object();
  }
  plan.contenders.clear();
  for (const Json& text : wanted.at("contenders"))
    plan.contenders.push_back(parse_contender(text.get<std::string>(), plan.common));
  plan.steps.clear();
  for (const Json& step : wanted.at("steps")) plan.steps.push_back(parse_step_rule(step.get<std::string>()));
  plan.trials = wanted.at("trials").get<Index>();
  plan.iterations = wanted.at("iterations").get<Index>();
  plan.tail = wanted.at("tail").get<Index>();
  plan.look_growth = wanted.value("look_growth", plan.look_growth);
  plan.seconds = wanted.value("seconds", 0.0);
  plan.gradients = wanted.value("gradients", false);
  if (!tests) plan.test_fraction = 0;
  plan.seed = settings.seed;
  plan.threads = settings.threads;
  plan.fresh = settings.fresh;
  plan.only_done = settings.only_done;
  plan.pages = false;
  return plan;
}

std::string left_out_of(const RunGroup& group, const Settings& settings) {
  const Json wanted = effective_plan(group, settings);
  std::vector<std::string> parts;
  for (const std::string one : {"trial", "iteration"}) {
    const Index now = wanted.at(one + "s").get<Index>(), full = group.plan.at(one + "s").get<Index>();
    if (now != full) parts.push_back(fmt::format("{} {}{} instead of {}", now, one, now == 1 ? "" : "s", full));
  }
  if (wanted.at("data").size() != group.plan.at("data").size())
    parts.push_back(fmt::format("{} of {} sets", wanted.at("data").size(), group.plan.at("data").size()));
  if (wanted.value("seconds", 0.0) != group.plan.value("seconds", 0.0))
    parts.push_back(fmt::format("runs end after {:g} s", wanted.value("seconds", 0.0)));
  if (const std::string without = wanted.value("without", ""); !without.empty()) parts.push_back("without " + without);
  if (parts.empty()) return {};
  return group.name + ": " + join(parts);
}

}  // namespace s3gd::reproduce
