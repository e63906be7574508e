#include "problem/needs.hpp"

#include "problem/loss.hpp"
#include "problem/names.hpp"
#include "problem/penalty.hpp"

namespace s3gd {
namespace {

const LossTraits& traits(const Problem& problem) { return traits_of(problem.spec().loss.kind); }

bool is_ridge_alone(const Problem& problem) {
  const Penalty penalty(problem);
  for (Index j = 0; j < problem.cols(); ++j)
    if (penalty.l1_of(j) != 0 || !(penalty.l2_of(j) > 0) || penalty.in_norm(j)) return false;
  return problem.cols() > 0 && problem.rows() > 0;
}

}  // namespace

std::string loss_of(const Problem& problem) { return "the loss " + name_of(problem.spec().loss.kind); }

std::string penalty_in(const Problem& problem) {
  std::string text = "the penalty " + name_of(problem.spec().penalty.kind);
  for (const PenaltySpec& term : problem.spec().penalty.also) text += "+" + name_of(term.kind);
  return text;
}

std::string rows_in(const Problem& problem) {
  return "these " + std::to_string(problem.rows()) + " x " + std::to_string(problem.cols()) + " rows";
}

const Need kBoundedCurvature{"a bounded curvature", loss_of, "has none",
                             [](const Problem& problem) { return traits(problem).bounded_curvature; }};
const Need kQuadraticLoss{"a quadratic loss", loss_of, "is none",
                          [](const Problem& problem) { return traits(problem).quadratic; }};
const Need kPropagatedSlope{
    "a slope that separates into margin and label, or two classes", loss_of, "has neither",
    [](const Problem& problem) { return traits(problem).separable || traits(problem).targets == TargetKind::classes; }};
const Need kSmoothPenalty{"a smooth penalty", penalty_in, "has a kink",
                          [](const Problem& problem) { return Penalty(problem).smooth(); }};
const Need kSimplePenalty{"a penalty without a 2-norm", penalty_in, "has one", [](const Problem& problem) {
                            const Penalty penalty(problem);
                            return penalty.norm_strength() == 0 && penalty.prox_is_exact();
                          }};
const Need kOneNorm{"a penalty with a 1-norm and at most one 2-norm", penalty_in, "is none",
                    [](const Problem& problem) {
                      const Penalty penalty(problem);
                      return penalty.l1_strength() > 0 && penalty.prox_is_exact();
                    }};
const Need kRidgeAlone{"a penalty l2 of every feature and nothing else", penalty_in, "is another", is_ridge_alone};

}  // namespace s3gd
