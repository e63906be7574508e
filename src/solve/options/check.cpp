// What is wrong with the options of a run: solvers that are not there, values out of range, options without an effect.
#include <algorithm>

#include "base/mention.hpp"
#include "base/nearest.hpp"
#include "base/text.hpp"
#include "s3gd/error.hpp"
#include "solve/options/table.hpp"

namespace s3gd {
namespace {

// Needs that are not a solver's: the option that meets them, and by what; to what an option with that need applies.
struct OtherNeed {
  OptionNeed need;
  const char *option, *value, *reach;
};
constexpr OtherNeed kOtherNeeds[] = {{&OptionScene::penalised, "penalty", "l2", "any penalty"},
                                     {&OptionScene::weighs, "penalty", "l2", "any penalty"},
                                     {&OptionScene::mixes, "penalty", "elastic-net", "penalty elastic-net, l1-l2norm"},
                                     {&OptionScene::liblinear, "penalty", "l2", "penalty l2, l1"},
                                     {&OptionScene::calibrates, "loss", "logistic", "losses of classes; not softmax"},
                                     {&OptionScene::validates, "validate", "DATA", "validate"},
                                     {&OptionScene::keeps, "checkpoint", "FILE", "checkpoint"}};

const OtherNeed* other_need(OptionNeed need) {
  const auto* found = std::find_if(std::begin(kOtherNeeds), std::end(kOtherNeeds),
                                   [&](const OtherNeed& other) { return other.need == need; });
  return found == std::end(kOtherNeeds) ? nullptr : found;
}

[[noreturn]] void refuse_idle(const OptionRow& row, const OptionScene& scene) {
  const auto refusal = [&](const std::string& where, const std::string& instead) {
    return Error(ErrorCode::idle_option, row.name, opt(row.name) + " changes nothing " + where,
                 "leave it out, or " + instead);
  };
  if (row.need == &OptionScene::calibrates)
    throw scene.outputs == Outputs::softmax
        ? Error(ErrorCode::idle_option, row.name, "softmax has probabilities of its own",
                "leave out " + opt(row.name) + ", or use " + opt("multiclass", "ovr"))
        : Error(ErrorCode::idle_option, row.name,
                opt(row.name) + " fits probabilities of classes, and " + opt("loss", scene.loss) + " predicts numbers",
                "leave it out");
  if (!row.of_loss.empty()) throw refusal("with " + opt("loss", scene.loss), "give " + opt("loss", row.of_loss));
  if (const OtherNeed* other = other_need(row.need))
    throw refusal(std::string(other->option) == "penalty" ? "with " + opt("penalty", scene.penalty)
                                                          : "without " + opt(other->option),
                  "give " + (row.excludes.empty() ? opt(other->option, other->value) : opt(row.excludes)));
  const std::vector<std::string> having = solvers_with(row.need, scene.outputs);
  throw refusal("with " + opt("solver", scene.solver) + (scene.outputs == Outputs::softmax ? " for softmax" : ""),
                "use " + (having.empty() ? opt("multiclass", "ovr") : opt("solver", join(having))));
}

void check_solver(const OptionScene& scene) {
  std::vector<std::string> names;
  const bool softmax = scene.outputs == Outputs::softmax;
  for (const SolverInfo& info : softmax ? softmax_solvers() : solvers()) names.push_back(info.name);
  if (std::find(names.begin(), names.end(), scene.solver) != names.end()) return;
  if (softmax)
    throw Error(ErrorCode::do_not_go, "solver", "softmax has no solver '" + scene.solver + "'",
                "use one of " + join(names) + ", or " + opt("multiclass", "ovr") + ", which has all others");
  throw Error(ErrorCode::bad_value, "solver", "there is no solver '" + scene.solver + "'",
              suggestion(scene.solver, names));
}

void check_row(const OptionRow& row, const OptionValues& values, const OptionScene& scene, bool said_by_people) {
  if (!is_changed(row, values)) return;
  if (said_by_people && !row.beside.empty() && !is_changed(*find_option(row.beside), values))
    throw Error(ErrorCode::idle_option, row.name, opt(row.name) + " changes nothing without " + opt(row.beside),
                "leave it out, or give both");
  const std::string value = row.get(values);
  const bool tolerated = value == row.harmless || (row.group == kProblemOptions && !said_by_people);
  if (!has_effect(row, scene) && !tolerated) refuse_idle(row, scene);
  if (!row.set || row.name == "solver") return;
  OptionValues again;
  try {
    row.set(again, value);
  } catch (const Error&) {
    throw Error(ErrorCode::bad_value, row.name, opt(row.name) + " is " + value, "give " + row.expects);
  }
}

}  // namespace

std::string decided_by(const OptionRow& row) {
  if (!row.of_loss.empty()) return "loss";
  const OtherNeed* other = other_need(row.need);
  return other == nullptr ? "" : other->option;
}

std::string reach_of(const OptionRow& row) {
  if (!row.of_loss.empty()) return "loss " + row.of_loss;
  if (row.need == nullptr) return "all";
  if (const OtherNeed* other = other_need(row.need)) return other->reach;
  const std::vector<std::string> softmax = solvers_with(row.need, Outputs::softmax);
  return "solver " + join(solvers_with(row.need, Outputs::one)) +
         (softmax.empty() ? "; not softmax" : "; softmax: " + join(softmax));
}

void check_options(const OptionValues& values, const OptionScene& scene) {
  check_solver(scene);
  for (const OptionRow& row : option_table()) check_row(row, values, scene, false);
}

void check_given(const OptionValues& values, const OptionScene& scene) {
  for (const OptionRow& row : option_table()) check_row(row, values, scene, true);
}

void drop_idle_options(OptionValues& values, const OptionScene& scene) {
  const OptionValues by_itself;
  for (const OptionRow& row : option_table())
    if (!has_effect(row, scene)) row.copy(values, by_itself);
}

}  // namespace s3gd
