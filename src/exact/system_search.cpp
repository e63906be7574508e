#include "exact/system_search.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "kernel/kernel.hpp"

namespace s3gd {
namespace {

constexpr int kMostTrials = 20;   // of one step's length
constexpr int kMostSteps = 1000;  // over all rows: by then another method is due
constexpr int kMostInVain = 15;   // steps that gain nothing but rounding
constexpr double kFar = 0.1;   // a gap beyond which it is not the sample that slows steps down, but changing curvature
constexpr double kSlow = 0.3;  // of the gap left after a step: the Hessian deserves more rows

constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace

SystemSearch::SystemSearch(const NewtonSystems& systems, std::size_t number, const JointInput& input,
                           std::vector<double> start, Progress& progress)
    : systems_(&systems),
      number_(number),
      input_(input),
      progress_(&progress),
      memory_(kStepMemory, false),
      watch_(input.tol) {
  point_.w = std::move(start);
}

void SystemSearch::begin_rows() {
  memory_.clear();
  seen_ = false;
  state_ = State::fresh;
}

void SystemSearch::take_pass(Arithmetic made_in) {
  wanted().point->made_in = made_in;
  if (std::exchange(seen_, true)) judge_trial();
}

// Accepts the trial, or shortens the step.
void SystemSearch::judge_trial() {
  const LineSearch line = point_.line(slope_);
  if (line.enough(length_, trial_.value)) {
    StepTaken step(point_, trial_);
    memory_.add(std::move(step.moved), std::move(step.gradient));
    std::swap(point_, trial_);
    state_ = State::fresh;
    refused_ = false;
    return;
  }
  if (++trials_ > kMostTrials) {
    state_ = State::stuck;
    return;
  }
  length_ = line.shorter(length_, trial_.value);
  place_trial();
}

void SystemSearch::place_trial() {
  step_from(point_, length_, direction_, trial_);
  state_ = State::trying;
}

bool SystemSearch::set_direction(StepMemory::Halfway solved) {
  direction_ = memory_.after_metric(std::move(solved));
  slope_ = kernel::dot(direction_.data(), point_.gradient.data(), static_cast<Index>(direction_.size()));
  length_ = 1;
  trials_ = 0;
  const bool leads_down = slope_ < 0 && ++steps_ <= kMostSteps;
  if (leads_down)
    place_trial();
  else
    state_ = State::stuck;
  return leads_down;
}

void SystemSearch::keep_best() {
  if (point_.made_in != best_in_) lowest_ = best_gap_ = kInfinity;
  best_in_ = point_.made_in;
  const bool lower = point_.value < lowest_ - point_.rounding();
  in_vain_ = lower || gap_ < 0.5 * best_gap_ ? 0 : in_vain_ + 1;
  lowest_ = std::min(lowest_, point_.value);
  if (!lower && !(gap_ < best_gap_)) return;
  best_gap_ = gap_;
  best_ = point_.w;
}

void SystemSearch::report(bool certifies) {
  if (certifies && !refused_) {
    const double before = std::exchange(gap_, gap());
    slow_ = gap_ < kFar && gap_ > kSlow * before;
    keep_best();
    if (watch_.worth_certifying(gap_)) {
      state_ = State::resting;
      return;
    }
  }
  ++finish_.iterations;
  const double nan = std::nan("");
  // As certificates tell it: no objective is below zero.
  const double told = systems_->has_dual() ? std::min(gap_, 1.0) : gap_;
  if (!progress_->moved(point_.w, finish_.passes, certifies ? point_.value : nan, certifies ? told : nan) ||
      finish_.iterations > input_.max_iterations) {
    stop();
  } else if (in_vain_ >= kMostInVain) {
    point_.w = best_;
    state_ = State::stuck;
  }
}

void SystemSearch::stop() {
  state_ = State::ended;
  finish_.end = FinishEnd::stopped;
}

bool SystemSearch::take_certificate(const NewtonSystems::Certified& certified) {
  const double gap = certified.certificate.relative_gap;
  finish_.certificate = certified.certificate;
  finish_.passes += certified.passes;
  const bool was_stuck = state_ == State::stuck;
  if (gap <= input_.tol || (was_stuck && point_.made_in == Arithmetic::exact)) {
    state_ = State::ended;
    finish_.end = gap <= input_.tol ? FinishEnd::converged : FinishEnd::stalled;
    return false;
  }
  finish_.certificate.relative_gap = std::nan("");
  state_ = State::fresh;
  if (was_stuck) return true;
  watch_.refused(gap);
  refused_ = true;
  return false;
}

Finish SystemSearch::take_result() {
  finish_.w = std::move(point_.w);
  return std::move(finish_);
}

}  // namespace s3gd
