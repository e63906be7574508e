// What the options of a run have an effect on.
#include <algorithm>

#include "exact/finisher.hpp"
#include "problem/names.hpp"
#include "solve/options/table.hpp"
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
  scene.accelerates = all_rows;
}

// auto begins with S3GD where that pays.
void add_solver(OptionScene& scene) {
  const bool automatic = scene.solver == "auto";
  if (const Estimator* estimator = find_estimator(automatic ? "s3gd" : scene.solver)) take_from(*estimator, scene);
}

bool mixes(const PenaltySpec& term) {
  return term.kind == PenaltyKind::elastic_net || term.kind == PenaltyKind::l1_l2norm;
}

}  // namespace

OptionScene scene_of(const ProblemSpec& spec, const std::string& solver, Outputs outputs) {
  OptionScene scene{.outputs = outputs, .solver = solver, .loss = name_of(spec.loss.kind)};
  scene.penalty = name_of(spec.penalty.kind);
  scene.smooth_hinge = spec.loss.kind == LossKind::smooth_hinge;
  scene.huber = spec.loss.kind == LossKind::huber;
  std::vector<PenaltySpec> terms = spec.penalty.also;
  terms.push_back(spec.penalty);
  scene.mixes = std::any_of(terms.begin(), terms.end(), mixes);
  scene.penalised = scene.weighs =
      std::any_of(terms.begin(), terms.end(), [](const PenaltySpec& term) { return term.kind != PenaltyKind::none; });
  add_solver(scene);
  return scene;
}

OptionScene scene_of(const SoftmaxSpec& spec, const std::string& solver) {
  OptionScene scene{.outputs = Outputs::softmax, .solver = solver, .loss = "softmax"};
  scene.penalty = name_of(spec.penalty.kind);
  scene.mixes = spec.penalty.kind == MatrixPenaltyKind::elastic_net;
  scene.penalised = spec.penalty.kind != MatrixPenaltyKind::none;
  scene.weighs = scene.penalised && spec.penalty.kind != MatrixPenaltyKind::nuclear;
  add_solver(scene);
  return scene;
}

std::vector<std::string> solvers_with(OptionNeed need, Outputs outputs) {
  std::vector<std::string> names;
  for (const SolverInfo& solver : outputs == Outputs::softmax ? softmax_solvers() : solvers())
    if (scene_of(ProblemSpec{}, solver.name, outputs).*need) names.push_back(solver.name);
  return names;
}

}  // namespace s3gd
