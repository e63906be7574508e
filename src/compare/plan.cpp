// Plans: the paper's, and as JSON.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/file.hpp"
#include "base/json.hpp"
#include "base/nearest.hpp"
#include "compare/contender.hpp"
#include "problem/loss.hpp"
#include "problem/names.hpp"
#include "s3gd/error.hpp"
#include "solve/options/table.hpp"

namespace s3gd {
namespace {

[[noreturn]] void refuse(const std::string& key, const Json& found, const std::string& expected) {
  throw Error(fmt::format("'{}' is {}", key, found.dump().substr(0, 60)), "give " + expected);
}

std::string text(const std::string& key, const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number() || value.is_boolean()) return value.dump();
  refuse(key, value, "a name or a number");
}

double number(const std::string& key, const Json& value, double least) {
  if (!value.is_number() || !(value.get<double>() >= least))
    refuse(key, value, fmt::format("a number from {} up", least));
  return value.get<double>();
}

Index whole(const std::string& key, const Json& value, Index least) {
  if (!value.is_integer() || value.get<Index>() < least)
    refuse(key, value, fmt::format("a whole number from {} up", least));
  return value.get<Index>();
}

bool flag(const std::string& key, const Json& value) {
  if (!value.is_boolean()) refuse(key, value, "true or false");
  return value.get<bool>();
}

const Json& list(const std::string& key, const Json& value) {
  if (!value.is_array() || value.empty()) refuse(key, value, "a list, as [..]");
  return value;
}

std::vector<StepRule> steps_of(const std::string& key, const Json& value) {
  std::vector<StepRule> steps;
  for (const Json& step : list(key, value)) steps.push_back(parse_step_rule(text(key, step)));
  return steps;
}

CompareData dataset_of(const Json& value) {
  CompareData data;
  if (value.is_string()) {
    data.source = value.get<std::string>();
    return data;
  }
  if (!value.is_object()) refuse("datasets", value, "names, paths, or objects with \"data\"");
  static const std::map<std::string, std::string CompareData::*> kTexts{{"data", &CompareData::source},
                                                                        {"name", &CompareData::name},
                                                                        {"test", &CompareData::test},
                                                                        {"stand-in", &CompareData::stand_in}};
  for (const auto& [key, entry] : value.items()) {
    if (const auto found = kTexts.find(key); found != kTexts.end())
      data.*found->second = text(key, entry);
    else if (key == "scale")
      data.scale = parse_name<Scale>(key, text(key, entry));
    else if (key == "lambda")
      data.lambda = number(key, entry, 0);
    else if (key == "binary")
      data.positive = text(key, entry);
    else
      throw unknown_in("a dataset", key, {"data", "name", "test", "stand-in", "scale", "lambda", "binary"});
  }
  if (data.source.empty()) throw Error("a dataset has no \"data\"", "name a file or a known dataset");
  return data;
}

Contender contender_of(const Json& value, const SolveOptions& common) {
  if (value.is_string()) return parse_contender(value.get<std::string>(), common);
  if (!value.is_object() || !value.contains("solver")) refuse("solvers", value, "names, or objects with \"solver\"");
  Contender contender = parse_contender(text("solver", value.at("solver")), common);
  std::vector<std::string> changes;
  for (const auto& [key, entry] : value.items()) {
    if (key == "solver" || key == "label") continue;
    if (key == "steps") {
      contender.steps = steps_of(key, entry);
    } else if (is_solve_option(key)) {
      set_solve_option(contender.base, key, text(key, entry));
      changes.push_back(key + "=" + text(key, entry));
    } else {
      throw unknown_in("a contender", key, solve_option_names({"solver", "label", "steps"}));
    }
  }
  check_contender(contender);
  contender.label = value.contains("label") ? text("label", value.at("label")) : label_of(contender.label, changes);
  return contender;
}

// What a plan file can say beside datasets, solvers and the options of solvers.
struct PlanKey {
  const char* name;
  void (*set)(Plan&, const std::string& key, const Json& value);
};

const std::vector<PlanKey>& plan_keys() {
  using K = const std::string&;
  using J = const Json&;
  static const std::vector<PlanKey> table{
      {"title", [](Plan& plan, K key, J value) { plan.title = text(key, value); }},
      {"steps", [](Plan& plan, K key, J value) { plan.steps = steps_of(key, value); }},
      {"trials", [](Plan& plan, K key, J value) { plan.trials = whole(key, value, 1); }},
      {"iterations", [](Plan& plan, K key, J value) { plan.iterations = whole(key, value, 1); }},
      {"tail", [](Plan& plan, K key, J value) { plan.tail = whole(key, value, 1); }},
      {"target", [](Plan& plan, K key, J value) { plan.tolerance = number(key, value, 0); }},
      {"seconds", [](Plan& plan, K key, J value) { plan.seconds = number(key, value, 0); }},
      {"tol", [](Plan& plan, K key, J value) { plan.exact_tol = number(key, value, 0); }},
      {"validate", [](Plan& plan, K key, J value) { plan.test_fraction = number(key, value, 0); }},
      {"seed", [](Plan& plan, K key, J value) { plan.seed = static_cast<std::uint64_t>(whole(key, value, 0)); }},
      {"threads", [](Plan& plan, K key, J value) { plan.threads = static_cast<int>(whole(key, value, 0)); }},
      {"jobs", [](Plan& plan, K key, J value) { plan.jobs = static_cast<int>(whole(key, value, 1)); }},
      {"gradients", [](Plan& plan, K key, J value) { plan.gradients = flag(key, value); }},
  };
  return table;
}

// Options of the problem, of solvers and of reading rows, by the library's table.
const OptionRow* option_of_plan(const std::string& key) {
  const OptionRow* row = find_option(key);
  return row != nullptr && row->set && row->plan ? row : nullptr;
}

void set_option(Plan& plan, const OptionRow& row, const std::string& value) {
  OptionValues values{plan.load, plan.scale, plan.problem, plan.common};
  try {
    row.set(values, value);
  } catch (const Error& error) {
    throw error.within("'" + row.name + "'");
  }
  plan.load = values.load;
  plan.scale = values.scale;
  plan.problem = values.problem;
  plan.common = values.solve;
}

std::vector<std::string> known_keys() {
  std::vector<std::string> known;
  for (const OptionRow& row : option_table())
    if (option_of_plan(row.name) != nullptr) known.push_back(row.name);
  known.insert(known.end(), {"datasets", "solvers", "quick"});
  for (const PlanKey& key : plan_keys()) known.emplace_back(key.name);
  return known;
}

void set_loss(Plan& plan, const Json& value) {
  plan.problem.loss.kind = parse_name<LossKind>("loss", text("loss", value));
  plan.usual_loss = false;
  if (Loss(plan.problem.loss).classifies()) return;
  plan.problem.class_weight = ClassWeight::none;  // of the paper's setting, for classes only
  plan.problem.positive.clear();
}

void set_key(Plan& plan, const std::string& key, const Json& value) {
  for (const PlanKey& known : plan_keys())
    if (known.name == key) return known.set(plan, key, value);
  if (const OptionRow* row = option_of_plan(key)) return set_option(plan, *row, text(key, value));
  throw unknown_in("a plan", key, known_keys());
}

void check_plan(const Plan& plan) {
  check_given({.problem = plan.problem}, scene_of(plan.problem, "auto", Outputs::one));
  std::set<std::string> labels, names;
  for (const Contender& contender : plan.contenders)
    if (!labels.insert(contender.label).second)
      throw Error("two contenders are called '" + contender.label + "'", "give one of them another label");
  for (const CompareData& data : plan.datasets)
    if (!names.insert(data.name.empty() ? data.source : data.name).second)
      throw Error("'" + data.source + "' is there twice", "name each dataset once, or give one of them another name");
  if (plan.tail > plan.iterations)
    throw Error(fmt::format("the tail is {} of {} iterations", plan.tail, plan.iterations), "give a shorter tail");
  if (plan.test_fraction >= 1)
    throw Error(fmt::format("{} of the rows are held out", plan.test_fraction), "give a fraction below 1");
}

Plan plan_of(const Json& json) {
  if (!json.is_object()) throw Error("a plan is an object, {..}");
  Plan plan = paper_plan();
  if (json.contains("quick") && flag("quick", json.at("quick"))) make_quick(plan);
  if (json.contains("loss")) set_loss(plan, json.at("loss"));
  for (const auto& [key, value] : json.items())
    if (key != "datasets" && key != "solvers" && key != "quick" && key != "loss") set_key(plan, key, value);
  if (json.contains("iterations") && !json.contains("tail")) plan.tail = std::max<Index>(1, plan.iterations / 8);
  if (json.contains("datasets"))
    for (const Json& value : list("datasets", json.at("datasets"))) plan.datasets.push_back(dataset_of(value));
  std::vector<Json> solvers;
  for (const Contender& contender : plan.contenders) solvers.emplace_back(contender.solver);
  if (json.contains("solvers")) {
    const Json& listed = list("solvers", json.at("solvers"));
    solvers.assign(listed.begin(), listed.end());
  }
  plan.contenders.clear();
  for (const Json& value : solvers) plan.contenders.push_back(contender_of(value, plan.common));
  check_plan(plan);
  return plan;
}

}  // namespace

Plan paper_plan() {
  Plan plan;
  apply_paper_setting(plan.problem, plan.common);
  for (const char* solver : {"sgd", "ssgd", "svrg", "scv", "s3gd"})
    plan.contenders.push_back(parse_contender(solver, plan.common));
  return plan;
}

void make_quick(Plan& plan) {
  plan.trials = 2;
  plan.iterations = 8000;
  plan.tail = 1000;
}

Plan parse_plan(const std::string& json, const std::string& name) {
  try {
    return plan_of(Json::parse_with_comments(json));
  } catch (const JsonParseError& error) {
    const std::string what = error.what();
    const std::size_t at = what.find("at line");
    throw Error(name + " is no JSON: " + (at == std::string::npos ? what : what.substr(at)));
  } catch (const Error& error) {
    throw Error(error.code(), error.option(), name + ": " + error.what());  // a plan has the plain names of options
  }
}

Plan read_plan(const std::string& path) { return parse_plan(MappedFile(path).text(), path); }

}  // namespace s3gd
