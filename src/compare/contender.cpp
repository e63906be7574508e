#include "compare/contender.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "base/mention.hpp"
#include "base/nearest.hpp"
#include "base/text.hpp"
#include "s3gd/error.hpp"
#include "solve/options/table.hpp"
#include "stochastic/control.hpp"

namespace s3gd {
namespace {

// What a plan sets for all does not reach those it means nothing to; said of one contender, it is a mistake.
void drop_what_does_not_apply(Contender& contender) {
  OptionValues values{.solve = contender.base};
  drop_idle_options(values, scene_of(values.problem, contender.solver, Outputs::one));
  // The paper's setting is not for exact solvers, nor for what auto begins with.
  contender.base = is_exact(contender.solver) ? SolveOptions{} : values.solve;
}

}  // namespace

bool is_solve_option(const std::string& name) {
  const OptionRow* row = find_option(name);
  return row != nullptr && row->plan && (row->group == kSolverOptions || row->group == kGraphOptions);
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
