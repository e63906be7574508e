#include "solve/options/table.hpp"

#include <cmath>

#include "problem/loss.hpp"
#include "problem/names.hpp"
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

}  // namespace s3gd
