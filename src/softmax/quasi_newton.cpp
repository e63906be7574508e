// Quasi-Newton for smooth softmax problems: one pass a step, margins and gradient fused, in a metric from a sample of the
// rows, with a memory of past steps that corrects what the metric leaves out: the sample's error and the coupling of the
// classes.
#include <algorithm>
#include <cmath>
#include <utility>

#include "kernel/kernel.hpp"
#include "softmax/finish.hpp"
#include "softmax/metric.hpp"
#include "softmax/optimality.hpp"

namespace s3gd {
namespace {

constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();
constexpr Index kWidest = 2000;       // features; beyond, a factor costs more than it saves
constexpr double kNearEnough = 1e-6;  // relative decrease expected of a step below which float no longer resolves it
constexpr std::size_t kMemory = 20;
constexpr Index kStepsToRebuild = 4;  // after the first few steps curvature is another than at the start
constexpr int kMostTrials = 20;       // of one step's length
constexpr double kSufficient = 1e-4;  // of the decrease the slope promises

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

double product(std::span<const double> a, std::span<const double> b) {
  return kernel::dot(a.data(), b.data(), static_cast<Index>(a.size()));
}

struct Point {
  std::vector<double> w, gradient;  // of F: penalty included
  double value = std::numeric_limits<double>::infinity();
  Arithmetic made_in = Arithmetic::data;

  // Differences of F below this are rounding.
  double rounding() const { return (made_in == Arithmetic::data ? 1e-7 : 1e-13) * std::abs(value); }
};

MetricKind metric_kind(const SoftmaxProblem& problem) {
  if (problem.features() > kWidest) return MetricKind::diagonal;
  return MetricKind::shared;
}

// Where the parabola through the value and slope at 0 and the value at t is least, kept within a sensible range.
double shorter(double t, double value, double slope, double value_at_t) {
  const double rise = value_at_t - value - slope * t;
  const double best = std::isfinite(rise) && rise > 0 ? -slope * t * t / (2 * rise) : 0.0;
  return std::clamp(best, 0.1 * t, 0.5 * t);
}

class Search {
 public:
  Search(const SoftmaxFinishInput& input, std::vector<double> start, Progress& progress)
      : input_(input),
        problem_(input.problem),
        progress_(progress),
        penalty_(problem_),
        curvatures_(problem_, metric_kind(problem_)),
        metric_(problem_, penalty_, metric_kind(problem_)),
        memory_(kMemory),
        rng_(input.seed, 5),
        watch_(input.tol) {
    point_.w = std::move(start);
    point_.w.resize(at(problem_.dim()), 0.0);
    for (Index j = 0; j < problem_.features(); ++j)
      ridge_.insert(ridge_.end(), at(problem_.classes()), 2.0 * penalty_.ridge(j));
  }

  Finish run();

 private:
  void evaluate(Point& point) {
    point.gradient.resize(point.w.size());
    point.made_in = arithmetic_;
    SoftmaxPass pass;
    pass.arithmetic = arithmetic_;
    pass.gradient = point.gradient;
    curvatures_.watch(pass);
    point.value = run_pass(problem_, point.w, pass).loss + penalty_.value(point.w);
    for (std::size_t j = 0; j < ridge_.size(); ++j) point.gradient[j] += ridge_[j] * point.w[j];
    finish_.passes += 1;
  }

  void build_metric() { metric_.build(curvatures_, sample_, rng_); }  // the memory stays: its pairs hold in any metric

  double gap() const {
    std::vector<double> loss_part = point_.gradient;
    for (std::size_t j = 0; j < ridge_.size(); ++j) loss_part[j] -= ridge_[j] * point_.w[j];
    return estimated_gap(problem_, penalty_, point_.w, loss_part, point_.value);
  }

  bool certified(double estimate) {
    finish_.certificate = certify(problem_, point_.w);
    finish_.passes += problem_.spec().intercept == Intercept::free ? 2 : 1;
    watch_.certified(estimate, finish_.certificate.relative_gap);
    return finish_.certificate.relative_gap <= input_.tol;
  }

  bool step();

  const SoftmaxFinishInput& input_;
  const SoftmaxProblem& problem_;
  Progress& progress_;
  MatrixPenalty penalty_;
  Curvatures curvatures_;
  ClassMetric metric_;
  StepMemory memory_;
  Rng rng_;
  GapWatch watch_;
  std::vector<double> ridge_;
  Arithmetic arithmetic_ = Arithmetic::data;
  Index sample_ = 0;
  Point point_;
  Finish finish_;
};

// One step; false when no progress can be made, or the run is to end.
bool Search::step() {
  const std::vector<double> direction = memory_.direction(point_.gradient, metric_);
  const double slope = product(direction, point_.gradient);
  if (!(slope < 0)) return false;
  if (-slope < kNearEnough * std::abs(point_.value)) arithmetic_ = Arithmetic::exact;
  Point next;
  double t = 1;
  for (int trial = 0;; ++trial) {
    next.w = point_.w;
    kernel::axpy(t, direction.data(), next.w.data(), problem_.dim());
    evaluate(next);
    if (next.value <= point_.value + kSufficient * t * slope + point_.rounding()) break;
    if (trial == kMostTrials || progress_.must_stop()) return false;
    t = shorter(t, point_.value, slope, next.value);
  }
  std::vector<double> moved = next.w, change = next.gradient;
  kernel::axpy(-1.0, point_.w.data(), moved.data(), problem_.dim());
  kernel::axpy(-1.0, point_.gradient.data(), change.data(), problem_.dim());
  memory_.add(std::move(moved), std::move(change));
  std::swap(point_, next);
  return true;
}

Finish Search::run() {
  evaluate(point_);
  sample_ = std::min(problem_.rows(), 2 * problem_.features());
  build_metric();
  for (;;) {
    const double now = gap();
    if (watch_.worth_certifying(now) && certified(now)) {
      finish_.end = FinishEnd::converged;
      break;
    }
    ++finish_.iterations;
    if (!progress_.moved(point_.w, finish_.passes, point_.value, now) || finish_.iterations > input_.max_iterations) {
      finish_.end = FinishEnd::stopped;
      break;
    }
    if (step()) {
      if (finish_.iterations == kStepsToRebuild) build_metric();
      continue;
    }
    if (progress_.must_stop()) continue;       // moved() will say so
    if (point_.made_in == Arithmetic::data) {  // it may have been rounding
      arithmetic_ = Arithmetic::exact;
      evaluate(point_);
      memory_.clear();
      continue;
    }
    finish_.end = certified(0) ? FinishEnd::converged : FinishEnd::stalled;
    break;
  }
  finish_.w = std::move(point_.w);
  return std::move(finish_);
}

}  // namespace

Finish finish_by_quasi_newton(const SoftmaxFinishInput& input, std::vector<double> start, Progress& progress) {
  return Search(input, std::move(start), progress).run();
}

}  // namespace s3gd
