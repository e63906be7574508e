// Newton steps for smooth softmax problems, with the Hessian of a sample of the rows.
//
// The rows are looked at in samples that grow: two steps on each, so that the first steps cost next to nothing whatever the
// number of rows. Over all rows a step is one pass, margins and gradient fused, and conjugate gradients on the sampled
// Hessian (softmax/sampled_curvature.hpp); a memory of past steps corrects what the sample missed, and where that is too
// slow the sample doubles.
#include <algorithm>
#include <cmath>
#include <utility>

#include "finish/curvature_sample.hpp"
#include "kernel/kernel.hpp"
#include "softmax/sampled_curvature.hpp"
#include "softmax/search.hpp"

namespace s3gd {
namespace {

constexpr std::size_t kMemory = 10;
constexpr Index kFirstSample = 2000;
constexpr double kGrowth = 3;         // of a sample to the next
constexpr double kLastSample = 0.35;  // of the rows: beyond, all rows gain more
constexpr int kStepsPerSample = 2;
constexpr double kHessianShare = 0.1;  // of the rows, in the first Hessian over all of them
constexpr double kFar =
    0.1;  // a gap beyond which it is not the sample that slows steps down, but curvature that changes
constexpr double kSlow = 0.3;             // of the gap left after a step: the Hessian deserves more rows
constexpr int kMostInVain = 15;           // steps that gain nothing but rounding
constexpr double kBelowRounding = 1e-15;  // a tolerance that asks for as much as there is
constexpr double kWorthAStep = 0.1;       // of the gap left after a step beyond it

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

double product(std::span<const double> a, std::span<const double> b) {
  return kernel::dot(a.data(), b.data(), static_cast<Index>(a.size()));
}

// Where the parabola through the value and slope at 0 and the value at t is least, kept within a sensible range.
double shorter(double t, double value, double slope, double value_at_t) {
  const double rise = value_at_t - value - slope * t;
  const double best = std::isfinite(rise) && rise > 0 ? -slope * t * t / (2 * rise) : 0.0;
  return std::clamp(best, 0.1 * t, 0.5 * t);
}

class Search final : SoftmaxSearch {
 public:
  Search(const SoftmaxFinishInput& input, std::vector<double> start, Progress& progress)
      : SoftmaxSearch(input, std::move(start), progress),
        curvatures_(problem_),
        preconditioner_(problem_, penalty_),
        hessian_(problem_, penalty_, preconditioner_, [&progress] { return progress.must_stop(); }),
        memory_(kMemory, false),
        from_zero_(std::all_of(point_.w.begin(), point_.w.end(), [](double value) { return value == 0; })) {
    for (Index j = 0; j < problem_.features(); ++j)
      ridge_.insert(ridge_.end(), at(problem_.classes()), 2.0 * penalty_.ridge(j));
    squares_ = ridge_.size() - (problem_.spec().intercept == Intercept::free ? at(problem_.classes()) : 0);
    const auto end = ridge_.begin() + static_cast<std::ptrdiff_t>(squares_);
    if (!std::all_of(ridge_.begin(), end, [](double value) { return value > 0; })) squares_ = 0;
  }

  Finish run() {
    if (!from_zero_ || climb()) descend();
    return take_result();
  }

 private:
  // F and its gradient over rows_, whose loss is scaled up to the whole.
  void evaluate(Point& point) {
    point.gradient.resize(point.w.size());
    point.made_in = arithmetic_;
    SoftmaxPass pass;
    pass.rows = rows_;
    pass.arithmetic = arithmetic_;
    pass.gradient = point.gradient;
    curvatures_.watch(pass);
    const RowSums sums = run_pass(problem_, point.w, pass);
    scale_ = sums.weight > 0 ? 1 / sums.weight : 1.0;
    kernel::scale(scale_, point.gradient.data(), problem_.dim());
    for (std::size_t j = 0; j < ridge_.size(); ++j) point.gradient[j] += ridge_[j] * point.w[j];
    point.value = scale_ * sums.loss + penalty_.value(point.w);
    count_passes(rows_.empty() ? static_cast<double>(problem_.rows()) : static_cast<double>(rows_.size()));
  }

  void build_preconditioner() {
    std::vector<double> sizes(curvatures_.of_rows().begin(), curvatures_.of_rows().end());
    for (double& size : sizes) size *= scale_;
    preconditioner_.build(rows_, sizes, 2 * problem_.features(), rng_);
  }

  void build_hessian(Index sample) {
    hessian_.build(point_.w, rows_, curvatures_.of_rows(), scale_, sample, rng_);
    count_passes(static_cast<double>(hessian_.sample()));
  }

  double gap() const {
    if (squares_ > 0) return gap_of_squares();
    std::vector<double> loss_part = point_.gradient;
    for (std::size_t j = 0; j < ridge_.size(); ++j) loss_part[j] -= ridge_[j] * point_.w[j];
    return estimated_gap(problem_, penalty_, point_.w, loss_part, point_.value);
  }

  // P(w) + P*(-g) + w.g of a sum of squares is one itself, which does not cancel.
  double gap_of_squares() const {
    double sum = 0;
    for (std::size_t j = 0; j < squares_; ++j) sum += point_.gradient[j] * point_.gradient[j] / (2 * ridge_[j]);
    return sum / std::max(std::abs(point_.value), std::numeric_limits<double>::min());
  }

  // Where rounding is all that moves, steps wander about: the best point is kept.
  void remember(double gap) {
    if (point_.made_in != best_in_) lowest_ = best_gap_ = std::numeric_limits<double>::infinity();
    best_in_ = point_.made_in;
    const bool lower = point_.value < lowest_ - point_.rounding();
    in_vain_ = lower || gap < 0.5 * best_gap_ ? 0 : in_vain_ + 1;
    lowest_ = std::min(lowest_, point_.value);
    if (!lower && !(gap < best_gap_)) return;
    best_gap_ = gap;
    best_ = point_.w;
  }

  void settle() {
    point_.w = std::move(best_);
    finish_.end = certified(best_gap_) ? FinishEnd::converged : FinishEnd::stalled;
  }

  bool climb();
  void descend();
  void polish();
  bool step();

  Curvatures curvatures_;
  ClassMetric preconditioner_;
  SampledCurvature hessian_;
  StepMemory memory_;
  bool from_zero_;
  std::vector<double> ridge_;
  std::size_t squares_ = 0;  // all weights of features, where each is penalised by its square; else 0
  std::vector<double> best_;
  double best_gap_ = std::numeric_limits<double>::infinity(), lowest_ = best_gap_;
  Arithmetic best_in_ = Arithmetic::data;
  int in_vain_ = 0;
  std::vector<Index> rows_;  // empty = all
  double scale_ = 1;         // what the loss over them is multiplied by
};

// One step; false when no progress can be made, or the run is to end.
bool Search::step() {
  const double before = hessian_.products();
  const std::vector<double> direction = memory_.direction(point_.gradient, hessian_);
  count_passes(hessian_.products() - before);
  const double slope = product(direction, point_.gradient);
  if (!(slope < 0)) return false;
  expect_decrease(-slope);
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
  Change change = change_to(next);
  memory_.add(std::move(change.moved), std::move(change.gradient));
  std::swap(point_, next);
  return true;
}

// Samples that grow; false when the run is to end.
bool Search::climb() {
  const auto last = static_cast<Index>(kLastSample * static_cast<double>(problem_.rows()));
  const LazyShuffle shuffle(problem_.rows(), rng_);
  for (Index size = kFirstSample; size <= last; size = static_cast<Index>(kGrowth * static_cast<double>(size))) {
    rows_.resize(at(size));
    for (Index r = 0; r < size; ++r) rows_[at(r)] = shuffle(r);
    std::sort(rows_.begin(), rows_.end());
    evaluate(point_);
    build_preconditioner();
    for (int taken = 0; taken < kStepsPerSample; ++taken) {
      memory_.clear();
      build_hessian(std::max<Index>(kFirstSample, size / 3));
      if (!step()) break;
    }
    ++finish_.iterations;
    if (!progress_.moved(point_.w, finish_.passes, std::nan(""), std::nan("")) ||
        finish_.iterations >= input_.max_iterations) {
      finish_.end = FinishEnd::stopped;
      return false;
    }
  }
  memory_.clear();
  rows_.clear();
  return true;
}

void Search::descend() {
  evaluate(point_);
  build_preconditioner();
  auto sample = static_cast<Index>(kHessianShare * static_cast<double>(problem_.rows()));
  sample = std::clamp<Index>(sample, std::min(problem_.rows(), kFirstSample), problem_.rows());
  double last = std::numeric_limits<double>::infinity();
  for (;;) {
    const double now = gap();
    remember(now);
    if (!goes_on(now)) return polish();
    if (in_vain_ >= kMostInVain) return settle();
    if (now < kFar && now > kSlow * last) {
      sample = std::min(problem_.rows(), 2 * sample);
      build_preconditioner();
    }
    last = now;
    build_hessian(sample);
    if (step()) continue;
    const bool again = recovers([&] {
      evaluate(point_);
      memory_.clear();
    });
    if (!again) return;
  }
}

// To a tolerance below rounding, the objective cannot tell the last points apart; the gradient can.
void Search::polish() {
  if (finish_.end != FinishEnd::converged || input_.tol > kBelowRounding) return;
  for (double last = gap(); last > 0 && !progress_.must_stop();) {
    Point before = point_;
    build_hessian(problem_.rows());
    if (!step()) return;
    const double now = gap();
    if (!(now < last)) point_ = std::move(before);
    if (!(now < kWorthAStep * last)) return;
    last = now;
  }
}

}  // namespace

Finish finish_by_quasi_newton(const SoftmaxFinishInput& input, std::vector<double> start, Progress& progress) {
  return Search(input, std::move(start), progress).run();
}

}  // namespace s3gd
