// What searches along a direction share: what rounding hides, which trial gains enough, how far to go back after one that
// does not.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

namespace s3gd {

constexpr double kSufficient = 1e-4;  // of the decrease that is promised: enough that steps cannot gain less and less

// Differences of F below this are rounding: F is a long sum, whose last digits wobble from step to step.
inline double rounding_of(double value) { return 512 * std::numeric_limits<double>::epsilon() * std::abs(value); }

// From a point where F has this value, along a direction in which it has this slope.
struct LineSearch {
  double value, slope, rounding;

  bool enough(double t, double value_at_t) const { return value_at_t <= value + kSufficient * t * slope + rounding; }
  // Where the parabola through the value and slope at 0 and the value at t is least, kept within a sensible range.
  double shorter(double t, double value_at_t) const {
    const double rise = value_at_t - value - slope * t;
    const double best = std::isfinite(rise) && rise > 0 ? -slope * t * t / (2 * rise) : 0.0;
    return std::clamp(best, 0.1 * t, 0.5 * t);
  }
};

// |from + by| - |from| without cancellation.
inline double absolute_change(double from, double by) {
  if (from > 0 && from + by >= 0) return by;
  if (from < 0 && from + by <= 0) return -by;
  return std::abs(from + by) - std::abs(from);
}

}  // namespace s3gd
