// What a method needs of a problem, as data: the tables of solvers list needs, and a refusal names the one that is not met.
#pragma once

#include "s3gd/problem.hpp"

namespace s3gd {

template <class AnyProblem>
struct NeedOf {
  const char* what;                           // as in "dual needs a bounded curvature; ...
  std::string (*subject)(const AnyProblem&);  // ... the loss poisson ...
  const char* lacks;                          // ... has none"
  bool (*met)(const AnyProblem&);
};
using Need = NeedOf<Problem>;
using Needs = std::vector<const Need*>;

// The first that the problem does not meet; null: it meets them all.
template <class AnyProblem>
const NeedOf<AnyProblem>* missing(const std::vector<const NeedOf<AnyProblem>*>& needs, const AnyProblem& problem) {
  for (const NeedOf<AnyProblem>* need : needs)
    if (!need->met(problem)) return need;
  return nullptr;
}
template <class AnyProblem>
std::string sentence(const std::string& who, const NeedOf<AnyProblem>& lacking, const AnyProblem& problem) {
  return who + " needs " + lacking.what + "; " + lacking.subject(problem) + " " + lacking.lacks;
}

std::string loss_of(const Problem& problem);     // "the loss logistic"
std::string penalty_in(const Problem& problem);  // "the penalty l2"
std::string rows_in(const Problem& problem);     // "these 20 x 3 rows"

// Of the loss.
extern const Need kBoundedCurvature;  // for steps by a constant of the loss
extern const Need kQuadraticLoss;
extern const Need kPropagatedSlope;  // separable, or one for each of two labels
// Of the penalty.
extern const Need kSmoothPenalty;  // no 1-norm, no bare 2-norm
extern const Need kSimplePenalty;  // without a 2-norm, its prox known
extern const Need kOneNorm;        // and at most one 2-norm: sums of several have no certificate
extern const Need kRidgeAlone;     // l2 on every feature and nothing else

}  // namespace s3gd
