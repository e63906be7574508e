#include "compare/contender.hpp"

#include <algorithm>

#include "base/mention.hpp"
#include "base/nearest.hpp"
#include "s3gd/error.hpp"
#include "solve/options/table.hpp"
#include "stochastic/control.hpp"

namespace s3gd {
namespace {

// "a=1,b=2" as its parts.
std::vector<std::string> parts_of(const std::string& text) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    parts.push_back(text.substr(at, comma - at));
    at = comma + 1;
  }
  return parts;
}

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
  return row != nullptr && (row->group == kSolverOptions || row->group == kGraphOptions) && name != "solver" &&
         name != "step" && name != "decay";
}

std::vector<std::string> solve_option_names() {
  std::vector<std::string> list;
  for (const OptionRow& row : option_table())
    if (is_solve_option(row.name)) list.push_back(row.name);
  return list;
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
  if (changes.empty()) return solver;
  std::string list;
  for (const std::string& change : changes) list += (list.empty() ? "" : ", ") + change;
  return solver + " (" + list + ")";
}

void check_solver_name(const std::string& solver) {
  std::vector<std::string> known;
  for (const SolverInfo& info : solvers()) known.push_back(info.name);
  if (std::find(known.begin(), known.end(), solver) == known.end())
    throw Error(ErrorCode::bad_value, "solver", "there is no solver '" + solver + "'", suggestion(solver, known));
}

Contender parse_contender(const std::string& text, const SolveOptions& common) {
  const std::size_t colon = text.find(':');
  Contender contender{.label = {}, .solver = text.substr(0, colon), .base = common, .steps = {}};
  check_solver_name(contender.solver);
  drop_what_does_not_apply(contender);
  std::vector<std::string> changes;
  if (colon != std::string::npos) {
    for (const std::string& part : parts_of(text.substr(colon + 1))) {
      const std::size_t equals = part.find('=');
      const std::string name = part.substr(0, equals);
      const std::string value = equals == std::string::npos ? "" : part.substr(equals + 1);
      if (name == "label") {
        contender.label = value;
        continue;
      }
      if (name == "step") {
        contender.steps.push_back(parse_step_rule(value));
      } else if (is_solve_option(name)) {
        set_solve_option(contender.base, name, value);
      } else {
        std::vector<std::string> known = solve_option_names();
        known.insert(known.end(), {"step", "label"});
        throw Error("'" + name + "' in '" + text + "' is no option of a contender", suggestion(name, known));
      }
      changes.push_back(part);
    }
  }
  if (contender.label.empty()) contender.label = label_of(contender.solver, changes);
  check_contender(contender);
  return contender;
}

}  // namespace s3gd
