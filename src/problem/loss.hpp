// Losses: value, slope, curvature and conjugate of psi(u, y), stable for every margin u. Each is a file in losses/ and a
// line in kEveryLoss and Loss::visit().
//
// A slope of the form phi(u) - label(y) is "separable": the graph propagates phi alone and the label term is exact. A
// slope costs one exponential at most and is inlined into the loops.
#pragma once

#include <optional>
#include <type_traits>

#include "kernel/kernel.hpp"
#include "problem/losses/huber.hpp"
#include "problem/losses/logistic.hpp"
#include "problem/losses/poisson.hpp"
#include "problem/losses/smooth_hinge.hpp"
#include "problem/losses/squared.hpp"
#include "problem/losses/squared_hinge.hpp"

namespace s3gd {

// In the order they are listed in.
inline constexpr LossKind kEveryLoss[] = {LossKind::logistic, LossKind::squared_hinge, LossKind::smooth_hinge,
                                          LossKind::squared,  LossKind::huber,         LossKind::poisson};

class Loss {
 public:
  using Derivatives = s3gd::Derivatives;

  explicit Loss(const LossSpec& spec) : spec_(spec) {}

  // f of the loss as what it is.
  template <class F>
  auto visit(F&& f) const {
    switch (spec_.kind) {
      case LossKind::squared:
        return f(SquaredLoss(spec_));
      case LossKind::squared_hinge:
        return f(SquaredHingeLoss(spec_));
      case LossKind::smooth_hinge:
        return f(SmoothHingeLoss(spec_));
      case LossKind::huber:
        return f(HuberLoss(spec_));
      case LossKind::poisson:
        return f(PoissonLoss(spec_));
      case LossKind::logistic:
        break;
    }
    return f(LogisticLoss(spec_));
  }

  const LossTraits& traits() const {
    return *visit([](const auto& loss) { return &loss.kTraits; });
  }
  bool separable() const { return traits().separable; }
  bool classifies() const { return traits().targets == TargetKind::classes; }

  double value(double u, double y) const;
  double slope(double u, double y) const {  // d psi / d u
    return visit([&](const auto& loss) { return loss.slope(u, y); });
  }
  double curvature(double u, double y) const;          // d^2 psi / d u^2 (a generalised one where there is none)
  Derivatives derivatives(double u, double y) const {  // both for the price of one exponential
    return visit([&](const auto& loss) { return loss.derivatives(u, y); });
  }
  double curvature_bound() const;              // the largest curvature; infinity where there is none
  double conjugate(double v, double y) const;  // psi*(v) = sup_u (u v - psi(u, y)); infinity outside its domain

  void conjugates(const double* v, const double* y, Index n, double* out) const;  // many at once; in place is allowed
  // Many margins at once; outputs that are null are left out.
  void terms(const double* u, const double* y, Index n, const kernel::SoftplusTerms& out) const;

  // How slopes of a given mean are moved to have none, as a free intercept asks of a dual point, within the domain of the
  // conjugate; for losses that do not classify, where there is such a formula.
  std::optional<Balance> balance(double mean_slope, double mean_target) const;

  // slope(u, y) = phi(u) - label(y), of separable losses; 0 of others.
  double phi(double u) const {
    return visit([&](const auto& loss) {
      if constexpr (std::decay_t<decltype(loss)>::kTraits.separable) return loss.phi(u);
      return 0.0;
    });
  }
  double label(double y) const {
    return visit([&](const auto& loss) {
      if constexpr (std::decay_t<decltype(loss)>::kTraits.separable) return loss.label(y);
      return 0.0;
    });
  }

 private:
  LossSpec spec_;
};

inline const LossTraits& traits_of(LossKind kind) { return Loss({.kind = kind}).traits(); }
// f(traits) of each loss that has a parameter.
template <class F>
void for_each_parameter(F&& f) {
  for (const LossKind kind : kEveryLoss)
    if (traits_of(kind).parameter != nullptr) f(traits_of(kind));
}
// What real numbers are fitted with unless another loss is asked for, and what classes are.
inline LossKind usual_loss(LabelKind labels) {
  return labels == LabelKind::real ? LossKind::squared : LossKind::logistic;
}

}  // namespace s3gd
