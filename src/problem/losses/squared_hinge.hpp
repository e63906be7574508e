// (1/2) max(0, 1 - y u)^2.
#pragma once

#include <algorithm>
#include <limits>

#include "problem/loss_traits.hpp"

namespace s3gd {

struct SquaredHingeLoss {
  static constexpr LossTraits kTraits{.kind = LossKind::squared_hinge,
                                      .name = "squared-hinge",
                                      .summary = "(1/2) max(0, 1 - y u)^2: classes, wide margins",
                                      .formula = "1/2 max(0, 1 - y_i ({u}))^2",
                                      .targets = TargetKind::classes};

  explicit SquaredHingeLoss(const LossSpec&) {}
  double value(double u, double y) const {
    const double short_of_one = std::max(0.0, 1.0 - y * u);
    return 0.5 * short_of_one * short_of_one;
  }
  double slope(double u, double y) const { return -y * std::max(0.0, 1.0 - y * u); }
  double curvature(double u, double y) const { return y * u < 1.0 ? 1.0 : 0.0; }
  Derivatives derivatives(double u, double y) const { return {slope(u, y), curvature(u, y)}; }
  double curvature_bound() const { return 1.0; }
  double conjugate(double v, double y) const {
    const double a = -v * y;  // the dual variable: how far the row still pulls, in units of its label
    return a >= 0.0 ? -a + 0.5 * a * a : std::numeric_limits<double>::infinity();
  }
};

}  // namespace s3gd
