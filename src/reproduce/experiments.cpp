#include "reproduce/experiments.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "base/nearest.hpp"
#include "base/text.hpp"
#include "compare/results.hpp"
#include "data/catalog.hpp"
#include "data/generate.hpp"
#include "problem/names.hpp"
#include "s3gd/error.hpp"

namespace s3gd::reproduce {
namespace {

using Names = std::vector<std::string>;

std::string text_of(const Json& object, const char* key) { return object.at(key).get<std::string>(); }
Index count_of(const Json& object, const std::string& key) { return object.at(key).get<Index>(); }

std::string generated_rows(const Json& recipe, Index rows, Index cols, Index first) {
  return fmt::format("gen:{}?rows={}&cols={}&first={}&{}", text_of(recipe, "kind"), rows, cols, first,
                     text_of(recipe, "with"));
}

void generate_instead(FoundSet& set, const Json& recipe, const Settings& settings) {
  const Json smaller = settings.quick ? recipe.at("quick") : Json::object();
  Index train = smaller.value("train", set.train), test = smaller.value("test", set.test);
  Index cols = smaller.value("cols", set.cols);
  if (settings.rows > 0) {
    cols = std::min(cols, settings.rows);
    train = std::min(train, settings.rows);
    test = std::min(test, std::max<Index>(1, settings.rows / 2));
  }
  set.generated = true;
  set.data.source = generated_rows(recipe, train, cols, 0);
  set.data.test = generated_rows(recipe, test, cols, train);
  set.data.name = set.name + " (generated)";
  set.data.stand_in = "generated: " + set.name + " is not on this machine";
  if (recipe.contains("scale")) set.data.scale = parse_name<Scale>("scale", text_of(recipe, "scale"));
  set.differs = fmt::format("generated rows of {} shape ({})",
                            smaller.empty() && settings.rows == 0 ? "the same" : "a smaller", set.data.source);
}

// The first of the known datasets that is here.
bool use_known(FoundSet& set, const Json& candidates) {
  for (const Json& candidate : candidates) {
    const std::string source = text_of(candidate, "source");
    if (!find_known(source)) continue;
    set.data.source = source;
    set.data.stand_in = candidate.value("stand_in", "");
    set.data.name = set.name + (set.data.stand_in.empty() ? "" : " (stand-in)");
    set.differs = set.data.stand_in.empty() ? candidate.value("differs", "") : set.data.stand_in;
    if (candidate.contains("scale")) set.data.scale = parse_name<Scale>("scale", text_of(candidate, "scale"));
    return true;
  }
  return false;
}

[[noreturn]] void refuse_name(const std::string& what, const std::string& name, const Names& known) {
  const std::string close = nearest(name, known);
  throw Error(what + " '" + name + "'",
              fmt::format("{}there are: {}", close.empty() ? "" : "did you mean '" + close + "'? ", join(known)));
}

Experiment read_experiment(const Json& file) {
  Experiment experiment{.name = text_of(file, "figure"),
                        .title = text_of(file, "title"),
                        .paper = text_of(file, "paper"),
                        .show = text_of(file, "show"),
                        .runs_of = file.value("runs_of", Names{}),
                        .sets = file.value("sets", Names{}),
                        .labels = file.value("labels", Names{})};
  for (const Json& plan : file.value("runs", Json::array())) experiment.runs.push_back({text_of(plan, "name"), plan});
  for (const Json& claim : file.at("claims"))
    experiment.claims.push_back({text_of(claim, "says"), claim.at("criterion")});
  return experiment;
}

std::vector<Experiment> read_all() {
  std::map<Index, Experiment> by_order;
  for (const EmbeddedFile& file : embedded_experiments())
    if (const Json json = embedded_json(file.name); json.contains("figure"))
      by_order.emplace(count_of(json, "order"), read_experiment(json));
  std::vector<Experiment> list;
  for (auto& [order, experiment] : by_order) list.push_back(std::move(experiment));
  return list;
}

bool holds(const Json& data, const std::string& name) {
  return std::find(data.begin(), data.end(), name) != data.end();
}

Json only_sets(const Json& data, const Names& names) {
  Json kept = Json::array();
  for (const Json& entry : data)
    if (entry.is_object()) kept.push_back(entry);
  for (const std::string& name : names)
    if (holds(data, name) && !holds(kept, name)) kept.push_back(name);
  return kept;
}

// The quick form of a plan may name sets of its own.
void narrow(Json& plan, const Names& names) {
  plan["data"] = only_sets(plan.at("data"), names);
  if (plan.contains("quick") && plan.at("quick").contains("data"))
    plan["quick"]["data"] = only_sets(plan.at("quick").at("data"), names);
}

Json effective_plan(const RunGroup& group, const Settings& settings) {
  Json plan = group.plan;
  if (settings.quick) plan.update(group.plan.value("quick", Json::object()));
  if (settings.trials > 0) plan["trials"] = std::min(settings.trials, count_of(plan, "trials"));
  const Index iterations = count_of(plan, "iterations"), tail = count_of(plan, "tail");
  if (settings.iterations > 0 && settings.iterations < iterations) {
    plan["iterations"] = settings.iterations;
    plan["tail"] = std::max<Index>(1, tail * settings.iterations / iterations);
  }
  return plan;
}

CompareData data_of(const Json& entry, const std::vector<FoundSet>& sets, const Settings& settings) {
  if (entry.is_object()) {
    CompareData data;
    data.name = text_of(entry, "name");
    data.source = capped_rows(text_of(entry, "source"), settings.rows);
    return data;
  }
  const auto name = entry.get<std::string>();
  for (const FoundSet& set : sets)
    if (set.name == name) return set.data;
  throw Error("the experiments name a set '" + name + "' that datasets.json lacks", "build the program again");
}

}  // namespace

std::vector<FoundSet> find_paper_sets(const Settings& settings) {
  std::vector<FoundSet> found;
  const Json file = embedded_json("datasets");
  for (const Json& entry : file.at("datasets")) {
    FoundSet& set = found.emplace_back();
    set.name = text_of(entry, "name");
    for (const auto& [key, member] : {std::pair("train", &FoundSet::train),
                                      {"test", &FoundSet::test},
                                      {"cols", &FoundSet::cols},
                                      {"classes", &FoundSet::classes}})
      set.*member = count_of(entry, key);
    if (!use_known(set, entry.at("use"))) generate_instead(set, entry.at("generated"), settings);
  }
  return found;
}

void check_set_names(const Names& names) {
  Names known;
  const Json file = embedded_json("datasets");
  for (const Json& entry : file.at("datasets")) known.push_back(text_of(entry, "name"));
  for (const std::string& name : names)
    if (std::find(known.begin(), known.end(), name) == known.end()) refuse_name("the paper has no set", name, known);
}

const std::vector<Experiment>& experiments() {
  static const std::vector<Experiment> list = read_all();
  return list;
}

const Experiment& find_experiment(const std::string& name) {
  Names names;
  for (const Experiment& experiment : experiments()) {
    if (experiment.name == name) return experiment;
    names.push_back(experiment.name);
  }
  refuse_name("there is no figure", name, names);
}

std::vector<RunGroup> run_groups(const Experiment& experiment) {
  std::vector<RunGroup> groups = experiment.runs;
  for (const std::string& name : experiment.runs_of)
    for (const RunGroup& group : find_experiment(name).runs) groups.push_back(group);
  return groups;
}

std::vector<NeededGroup> needed_groups(const std::vector<const Experiment*>& figures, const Names& sets) {
  std::vector<NeededGroup> needed;
  std::map<std::string, Names> looked_at;  // by group
  std::map<std::string, bool> all_sets;
  for (const Experiment* figure : figures)
    for (const RunGroup& group : run_groups(*figure)) {
      if (!looked_at.contains(group.name)) needed.push_back({group, figure->name});
      all_sets[group.name] = all_sets[group.name] || figure->sets.empty();
      Names& names = looked_at[group.name];
      names.insert(names.end(), figure->sets.begin(), figure->sets.end());
    }
  for (NeededGroup& one : needed) {
    if (!all_sets[one.group.name]) narrow(one.group.plan, looked_at[one.group.name]);
    if (!sets.empty()) narrow(one.group.plan, sets);
  }
  std::erase_if(needed, [](const NeededGroup& one) {
    return one.group.plan.at("data").empty() ||
           (one.group.plan.contains("quick") && one.group.plan.at("quick").value("data", Json{0}).empty());
  });
  return needed;
}

Names sets_of(const Experiment& experiment) {
  Json named = Json::array();
  for (const RunGroup& group : run_groups(experiment))
    for (const Json& entry : group.plan.at("data")) {
      const std::string name = entry.is_string() ? entry.get<std::string>() : "";
      if (!name.empty() && listed(experiment.sets, name) && !holds(named, name)) named.push_back(name);
    }
  return named.get<Names>();
}

std::string capped_rows(const std::string& source, Index rows) {
  const std::size_t at = source.find("rows=");
  if (rows <= 0 || !is_generated(source) || at == std::string::npos) return source;
  const std::size_t end = std::min(source.find('&', at), source.size());
  const Index asked = std::stoll(source.substr(at + 5, end - at - 5));
  return source.substr(0, at + 5) + std::to_string(std::min(asked, rows)) + source.substr(end);
}

Plan plan_of(const RunGroup& group, const std::vector<FoundSet>& sets, const Settings& settings) {
  const Json wanted = effective_plan(group, settings);
  Plan plan = paper_plan();
  if (wanted.value("reading", "sum") == "mean") plan.problem.class_weight = ClassWeight::balanced;
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
  plan.trials = count_of(wanted, "trials");
  plan.iterations = count_of(wanted, "iterations");
  plan.tail = count_of(wanted, "tail");
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
  Names parts;
  for (const std::string one : {"trial", "iteration"}) {
    const Index now = count_of(wanted, one + "s"), full = count_of(group.plan, one + "s");
    if (now != full) parts.push_back(fmt::format("{} {}{} instead of {}", now, one, now == 1 ? "" : "s", full));
  }
  if (wanted.at("data").size() != group.plan.at("data").size())
    parts.push_back(fmt::format("{} of {} sets", wanted.at("data").size(), group.plan.at("data").size()));
  if (wanted.value("seconds", 0.0) != group.plan.value("seconds", 0.0))
    parts.push_back(fmt::format("runs end after {:g} s", wanted.value("seconds", 0.0)));
  if (const std::string without = wanted.value("without", ""); !without.empty()) parts.push_back("without " + without);
  return parts.empty() ? std::string() : group.name + ": " + join(parts);
}

Json embedded_json(const std::string& name) {
  for (const EmbeddedFile& file : embedded_experiments())
    if (name == file.name) return Json::parse(file.text);
  throw Error("there is no experiments/" + name + ".json in this program", "build it again");
}

}  // namespace s3gd::reproduce
