// The best model without features: b that minimises sum_i q_i psi(b, y_i) + l2 b^2, or 0 where there is no intercept.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "s3gd/problem.hpp"

namespace s3gd {

struct ConstantModel {
  double b, loss, curvature;  // sum_i q_i psi(b, y_i), sum_i q_i psi''(b, y_i)
};
ConstantModel best_constant(const Problem& problem, double l2);

// Where a sum of slopes, which grows with the number it is of, is zero: Newton between the closest points known to be on
// either side.
struct SlopeSum {
  double slope = 0, curvature = 0;
};

// sum_i q_i psi'(u_i + b, y_i), and of psi''. u empty: all zero.
SlopeSum slopes_at(const Problem& problem, std::span<const double> u, double b);

// f(b) gives a SlopeSum; `reach`: how far a first step may go; `unit`: what b is as exact as, where it is small.
template <class F>
double rising_zero(F&& f, double b, double reach, double unit = 1.0) {
  constexpr double kFar = std::numeric_limits<double>::infinity();
  double low = -kFar, high = kFar;
  for (int step = 0; step < 100; ++step) {
    const SlopeSum here = f(b);
    if (here.slope == 0) break;
    (here.slope > 0 ? high : low) = b;
    double next = b - here.slope / here.curvature;
    const bool inside = next > low && next < high;
    if (high - low < kFar) {
      if (!inside || step % 3 == 2) next = 0.5 * (low + high);
    } else if (!inside || std::abs(next - b) > reach) {
      next = here.slope > 0 ? b - reach : b + reach;
      reach *= 4;
    }
    if (std::abs(next - b) <= 1e-15 * std::max(unit, std::abs(b))) break;
    b = next;
  }
  return b;
}

}  // namespace s3gd
