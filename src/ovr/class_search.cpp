#include "ovr/class_search.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "kernel/kernel.hpp"

namespace s3gd {
namespace {

constexpr std::size_t kMemory = 10;
constexpr int kMostTrials = 20;       // of one step's length
constexpr int kMostSteps = 300;       // over all rows
constexpr double kSufficient = 1e-4;  // of the decrease the slope promises
constexpr double kFar =
    0.1;  // a gap beyond which it is not the sample that slows steps down, but curvature that changes
constexpr double kSlow = 0.3;  // of the gap left after a step

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

// Where the parabola through the value and slope at 0 and the value at t is least, kept within a sensible range.
double shorter(double t, double value, double slope, double value_at_t) {
  const double rise = value_at_t - value - slope * t;
  const double best = std::isfinite(rise) && rise > 0 ? -slope * t * t / (2 * rise) : 0.0;
  return std::clamp(best, 0.1 * t, 0.5 * t);
}

}  // namespace

ClassSearch::ClassSearch(const Problem& problem, double tol, std::vector<double> start, Progress& progress)
    : problem_(problem),
      tol_(tol),
      progress_(&progress),
      penalty_(problem.spec().penalty, problem.cols(), problem.spec().intercept),
      optimality_(problem),
      memory_(kMemory, false),
      watch_(tol) {
  point_.w = std::move(start);
  point_.w.resize(at(problem.dim()), 0.0);
  for (Index j = 0; j < penalty_.dim(); ++j) ridge_.push_back(2.0 * penalty_.l2_of(j));
}

void ClassSearch::begin_rows() {
  memory_.clear();
  seen_ = false;
  state_ = State::fresh;
}

ClassPass ClassSearch::pass(Index rows) {
  Point& point = seen_ ? trial_ : point_;
  std::vector<double>& curvatures = seen_ ? trial_curvatures_ : curvatures_;
  point.gradient.resize(point.w.size());
  curvatures.resize(at(rows));
  return {&problem_, point.w, point.gradient, {{}, curvatures}};
}

void ClassSearch::take_pass(const ClassPass& found, Arithmetic made_in) {
  Point& point = seen_ ? trial_ : point_;
  const double scale = found.sums.weight > 0 ? problem_.total_weight() / found.sums.weight : 1.0;
  kernel::scale(scale, point.gradient.data(), problem_.dim());
  for (std::size_t j = 0; j < ridge_.size(); ++j) point.gradient[j] += ridge_[j] * point.w[j];
  point.value = scale * found.sums.loss + penalty_.value(std::span<const double>(point.w));
  point.made_in = made_in;
  (seen_ ? trial_scale_ : scale_) = scale;
  if (std::exchange(seen_, true)) judge_trial();
}

// Accepts the trial, or shortens the step.
void ClassSearch::judge_trial() {
  if (trial_.value <= point_.value + kSufficient * length_ * slope_ + point_.rounding()) {
    std::vector<double> moved = trial_.w, change = trial_.gradient;
    kernel::axpy(-1.0, point_.w.data(), moved.data(), problem_.dim());
    kernel::axpy(-1.0, point_.gradient.data(), change.data(), problem_.dim());
    memory_.add(std::move(moved), std::move(change));
    std::swap(point_, trial_);
    std::swap(curvatures_, trial_curvatures_);
    scale_ = trial_scale_;
    state_ = State::fresh;
    refused_ = false;
    return;
  }
  if (++trials_ > kMostTrials) {
    state_ = State::stuck;
    return;
  }
  length_ = shorter(length_, point_.value, slope_, trial_.value);
  place_trial();
}

void ClassSearch::place_trial() {
  trial_.w = point_.w;
  kernel::axpy(length_, direction_.data(), trial_.w.data(), problem_.dim());
  state_ = State::trying;
}

bool ClassSearch::set_direction(StepMemory::Halfway solved) {
  direction_ = memory_.after_metric(std::move(solved));
  slope_ = kernel::dot(direction_.data(), point_.gradient.data(), problem_.dim());
  length_ = 1;
  trials_ = 0;
  const bool leads_down = slope_ < 0 && ++steps_ <= kMostSteps;
  if (leads_down)
    place_trial();
  else
    state_ = State::stuck;
  return leads_down;
}

double ClassSearch::estimate() const {
  std::vector<double> loss_part = point_.gradient;
  for (std::size_t j = 0; j < ridge_.size(); ++j) loss_part[j] -= ridge_[j] * point_.w[j];
  return optimality_.relative_gap(point_.w, loss_part, point_.value);
}

void ClassSearch::report(Index max_iterations, bool certifies) {
  const double before = std::exchange(gap_, certifies ? estimate() : std::numeric_limits<double>::infinity());
  slow_ = gap_ < kFar && gap_ > kSlow * before;
  ++finish_.iterations;
  const double nan = std::nan("");
  // As certificates tell it: no objective is below zero.
  const bool told_as_gap =
      std::all_of(ridge_.begin(), ridge_.begin() + problem_.cols(), [](double one) { return one > 0; });
  const double most_told = told_as_gap ? 1.0 : std::numeric_limits<double>::infinity();
  if (!progress_->moved(point_.w, finish_.passes, certifies ? point_.value : nan,
                        certifies ? std::min(gap_, most_told) : nan) ||
      finish_.iterations > max_iterations)
    stop();
  else if (certifies && !refused_ && watch_.worth_certifying(gap_))
    state_ = State::resting;
}

void ClassSearch::stop() {
  state_ = State::ended;
  finish_.end = FinishEnd::stopped;
}

bool ClassSearch::take_certificate(const Certificate& certificate, double passes) {
  finish_.certificate = certificate;
  finish_.passes += passes;
  const bool was_stuck = state_ == State::stuck;
  if (certificate.relative_gap <= tol_ || (was_stuck && point_.made_in == Arithmetic::exact)) {
    state_ = State::ended;
    finish_.end = certificate.relative_gap <= tol_ ? FinishEnd::converged : FinishEnd::stalled;
    return false;
  }
  finish_.certificate.relative_gap = std::numeric_limits<double>::quiet_NaN();
  state_ = State::fresh;
  if (was_stuck) return true;
  watch_.certified(gap_, certificate.relative_gap);
  gap_ = std::numeric_limits<double>::infinity();  // it will be told again, which is no step
  refused_ = true;
  return false;
}

Finish ClassSearch::take_result() {
  finish_.w = std::move(point_.w);
  return std::move(finish_);
}

}  // namespace s3gd
