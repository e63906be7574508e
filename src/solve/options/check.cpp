// What is wrong with the options of a run: solvers that are not there, values out of range, options without an effect.
#include <algorithm>

#include "base/mention.hpp"
#include "base/nearest.hpp"
#include "base/text.hpp"
#include "s3gd/error.hpp"
#include "solve/options/table.hpp"

namespace s3gd {
namespace {

// Needs that are not a solver's: the option that meets them, and by what.
struct OtherNeed {
  OptionNeed need;
  const char* option;
  const char* value;
};
constexpr OtherNeed kOtherNeeds[] = {
    {&OptionScene::smooth_hinge, "loss", "smooth-hinge"}, {&OptionScene::huber, "loss", "huber"},
    {&OptionScene::penalised, "penalty", "l2"},           {&OptionScene::weighs, "penalty", "l2"},
    {&OptionScene::mixes, "penalty", "elastic-net"},      {&OptionScene::validates, "validate", "DATA"},
    {&OptionScene::keeps, "checkpoint", "FILE"}};

const OtherNeed* other_need(OptionNeed need) {
  const auto* found = std::find_if(std::begin(kOtherNeeds), std::end(kOtherNeeds),
                                   [&](const OtherNeed& other) { return other.need == need; });
  return found == std::end(kOtherNeeds) ? nullptr : found;
}

[[noreturn]] void refuse_idle(const OptionRow& row, const OptionScene& scene) {
  const std::string nothing = opt(row.name) + " changes nothing ";
  const std::string out = "leave it out, or ";
  if (const OtherNeed* other = other_need(row.need)) {
    const std::string option = other->option;
    const bool chosen = option == "loss" || option == "penalty";
    throw Error(ErrorCode::idle_option, row.name,
                nothing + (chosen ? "with " + opt(option, option == "loss" ? scene.loss : scene.penalty)
                                  : "without " + opt(option)),
                out + "give " + opt(option, other->value));
  }
  const std::vector<std::string> having = solvers_with(row.need, scene.outputs);
  throw Error(
      ErrorCode::idle_option, row.name,
      nothing + "with " + opt("solver", scene.solver) + (scene.outputs == Outputs::softmax ? " for softmax" : ""),
      out + "use " + (having.empty() ? opt("multiclass", "ovr") : opt("solver", join(having))));
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
  const std::string value = row.get(values);
  const bool tolerated = value == row.harmless || (row.group == kProblemOptions && !said_by_people);
  if (row.need != nullptr && !(scene.*row.need) && !tolerated) refuse_idle(row, scene);
  if (!row.set || row.name == "solver") return;
  OptionValues again;
  try {
    row.set(again, value);
  } catch (const Error&) {
    throw Error(ErrorCode::bad_value, row.name, opt(row.name) + " is " + value, "give " + row.expects);
  }
}

}  // namespace

std::string reach_of(const OptionRow& row) {
  if (row.need == nullptr) return "all";
  if (const OtherNeed* other = other_need(row.need)) {
    if (row.need == &OptionScene::mixes) return "penalty elastic-net, l1-l2norm";
    if (row.need == &OptionScene::penalised || row.need == &OptionScene::weighs) return "any penalty";
    const bool of_loss = std::string(other->option) == "loss";
    return std::string(other->option) + (of_loss ? " " + std::string(other->value) : "");
  }
  const std::vector<std::string> softmax = solvers_with(row.need, Outputs::softmax);
  return "solver " + join(solvers_with(row.need, Outputs::one)) +
         (softmax.empty() ? "; not softmax" : "; softmax: " + join(softmax));
}

void check_options(const OptionValues& values, const OptionScene& scene) {
  check_solver(scene);
  for (const OptionRow& row : option_table()) check_row(row, values, scene, false);
}

void check_problem_options(const ProblemSpec& spec) {
  const OptionValues values{.problem = spec};
  const OptionScene scene = scene_of(spec, "auto", Outputs::one);
  for (const OptionRow& row : option_table())
    if (row.group == kProblemOptions) check_row(row, values, scene, true);
}

void drop_idle_options(OptionValues& values, const OptionScene& scene) {
  const OptionValues by_itself;
  for (const OptionRow& row : option_table())
    if (row.need != nullptr && !(scene.*row.need)) row.copy(values, by_itself);
}

}  // namespace s3gd
