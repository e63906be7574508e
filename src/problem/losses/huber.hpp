// (u - y)^2 up to |u - y| = knee, 2 knee |u - y| - knee^2 beyond: the squared loss without its regard for outliers.
//
// sigma H(r / sigma) of scikit-learn's HuberRegressor, at sigma, is this one over sigma with the knee at epsilon sigma.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "problem/loss_traits.hpp"

namespace s3gd {

struct HuberLoss {
  static constexpr LossTraits kTraits{
      .kind = LossKind::huber,
      .name = "huber",
      .summary = "(u - y)^2 up to |u - y| = knee, a line beyond: real numbers with outliers",
      .formula = "huber({u} - y_i), r^2 up to |r| = {p}, 2 {p} |r| - {p}^2 beyond",
      .targets = TargetKind::reals,
      .parameter = &LossSpec::knee,
      .parameter_name = "knee",
      .parameter_summary = "huber: errors beyond it count as a line, not a square"};

  explicit HuberLoss(const LossSpec& spec) : knee(spec.knee) {}
  double value(double u, double y) const {
    const double r = std::abs(u - y);
    return r <= knee ? r * r : knee * (2.0 * r - knee);
  }
  double slope(double u, double y) const { return 2.0 * std::clamp(u - y, -knee, knee); }
  double curvature(double u, double y) const { return std::abs(u - y) <= knee ? 2.0 : 0.0; }
  Derivatives derivatives(double u, double y) const { return {slope(u, y), curvature(u, y)}; }
  double curvature_bound() const { return 2.0; }
  // On [-2 knee, 2 knee], and what rounding adds to them.
  double conjugate(double v, double y) const {
    constexpr double kRounding = 8 * std::numeric_limits<double>::epsilon();
    if (!(std::abs(v) <= 2.0 * knee * (1 + kRounding))) return std::numeric_limits<double>::infinity();
    return v * y + 0.25 * v * v;
  }

  double knee;
};

}  // namespace s3gd
