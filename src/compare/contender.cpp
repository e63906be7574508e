#include "compare/contender.hpp"

#include <algorithm>
#include <charconv>
#include <functional>

#include "base/nearest.hpp"
#include "model/names.hpp"
#include "oracle/control.hpp"
#include "s3gd/error.hpp"

namespace s3gd {
namespace {

Index whole_number(const std::string& name, const std::string& text, Index least) {
  Index value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < least)
    throw Error(name + " is '" + text + "'", "give a whole number from " + std::to_string(least) + " up");
  return value;
}

bool yes_or_no(const std::string& name, const std::string& text) {
  if (text == "true" || text == "yes" || text.empty()) return true;
  if (text == "false" || text == "no") return false;
  throw Error(name + " is '" + text + "'", "give true or false");
}

RowOrder order_named(const std::string& text) {
  if (text == "auto") return RowOrder::solver;
  if (text == "weighted") return RowOrder::weighted;
  if (text == "shuffled") return RowOrder::shuffled;
  throw Error("order is '" + text + "'", "give auto, weighted or shuffled");
}

struct SolveOption {
  const char* name;
  void (*set)(SolveOptions&, const std::string& name, const std::string& value);
};

const std::vector<SolveOption>& solve_options() {
  using S = SolveOptions;
  using T = const std::string&;
  static const std::vector<SolveOption> table{
      {"batch", [](S& options, T name, T value) { options.batch = whole_number(name, value, 1); }},
      {"inner", [](S& options, T name, T value) { options.inner = whole_number(name, value, 0); }},
      {"order", [](S& options, T, T value) { options.order = order_named(value); }},
      {"average", [](S& options, T name, T value) { options.average_snapshot = yes_or_no(name, value); }},
      {"accelerated", [](S& options, T name, T value) { options.accelerated = yes_or_no(name, value); }},
      {"anchors", [](S& options, T name, T value) { options.graph.anchors = whole_number(name, value, 1); }},
      {"neighbours", [](S& options, T name, T value) { options.graph.neighbours = whole_number(name, value, 1); }},
      {"kernel", [](S& options, T name, T value) { options.graph.kernel = parse_name<Kernel>(name, value); }},
      {"graph-mode", [](S& options, T name, T value) { options.graph_mode = parse_name<GraphMode>(name, value); }},
      {"control", [](S& options, T name, T value) { options.control = parse_name<ControlMode>(name, value); }},
  };
  return table;
}

const SolveOption* find_option(const std::string& name) {
  for (const SolveOption& option : solve_options())
    if (option.name == name) return &option;
  return nullptr;
}

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
  const Estimator* estimator = find_estimator(contender.solver);
  if (estimator == nullptr) {
    contender.base = SolveOptions{};  // the paper's setting is not for them
    return;
  }
  if (estimator->fixed_inner) contender.base.inner = 0;
  const bool own_rows = estimator->sampling != Sampling::weighted || contender.solver == "gd";
  if (own_rows) contender.base.order = RowOrder::solver;
  if (contender.solver != "gd") contender.base.accelerated = false;
}

}  // namespace

bool is_solve_option(const std::string& name) { return find_option(name) != nullptr; }

std::vector<std::string> solve_option_names() {
  std::vector<std::string> list;
  for (const SolveOption& option : solve_options()) list.emplace_back(option.name);
  return list;
}

void set_solve_option(SolveOptions& options, const std::string& name, const std::string& value) {
  find_option(name)->set(options, name, value);
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
    throw Error("there is no solver '" + solver + "'", suggestion(solver, known));
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
  return contender;
}

}  // namespace s3gd
