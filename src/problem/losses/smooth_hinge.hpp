// (1/beta) log(1 + exp(-beta (y u - 1))).
#pragma once

#include "problem/loss_traits.hpp"
#include "problem/losses/logistic.hpp"

namespace s3gd {

struct SmoothHingeLoss {
  explicit SmoothHingeLoss(const LossSpec& spec) : beta(spec.beta) {}

  static constexpr LossTraits kTraits{
      .kind = LossKind::smooth_hinge,
      .name = "smooth-hinge",
      .summary = "(1/beta) log(1 + exp(-beta (y u - 1))): classes, close to the hinge for a large beta",
      .formula = "1/{p} log(1 + exp(-{p} (y_i ({u}) - 1)))",
      .targets = TargetKind::classes,
      .parameter = &LossSpec::beta,
      .parameter_name = "beta",
      .parameter_summary = "smooth-hinge: closeness to the hinge"};

  // softplus(beta m) / beta with the division done first: beta m may overflow where m does not.
  double value(double u, double y) const {
    const double m = 1.0 - y * u;
    return std::max(m, 0.0) + std::log1p(std::exp(-beta * std::abs(m))) / beta;
  }
  double slope(double u, double y) const { return -y * sigmoid(beta * (1.0 - y * u)); }
  double curvature(double u, double y) const { return beta * bell(beta * (1.0 - y * u)); }
  Derivatives derivatives(double u, double y) const {
    const double t = beta * (1.0 - y * u);
    const double e = std::exp(-std::abs(t)), whole = 1.0 / (1.0 + e);
    return {-y * (t > 0 ? whole : e * whole), beta * e * whole * whole};
  }
  double curvature_bound() const { return 0.25 * beta; }
  // softplus(sharpness (shift - y u)) / sharpness: many at once are kernel/kernel.hpp's.
  double sharpness() const { return beta; }
  double shift() const { return 1.0; }
  double conjugate(double v, double y) const { return v * y + negative_entropy(-v * y) / beta; }

  double beta;
};

}  // namespace s3gd
