#include <algorithm>
#include <cmath>

#include "problem/penalty.hpp"

namespace s3gd {
namespace {

constexpr std::size_t kTabulated = 1024;  // 16 KB: stays in the first-level cache

double soft(double w, double threshold) { return w - std::clamp(w, -threshold, threshold); }

// How many steps w <- s (w - c), s = 1 / (1 + strength), certainly leave w above c > 0 (one or two fewer than do).
double steps_above(double w, double c, double strength) {
  const double ratio = w / c;
  const double count =
      strength == 0 ? ratio - 1.0 : std::log1p((ratio - 1.0) * strength / (1.0 + strength)) / std::log1p(strength);
  return std::max(0.0, std::floor(count) - 1.0);
}

}  // namespace

LazyAdvance::LazyAdvance(const Penalty& penalty, double eta)
    : eta_(eta), l1_(penalty.l1_strength()), l2_(penalty.l2_strength()), runs_(kTabulated) {
  const double s = 1.0 / (1.0 + 2.0 * eta * l2_);
  Run run{1.0, 0.0};
  for (auto& entry : runs_) {
    entry = run;
    run.power *= s;
    run.sum += run.power;
  }
}

LazyAdvance::Run LazyAdvance::run_of(Index steps, double factor) const {
  if (factor == 1.0 && steps < static_cast<Index>(runs_.size())) return runs_[static_cast<std::size_t>(steps)];
  const double strength = 2.0 * eta_ * l2_ * factor;
  const auto count = static_cast<double>(steps);
  if (strength == 0) return {1.0, count};
  const double exponent = -count * std::log1p(strength);
  return {std::exp(exponent), -std::expm1(exponent) / strength};
}

// By symmetry w >= 0 throughout. Three phases at most: fall towards zero, cross it or stick to it, move away from it.
double LazyAdvance::general(double w, double g, Index steps, double factor) const {
  if (steps <= 0) return w;
  double move = eta_ * g;
  const double threshold = eta_ * l1_ * factor;
  const auto affine = [&](double from, double c, Index count) {
    const Run run = run_of(count, factor);
    return run.power * from - c * run.sum;
  };
  if (threshold == 0) return affine(w, move, steps);
  const double sign = w < 0 || (w == 0 && move > 0) ? -1.0 : 1.0;
  w *= sign;
  move *= sign;
  if (w == 0 && std::abs(move) <= threshold) return 0;
  const double c = move + threshold;
  if (c <= 0) return sign * affine(w, c, steps);

  const double strength = 2.0 * eta_ * l2_ * factor;
  const double falling = std::min(static_cast<double>(steps), steps_above(w, c, strength));
  w = affine(w, c, static_cast<Index>(falling));
  steps -= static_cast<Index>(falling);
  for (; steps > 0 && w > 0; --steps) w = soft(w - move, threshold) / (1.0 + strength);
  if (steps == 0 || move <= threshold) return sign * w;  // done, or held at zero by the threshold
  return -sign * affine(-w, threshold - move, steps);
}

}  // namespace s3gd
