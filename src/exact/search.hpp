// What searches for the optimum share, whatever the number of outputs: a point and what the rows say there, and samples of
// the rows that grow.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "exact/metric.hpp"
#include "kernel/kernel.hpp"
#include "problem/full_pass.hpp"
#include "problem/optimality.hpp"

namespace s3gd {

constexpr std::size_t kStepMemory = 10;  // past steps that correct a metric
constexpr double kNearEnough = 1e-6;     // relative decrease expected of a step below which float no longer resolves it

struct SearchPoint {
  std::vector<double> w, gradient;
  double value = std::numeric_limits<double>::infinity();  // F
  Arithmetic made_in = Arithmetic::data;
  double float_error = 1e-7;  // of F over rows in float, relative; for one output, whose sums go on in double, less

  // Differences of F below this are rounding.
  double rounding() const { return (made_in == Arithmetic::data ? float_error : 1e-13) * std::abs(value); }
  LineSearch line(double slope) const { return {value, slope, rounding()}; }
  // Whether float rows will no longer resolve a step of which this decrease is expected.
  bool needs_digits(double decrease) const { return decrease < kNearEnough * std::abs(value); }

  // F and its gradient from the loss and its gradient over rows that stand for all: those times `scale`, and the penalty,
  // whose second derivative is `ridge`.
  template <class AnyPenalty>
  void complete(double scale, double loss, const AnyPenalty& penalty, std::span<const double> ridge) {
    kernel::scale(scale, gradient.data(), static_cast<Index>(gradient.size()));
    for (std::size_t j = 0; j < ridge.size(); ++j) gradient[j] += ridge[j] * w[j];
    value = scale * loss + penalty.value(std::span<const double>(w));
  }
  // Without the penalty's.
  std::vector<double> loss_gradient(std::span<const double> ridge) const {
    std::vector<double> part = gradient;
    for (std::size_t j = 0; j < ridge.size(); ++j) part[j] -= ridge[j] * w[j];
    return part;
  }
};

// How w and gradient change from a point to the next: what memories of past steps keep.
struct StepTaken {
  StepTaken(const SearchPoint& from, const SearchPoint& to) : moved(to.w), gradient(to.gradient) {
    const auto size = static_cast<Index>(moved.size());
    kernel::axpy(-1.0, from.w.data(), moved.data(), size);
    kernel::axpy(-1.0, from.gradient.data(), gradient.data(), size);
  }
  std::vector<double> moved, gradient;
};

// w + t direction.
inline void step_from(const SearchPoint& from, double t, std::span<const double> direction, SearchPoint& to) {
  to.w = from.w;
  kernel::axpy(t, direction.data(), to.w.data(), static_cast<Index>(direction.size()));
}

inline bool all_zero(std::span<const double> w) {
  return std::all_of(w.begin(), w.end(), [](double value) { return value == 0; });
}

// Samples of the rows that grow, so that the first steps from nothing cost the same whatever the number of rows: a sample's
// optimum is found to about the accuracy the sample deserves, and is where the next begins.
struct SampleGrowth {
  Index first;       // rows
  double last;       // of the rows: beyond, steps over all of them gain more
  Index factor = 3;  // of a sample to the next
  int steps = 2;     // on each
  Index run = 1;     // rows side by side that are drawn together
  bool sorted = false;
};

// Rows in a random order, in runs of so many that lie side by side.
class GrowingSample {
 public:
  GrowingSample(Index rows, Index run, Rng& rng)
      : rows_(rows), run_(run), runs_((rows + run - 1) / run), shuffle_(runs_, rng) {}
  // About so many of them, those of smaller samples first.
  const std::vector<Index>& grow(Index size) {
    for (; drawn_ < runs_ && static_cast<Index>(order_.size()) < size; ++drawn_) {
      const Index begin = shuffle_(drawn_) * run_;
      for (Index i = begin; i < std::min(rows_, begin + run_); ++i) order_.push_back(i);
    }
    return order_;
  }

 private:
  Index rows_, run_, runs_, drawn_ = 0;
  LazyShuffle shuffle_;
  std::vector<Index> order_;
};

// What Newton's first step misses when a penalty gets weaker step by step.
//
// From the solution at one lambda, Newton's step for the next follows the tangent of the path of solutions; what it
// misses is of second order in the distance h = log(lambda / next lambda), and nearly the same from step to step but for
// h^2. So what the last one missed is added to the next: what is left is of third order.
class PathPredictor {
 public:
  // Expected of the step from here to this lambda; nothing when that is not known, or too far to tell.
  std::vector<double> towards(double lambda) const {
    const double stretch = std::log(here_ / lambda) / distance_;
    if (missed_.empty() || !(stretch > 0 && stretch <= kFurthest)) return {};
    std::vector<double> expected = missed_;
    for (double& value : expected) value *= stretch * stretch;
    return expected;
  }

  // The solution at this lambda, and where Newton's first step to it went; empty: no step was needed.
  void arrived(double lambda, std::span<const double> aim, std::span<const double> solution) {
    if (aim.empty() && here_ > 0) return;
    missed_.clear();
    if (!aim.empty() && here_ > 0) {
      missed_.assign(solution.begin(), solution.end());
      for (std::size_t j = 0; j < aim.size(); ++j) missed_[j] -= aim[j];
      distance_ = std::log(here_ / lambda);
    }
    here_ = lambda;
  }

 private:
  static constexpr double kFurthest = 3;  // times as far as the last step

  double here_ = 0;      // lambda of the last step
  double distance_ = 0;  // its h
  std::vector<double> missed_;
};

}  // namespace s3gd
