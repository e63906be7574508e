// log(1 + exp(-y u)).
#pragma once

#include "problem/loss_traits.hpp"
#include "problem/losses/sigmoid.hpp"

namespace s3gd {

struct LogisticLoss {
  static constexpr LossTraits kTraits{.kind = LossKind::logistic,
                                      .name = "logistic",
                                      .summary = "log(1 + exp(-y u)): classes, with probabilities",
                                      .formula = "log(1 + exp(-y_i ({u})))",
                                      .targets = TargetKind::classes,
                                      .link = Link::logistic,
                                      .separable = true};

  explicit LogisticLoss(const LossSpec&) {}
  double value(double u, double y) const { return softplus(-y * u); }
  double slope(double u, double y) const { return -y * sigmoid(-y * u); }
  double curvature(double u, double) const { return bell(u); }
  Derivatives derivatives(double u, double y) const {
    const double t = -y * u;
    const double e = std::exp(-std::abs(t)), whole = 1.0 / (1.0 + e);
    return {-y * (t > 0 ? whole : e * whole), e * whole * whole};
  }
  double curvature_bound() const { return 0.25; }
  // softplus(sharpness (shift - y u)) / sharpness: many at once are kernel/kernel.hpp's.
  double sharpness() const { return 1.0; }
  double shift() const { return 0.0; }
  double conjugate(double v, double y) const { return negative_entropy(-v * y); }
  double phi(double u) const { return sigmoid(u); }
  double label(double y) const { return y > 0 ? 1.0 : 0.0; }
};

}  // namespace s3gd
