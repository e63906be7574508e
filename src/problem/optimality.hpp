// What searches along a direction share: what rounding hides, which trial gains enough, how far to go back after one that
// does not.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "kernel/kernel.hpp"
#include "s3gd/problem.hpp"
#include "s3gd/softmax.hpp"

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

// How far from optimal a point is, from its gradient alone: O(dim), no pass over the rows. It decides when to certify.
//
// With the dual point a_i = -psi'(u_i) scaled by s to be feasible, Fenchel's equality gives
//
//     F(w) - D(s a) = R(w) + R*(-s g) + s w.g + O((1 - s)^2),      g = sum_i q_i psi'(u_i) x_i
//
// which near the optimum is the gap certify() finds with a pass and n logarithms. One output and several: a penalty is a
// Penalty or a MatrixPenalty.

// ||prox_R(w - g) - w|| / max(1, ||w||), g the loss part's gradient. The last `shifted` of w, more than one, may be shifted together
// at will (intercepts of softmax): their mean does not count.
template <class AnyPenalty>
double prox_gradient_norm(const AnyPenalty& penalty, std::span<const double> w, std::span<const double> gradient,
                          Index shifted = 0) {
  std::vector<double> moved(w.begin(), w.end());
  for (std::size_t j = 0; j < moved.size(); ++j) moved[j] -= gradient[j];
  penalty.prox(1.0, std::span<double>(moved));
  double step = 0, size = 0;
  for (std::size_t j = 0; j < moved.size(); ++j) {
    step += (moved[j] - w[j]) * (moved[j] - w[j]);
    size += w[j] * w[j];
  }
  if (shifted > 1) {
    double sum = 0;
    for (const double value : w.last(static_cast<std::size_t>(shifted))) sum += value;
    size = std::max(0.0, size - sum * sum / static_cast<double>(shifted));
  }
  const double norm = std::sqrt(step) / std::max(1.0, std::sqrt(size));
  return std::isnan(norm) ? std::numeric_limits<double>::infinity() : norm;  // where squares overflow
}

// Of all weights the last so many.
inline Index free_intercepts(const Problem& problem) { return problem.spec().intercept == Intercept::free ? 1 : 0; }
inline Index free_intercepts(const SoftmaxProblem& problem) {
  return problem.spec().intercept == Intercept::free ? problem.classes() : 0;
}

// An estimate of Certificate::relative_gap where the loss part has this gradient and F this value. The slopes of free
// intercepts must vanish in the dual: for one, what that costs is added (one class less by a share, squared); for several it
// is left out.
template <class AnyProblem, class AnyPenalty>
double estimated_gap(const AnyProblem& problem, const AnyPenalty& penalty, std::span<const double> w,
                     std::span<const double> gradient, double objective) {
  if (!penalty.has_dual()) return prox_gradient_norm(penalty, w, gradient, free_intercepts(problem));
  const double size = std::max(std::abs(objective), std::numeric_limits<double>::min());
  std::vector<double> z(gradient.begin(), gradient.end());  // instead of -g: a penalty knows no signs
  const double unbalanced = free_intercepts(problem) == 1 ? z.back() * z.back() / size : 0.0;
  std::fill(z.end() - free_intercepts(problem), z.end(), 0.0);
  const auto dim = static_cast<Index>(z.size());
  const double product = kernel::dot(w.data(), z.data(), dim);
  const double scale = penalty.feasible_scale(z);
  if (scale < 1) kernel::scale(scale, z.data(), dim);
  const double distant = (1 - scale) * (1 - scale) * std::abs(objective);  // stands for the term left out
  const double gap = penalty.value(w) + penalty.conjugate(z) + scale * product + unbalanced + distant;
  return std::max(gap, 0.0) / size;
}

// Steps in a row that gain nothing: neither does the gap fall to a share of the least so far, nor F by what is worth noting.
class VainSteps {
 public:
  explicit VainSteps(double smaller) : smaller_(smaller) {}
  // True: this one has gained.
  bool count(double gap, double value, double least_gain) {
    const bool gained = gap < smaller_ * least_ || value < lowest_ - least_gain;
    steps_ = gained ? 0 : steps_ + 1;
    if (!gained) return false;
    least_ = std::min(least_, gap);
    lowest_ = std::min(lowest_, value);
    return true;
  }
  void forgive() { steps_ = 0; }
  int steps() const { return steps_; }

 private:
  double smaller_, least_ = std::numeric_limits<double>::infinity(), lowest_ = least_;
  int steps_ = 0;
};

// When to ask for a certificate: where the estimate is a little below the tolerance; after one that said no, further below,
// by as much as it was beyond.
class GapWatch {
 public:
  explicit GapWatch(double tol) : tol_(tol), ask_below_(0.9 * tol) {}
  bool worth_certifying(double estimate) const { return estimate <= ask_below_; }
  double ask_below() const { return ask_below_; }
  void refused(double gap) { ask_below_ *= std::clamp(0.5 * tol_ / gap, 0.01, 0.5); }

 private:
  double tol_, ask_below_;
};

}  // namespace s3gd
