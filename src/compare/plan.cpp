// Plans: the paper's, and as JSON; and their contenders.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/file.hpp"
#include "base/json.hpp"
#include "base/mention.hpp"
#include "base/nearest.hpp"
#include "base/text.hpp"
#include "compare/subject.hpp"
#include "problem/loss.hpp"
#include "problem/names.hpp"
#include "s3gd/error.hpp"
#include "solve/options/table.hpp"
#include "stochastic/control.hpp"

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

// As the member of a key that holds it.
template <class T>
T read(const PlanKey& key, const Json& value, T) {
  if (std::is_floating_point_v<T>) return static_cast<T>(number(key.name, value, key.least));
  if (!value.is_integer() || value.get<double>() < key.least)
    refuse(key.name, value, fmt::format("a whole number from {} up", key.least));
  return static_cast<T>(value.get<Index>());
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
  if (row.name == "reading") plan.problem.class_weight = values.reading;
}

std::vector<std::string> known_keys() {
  std::vector<std::string> known;
  for (const OptionRow& row : option_table())
    if (option_of_plan(row.name) != nullptr) known.push_back(row.name);
  known.insert(known.end(), {"datasets", "solvers", "quick", "title", "steps", "gradients"});
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
    if (known.name == key)
      return std::visit([&](auto member) { plan.*member = read(known, value, plan.*member); }, known.member);
  if (key == "title")
    plan.title = text(key, value);
  else if (key == "steps")
    plan.steps = steps_of(key, value);
  else if (key == "gradients")
    plan.gradients = flag(key, value);
  else if (const OptionRow* row = option_of_plan(key))
    set_option(plan, *row, text(key, value));
  else
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
  static const std::set<std::string> kReadBefore{"datasets", "solvers", "quick", "paper", "loss"};
  if (!json.is_object()) throw Error("a plan is an object, {..}");
  Plan plan = paper_plan();
  if (!json.contains("paper") || !flag("paper", json.at("paper"))) plan.common = SolveOptions{};  // but its protocol
  if (json.contains("reading") && json.contains("class-weight"))
    throw Error("'reading' and 'class-weight' both say how classes are weighed", "leave one of them out");
  if (json.contains("quick") && flag("quick", json.at("quick"))) make_quick(plan);
  if (json.contains("loss")) set_loss(plan, json.at("loss"));
  for (const auto& [key, value] : json.items())
    if (!kReadBefore.contains(key)) set_key(plan, key, value);
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

// What a plan sets for all does not reach those it means nothing to; said of one contender, it is a mistake.
void drop_what_does_not_apply(Contender& contender) {
  OptionValues values{.solve = contender.base};
  drop_idle_options(values, scene_of(values.problem, contender.solver, Outputs::one));
  // The paper's setting is not for exact solvers, nor for what auto begins with.
  contender.base = is_exact(contender.solver) ? SolveOptions{} : values.solve;
}

}  // namespace

const std::vector<PlanKey>& plan_keys() {
  static const std::vector<PlanKey> table{
      {"validate", "fraction held out where there is no test data [0.2]", &Plan::test_fraction},
      {"jobs", "runs side by side; disturbs the clocks [1]", &Plan::jobs, 1},
      {"trials", "seeds for each [5]", &Plan::trials, 1},
      {"iterations", "of a run [40000]", &Plan::iterations, 1},
      {"tail", "iterations at the end whose mean says if a step is stable [5000]", &Plan::tail, 1},
      {"target", "how close to F* is there, and stable [0.01]", &Plan::tolerance},
      {"seconds", "at most so long for a run", &Plan::seconds},
      {"tol", "gap at which exact solvers (auto ..) end [1e-6]", &Plan::exact_tol},
      {"seed", nullptr, &Plan::seed},
      {"threads", nullptr, &Plan::threads},
  };
  return table;
}

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

bool is_solve_option(const std::string& name) {
  const OptionRow* row = find_option(name);
  return row != nullptr && row->plan && row->need != nullptr &&  // without one it is about all solvers
         (row->group == kSolverOptions || row->group == kGraphOptions);
}

std::vector<std::string> solve_option_names(const std::vector<std::string>& more) {
  std::vector<std::string> list;
  for (const OptionRow& row : option_table())
    if (is_solve_option(row.name)) list.push_back(row.name);
  list.insert(list.end(), more.begin(), more.end());
  return list;
}

Error unknown_in(const std::string& where, const std::string& name, const std::vector<std::string>& known) {
  if (find_option(name) != nullptr)
    return {ErrorCode::idle_option, name, opt(name) + " changes nothing in " + where,
            "contenders fit one output from zero, to the limits of the plan: there are " + join(known)};
  return Error("there is no '" + name + "' in " + where, suggestion(name, known));
}

void set_solve_option(SolveOptions& options, const std::string& name, const std::string& value) {
  OptionValues values{.solve = options};
  try {
    find_option(name)->set(values, value);
  } catch (const Error& error) {
    throw error.within(name);
  }
  options = values.solve;
}

void check_contender(const Contender& contender) {
  const OptionValues values{.solve = contender.base};
  check_options(values, scene_of(values.problem, contender.solver, Outputs::one));
  if (is_exact(contender.solver) && !contender.steps.empty())
    throw Error(ErrorCode::idle_option, "step",
                opt("step") + " changes nothing with " + opt("solver", contender.solver),
                "leave it out: it runs once for each trial, to the tolerance");
}

bool is_exact(const std::string& solver) { return find_estimator(solver) == nullptr; }

std::string label_of(const std::string& solver, const std::vector<std::string>& changes) {
  return changes.empty() ? solver : solver + " (" + join(changes) + ")";
}

void check_solver_name(const std::string& solver) {
  std::vector<std::string> known;
  for (const SolverInfo& info : solvers()) known.push_back(info.name);
  if (std::find(known.begin(), known.end(), solver) == known.end())
    throw Error(ErrorCode::bad_value, "solver", "there is no solver '" + solver + "'", suggestion(solver, known));
}

Contender parse_contender(const std::string& text, const SolveOptions& common) {
  std::size_t at = std::min(text.find(':'), text.size());
  Contender contender{.label = {}, .solver = text.substr(0, at), .base = common, .steps = {}};
  check_solver_name(contender.solver);
  drop_what_does_not_apply(contender);
  std::vector<std::string> changes;
  for (++at; at <= text.size();) {  // "a=1,b=2"
    const std::size_t comma = std::min(text.find(',', at), text.size());
    const std::string part = text.substr(at, comma - at);
    at = comma + 1;
    const std::size_t equals = part.find('=');
    const std::string name = part.substr(0, equals);
    const std::string value = equals == std::string::npos ? "" : part.substr(equals + 1);
    if (name == "label")
      contender.label = value;
    else if (name == "step")
      contender.steps.push_back(parse_step_rule(value));
    else if (is_solve_option(name))
      set_solve_option(contender.base, name, value);
    else
      throw unknown_in("'" + text + "'", name, solve_option_names({"step", "label"}));
    if (name != "label") changes.push_back(part);
  }
  if (contender.label.empty()) contender.label = label_of(contender.solver, changes);
  check_contender(contender);
  return contender;
}

StepRule parse_step_rule(const std::string& text) {
  const bool relative = text.ends_with('x');
  OptionValues values;
  bool good = true;
  try {
    find_option("step")->set(values, relative ? text.substr(0, text.size() - 1) : text);
  } catch (const Error&) {
    good = false;
  }
  if (!good || (relative && (values.solve.step == 0 || values.solve.decay > 0)))
    throw Error(ErrorCode::bad_value, "step", "'" + text + "' is no step",
                "give a positive NUMBER, NUMBERx for a multiple of 1/L(p), auto, or decay:STEP,T0");
  return {values.solve.step, values.solve.decay, relative};
}

std::string text_of(const StepRule& rule) {
  if (rule.value == 0) return "auto";
  if (rule.decay > 0) return fmt::format("decay:{},{}", rule.value, rule.decay);
  return fmt::format("{}{}", rule.value, rule.relative ? "x" : "");
}

}  // namespace s3gd
