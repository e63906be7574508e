#include "solve/options/table.hpp"

#include <algorithm>
#include <cmath>

#include "base/mention.hpp"
#include "base/nearest.hpp"
#include "base/text.hpp"
#include "problem/loss.hpp"
#include "problem/names.hpp"
#include "s3gd/error.hpp"
#include "solve/options/make_row.hpp"
#include "stochastic/control.hpp"

namespace s3gd {
namespace {

// What the one loop does for an estimator.
void take_from(const Estimator& estimator, OptionScene& scene) {
  const bool all_rows = estimator.step_basis == StepBasis::all_rows;
  scene.steps = scene.decays = scene.gradients = true;
  scene.batches = scene.plateaus = !all_rows;
  scene.snapshots = scene.averages = !estimator.fixed_inner;
  scene.orders = estimator.sampling == Sampling::weighted && !all_rows;
  scene.anchors = scene.graphs = estimator.needs_graph;
  scene.learns = estimator.learns;
  scene.accelerates = all_rows;
}

// auto begins with S3GD where that pays.
void add_solver(OptionScene& scene) {
  const bool automatic = scene.solver == "auto";
  if (const Estimator* estimator = find_estimator(automatic ? "s3gd" : scene.solver)) take_from(*estimator, scene);
}

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

// The paper's control knows anchors and labels alone.
void check_propagation(const OptionRow& row, const OptionValues& values) {
  if (row.name != "propagation" || values.solve.control != ControlMode::paper) return;
  if (values.solve.propagation == Propagation::constant) return;
  throw Error(ErrorCode::idle_option, row.name,
              opt(row.name, row.get(values)) + " changes nothing with " + opt("control", "paper"),
              "leave it out, or use " + opt("control", "adaptive"));
}

void check_row(const OptionRow& row, const OptionValues& values, const OptionScene& scene, bool said_by_people) {
  if (!is_changed(row, values)) return;
  if (said_by_people && !row.beside.empty() && !is_changed(*find_option(row.beside), values))
    throw Error(ErrorCode::idle_option, row.name, opt(row.name) + " changes nothing without " + opt(row.beside),
                "leave it out, or give both");
  const std::string value = row.get(values);
  const bool tolerated = value == row.harmless || (row.group == kProblemOptions && !said_by_people);
  if (!has_effect(row, scene) && !tolerated) refuse_idle(row, scene);
  check_propagation(row, values);
  if (!row.set || row.name == "solver") return;
  OptionValues again;
  try {
    row.set(again, value);
  } catch (const Error&) {
    throw Error(ErrorCode::bad_value, row.name, opt(row.name) + " is " + value, "give " + row.expects);
  }
}

}  // namespace

bool Range::holds(double value) const {
  return std::isfinite(value) && (open ? value > least : value >= least) && value <= most;
}

std::string Range::text() const {
  const char* const kind = whole ? "whole number" : "number";
  if (std::isinf(least)) return fmt::format("a {}", kind);
  if (open && std::isinf(most)) return fmt::format("a {} greater than {:g}", kind, least);
  return fmt::format("a {} from {:g}{}", kind, least, std::isinf(most) ? " up" : fmt::format(" to {:g}", most));
}

void refuse_value(const std::string& name, const std::string& text, const std::string& expected) {
  throw Error(ErrorCode::bad_value, name, "found '" + text.substr(0, 60) + "', expected " + expected);
}

const std::vector<OptionRow>& option_table() {
  static const std::vector<OptionRow> table = [] {
    std::vector<OptionRow> all = problem_rows();
    for (auto part : {run_rows(), reading_rows()}) all.insert(all.end(), part.begin(), part.end());
    return all;
  }();
  return table;
}

OptionValues values_of(const ProblemSpec& problem, const SolveOptions& options) {
  return {.problem = problem, .solve = options};
}

const OptionRow* find_option(const std::string& name) {
  for (const OptionRow& row : option_table())
    if (row.name == name) return &row;
  return nullptr;
}

bool is_changed(const OptionRow& row, const OptionValues& values) {
  static const OptionValues kByItself;
  return row.get(values) != row.get(kByItself);
}

bool has_effect(const OptionRow& row, const OptionScene& scene) {
  return row.of_loss.empty() ? row.need == nullptr || scene.*row.need : row.of_loss == scene.loss;
}

OptionScene scene_of(const ProblemSpec& spec, const std::string& solver, Outputs outputs) {
  OptionScene scene{.outputs = outputs, .solver = solver, .loss = name_of(spec.loss.kind)};
  scene.penalty = name_of(spec.penalty.kind);
  std::vector<PenaltySpec> terms = spec.penalty.also;
  terms.push_back(spec.penalty);
  for (const PenaltySpec& term : terms) {
    if (term.kind == PenaltyKind::elastic_net || term.kind == PenaltyKind::l1_l2norm) scene.mixes = true;
    if (term.kind != PenaltyKind::none) scene.penalised = scene.weighs = true;
  }
  scene.liblinear = terms.size() == 1 && !scene.mixes && scene.penalised;
  scene.calibrates = outputs == Outputs::one_vs_rest || Loss(spec.loss).classifies();
  add_solver(scene);
  return scene;
}

OptionScene scene_of(const SoftmaxSpec& spec, const std::string& solver) {
  OptionScene scene{.outputs = Outputs::softmax, .solver = solver, .loss = "softmax"};
  scene.penalty = name_of(spec.penalty.kind);
  scene.mixes = spec.penalty.kind == MatrixPenaltyKind::elastic_net;
  scene.liblinear = spec.penalty.kind == MatrixPenaltyKind::l2 || spec.penalty.kind == MatrixPenaltyKind::l1;
  scene.penalised = spec.penalty.kind != MatrixPenaltyKind::none;
  scene.weighs = scene.penalised && spec.penalty.kind != MatrixPenaltyKind::nuclear;
  add_solver(scene);
  return scene;
}

OptionScene scene_of(const TaskSpec& spec, const std::string& solver) {
  if (spec.outputs != Outputs::softmax && !spec.matrix_penalty) return scene_of(spec.problem, solver, spec.outputs);
  SoftmaxSpec softmax;
  if (spec.matrix_penalty)
    softmax.penalty.kind = *spec.matrix_penalty;
  else
    softmax.penalty = matrix_penalty(spec.problem.penalty);
  return scene_of(softmax, solver);
}

std::vector<std::string> solvers_with(OptionNeed need, Outputs outputs) {
  std::vector<std::string> names;
  for (const SolverInfo& solver : outputs == Outputs::softmax ? softmax_solvers() : solvers())
    if (scene_of(ProblemSpec{}, solver.name, outputs).*need) names.push_back(solver.name);
  return names;
}

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
