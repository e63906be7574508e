// What logistic loss and smooth hinge are made of, stable at both ends.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "problem/loss_traits.hpp"

namespace s3gd {

// 1 / (1 + exp(-t)): exact to rounding at both ends, since exp overflows to infinity and that gives 0.
inline double sigmoid(double t) { return 1.0 / (1.0 + std::exp(-t)); }

// log(1 + exp(t)) without overflow.
inline double softplus(double t) { return std::max(t, 0.0) + std::log1p(std::exp(-std::abs(t))); }

// Derivative of the sigmoid.
inline double bell(double t) {
  const double e = std::exp(-std::abs(t));
  return e / ((1.0 + e) * (1.0 + e));
}

// a log a + (1-a) log(1-a) on [0, 1], 0 at its ends.
inline double negative_entropy(double a) {
  if (!(a >= 0.0 && a <= 1.0)) return std::numeric_limits<double>::infinity();
  const double left = a > 0.0 ? a * std::log(a) : 0.0;
  const double right = a < 1.0 ? (1.0 - a) * std::log1p(-a) : 0.0;
  return left + right;
}

// log(1 + exp(-y u)).
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
