#include "exact/softmax_search.hpp"

#include <utility>

namespace s3gd {

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

bool SoftmaxSearch::certified() {
  finish_.certificate = certify(problem_, point_.w);
  finish_.passes += problem_.spec().intercept == Intercept::free ? 2 : 1;
  const bool enough = finish_.certificate.relative_gap <= input_.tol;
  if (!enough) watch_.refused(finish_.certificate.relative_gap);
  return enough;
}

bool SoftmaxSearch::goes_on(double estimate) {
  if (watch_.worth_certifying(estimate) && certified()) {
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

Finish SoftmaxSearch::take_result() {
  finish_.w = std::move(point_.w);
  return std::move(finish_);
}

}  // namespace s3gd
