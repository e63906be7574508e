// (u - y)^2.
#pragma once

#include "problem/loss_traits.hpp"

namespace s3gd {

struct SquaredLoss {
  static constexpr LossTraits kTraits{.kind = LossKind::squared,
                                      .name = "squared",
                                      .summary = "(u - y)^2: real numbers",
                                      .formula = "({u} - y_i)^2",
                                      .targets = TargetKind::reals,
                                      .separable = true,
                                      .quadratic = true};

  explicit SquaredLoss(const LossSpec&) {}
  double value(double u, double y) const { return (u - y) * (u - y); }
  double slope(double u, double y) const { return 2.0 * (u - y); }
  double curvature(double, double) const { return 2.0; }
  Derivatives derivatives(double u, double y) const { return {2.0 * (u - y), 2.0}; }
  double curvature_bound() const { return 2.0; }
  double conjugate(double v, double y) const { return v * y + 0.25 * v * v; }
  Balance balance(double mean_slope, double) const { return {.shift = -mean_slope}; }
  double phi(double u) const { return 2.0 * u; }
  double label(double y) const { return 2.0 * y; }
};

}  // namespace s3gd
