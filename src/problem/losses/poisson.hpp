// exp(u) - y u + y log y - y: half of the Poisson deviance of counts y from predictions exp(u); 0 where they are equal.
//
// Beyond kLast, where no count is, the exponential goes on as its tangent: the loss stays convex, and finite for every
// margin, so that a step that goes too far is one that does not pay.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "problem/loss_traits.hpp"

namespace s3gd {

struct PoissonLoss {
  static constexpr LossTraits kTraits{.kind = LossKind::poisson,
                                      .name = "poisson",
                                      .summary = "exp(u) - y u + y log y - y: counts, predicted as exp(u)",
                                      .formula = "poisson({u}, y_i), exp(u) - y u + y log y - y",
                                      .targets = TargetKind::counts,
                                      .link = Link::log,
                                      .separable = true,
                                      .bounded_curvature = false};
  static constexpr double kLast = 300;        // counts end at 1e100 = exp(230)
  static constexpr double kFarthest = 1e150;  // margins beyond count as this one: products with counts stay finite

  explicit PoissonLoss(const LossSpec&) {}
  double value(double u, double y) const { return value_at(u, y, phi(u)); }
  double slope(double u, double y) const { return phi(u) - y; }
  double curvature(double u, double) const { return phi(u); }
  Derivatives derivatives(double u, double y) const {
    const double size = phi(u);
    return {size - y, size};
  }
  double curvature_bound() const { return std::numeric_limits<double>::infinity(); }
  // m log m - m at m = v + y, which is not below zero but by rounding; less the same of y.
  double conjugate(double v, double y) const {
    constexpr double kRounding = 8 * std::numeric_limits<double>::epsilon();
    const double m = v + y;
    if (!(m >= -kRounding * y)) return std::numeric_limits<double>::infinity();
    return (m > 0 ? m * std::log(m) - m : 0.0) - least(y);
  }
  // Predictions times what makes their mean that of the targets.
  Balance balance(double mean_slope, double mean_target) const {
    const double factor = mean_target / (mean_target + mean_slope);
    return {.scale = factor, .tilt = factor - 1};
  }
  double phi(double u) const { return std::exp(std::min(u, kLast)); }
  double label(double y) const { return y; }
  Terms terms(double u, double y) const {
    const double size = phi(u);
    return {value_at(u, y, size), size - y, size};
  }

 private:
  static double value_at(double u, double y, double size) {
    const double far = std::clamp(u, -kFarthest, kFarthest), beyond = std::max(far - kLast, 0.0);
    return std::max(0.0, size * (1 + beyond) - y * far + least(y));
  }
  // y log y - y. Most counts are small, and met again in every pass.
  static double least(double y) {
    constexpr int kKnown = 256;  // counts below this have y log y - y in a table
    static const std::array<double, kKnown> known = [] {
      std::array<double, kKnown> table{};
      for (int k = 1; k < kKnown; ++k) table[static_cast<std::size_t>(k)] = k * std::log(k) - k;
      return table;
    }();
    const int whole = y < kKnown ? static_cast<int>(y) : 0;
    if (whole == y) return known[static_cast<std::size_t>(whole)];
    return y > 0 ? y * std::log(y) - y : 0.0;
  }
};

}  // namespace s3gd
