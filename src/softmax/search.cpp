#include "softmax/search.hpp"

#include <utility>

#include "kernel/kernel.hpp"

namespace s3gd {
namespace {

constexpr double kNearEnough = 1e-6;  // relative decrease expected of a step below which float no longer resolves it

}  // namespace

SoftmaxSearch::SoftmaxSearch(const SoftmaxFinishInput& input, std::vector<double> start, Progress& progress)
    : input_(input),
      problem_(input.problem),
      progress_(progress),
      penalty_(problem_),
      rng_(input.seed, 5),
      watch_(input.tol) {
  point_.w = std::move(start);
  point_.w.resize(static_cast<std::size_t>(problem_.dim()), 0.0);
}

bool SoftmaxSearch::certified(double estimate) {
  finish_.certificate = certify(problem_, point_.w);
  finish_.passes += problem_.spec().intercept == Intercept::free ? 2 : 1;
  watch_.certified(estimate, finish_.certificate.relative_gap);
  return finish_.certificate.relative_gap <= input_.tol;
}

bool SoftmaxSearch::goes_on(double estimate) {
  if (watch_.worth_certifying(estimate) && certified(estimate)) {
    finish_.end = FinishEnd::converged;
    return false;
  }
  ++finish_.iterations;
  // Told as certificates tell it: no objective is below zero.
  const double told = penalty_.has_dual() ? std::min(estimate, 1.0) : estimate;
  if (progress_.moved(point_.w, finish_.passes, point_.value, told) && finish_.iterations <= input_.max_iterations)
    return true;
  finish_.end = FinishEnd::stopped;
  return false;
}

void SoftmaxSearch::expect_decrease(double decrease) {
  if (decrease < kNearEnough * std::abs(point_.value)) arithmetic_ = Arithmetic::exact;
}

SoftmaxSearch::Change SoftmaxSearch::change_to(const Point& next) const {
  Change change{next.w, next.gradient};
  kernel::axpy(-1.0, point_.w.data(), change.moved.data(), problem_.dim());
  kernel::axpy(-1.0, point_.gradient.data(), change.gradient.data(), problem_.dim());
  return change;
}

Finish SoftmaxSearch::take_result() {
  finish_.w = std::move(point_.w);
  return std::move(finish_);
}

}  // namespace s3gd
