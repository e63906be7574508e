#include "exact/prox_newton.hpp"

#include <cmath>
#include <utility>

namespace s3gd {
namespace {

constexpr double kShareOfGap = 0.3;  // that a round is to leave where not all that want to move do
// Rounds in which F must fall by this share of the tolerance: where the gap is no guide, it could crawl for ever.
constexpr Index kManyRounds = 200;
constexpr double kCrawl = 0.05;

}  // namespace

Finish ProxNewton::run(double tol, Index max_iterations, Progress& progress, Purpose purpose) {
  tol_ = tol;
  purpose_ = purpose;
  progress_ = &progress;
  watch_ = GapWatch(tol);
  finish_ = {};
  finish_.end = FinishEnd::stalled;
  VainSteps vain(rules_.smaller_gap);
  double before = objective();
  for (bool moved = false;; moved = true) {
    const double gap = look();
    const double told = !rules_.tells_gap ? std::nan("") : has_dual() ? std::min(gap, 1.0) : gap;
    if (moved && (!progress.moved(w(), passes_, objective(), told) || must_stop())) finish_.end = FinishEnd::stopped;
    if (finish_.end == FinishEnd::stopped || arrived(gap)) break;
    if (finish_.iterations >= max_iterations) finish_.end = FinishEnd::stopped;
    if (finish_.end == FinishEnd::stopped) break;
    vain.count(gap, objective(), std::max(rules_.least_gain * gap * std::abs(objective()), rounding()));
    const bool unresolved = gap * std::abs(objective()) <= rounding();
    if (refine({gap, vain.steps(), unresolved})) vain.forgive();
    bool stuck = vain.steps() >= (unresolved ? rules_.most_unresolved : rules_.most_in_vain);
    if (finish_.iterations > 0 && finish_.iterations % kManyRounds == 0) {
      stuck = stuck || !(objective() < before - kCrawl * tol * std::abs(before));
      before = objective();
    }
    if (!stuck && finish_.iterations < rules_.most_rounds) {
      ++finish_.iterations;
      if (round(gap) || !rules_.needs_steps) continue;
    }
    if (must_stop()) continue;
    if (!more_digits()) break;
    vain.forgive();
  }
  if (purpose == Purpose::start)
    finish_.w = w();
  else if (finish_.end != FinishEnd::converged)
    take_certificate();
  finish_.passes = std::exchange(passes_, 0.0);
  return std::move(finish_);
}

// The better of two is kept: where rounding is all that moves, points wander about.
void ProxNewton::take_certificate() {
  const Certified here = certify(tol_);
  passes_ += here.passes;
  if (!finish_.w.empty() && finish_.certificate.relative_gap <= here.certificate.relative_gap) return;
  finish_.w = w();
  finish_.certificate = here.certificate;
  if (here.certificate.relative_gap <= tol_) finish_.end = FinishEnd::converged;
}

bool ProxNewton::arrived(double gap) {
  if (purpose_ == Purpose::start) return gap <= std::max(tol_, noise());
  if (!watch_.worth_certifying(gap)) return false;
  take_certificate();
  if (finish_.end != FinishEnd::converged) watch_.refused(finish_.certificate.relative_gap);
  return finish_.end == FinishEnd::converged;
}

// Where slopes outside will be found beyond their thresholds, more than a share of the gap would be wasted.
bool ProxNewton::round(double gap) {
  bool moved = false;
  if (!choose()) return moved;
  goal_ = complete() ? watch_.ask_below() : std::max(kShareOfGap * gap, watch_.ask_below());
  for (int k = 0; k < rules_.most_steps && !must_stop(); ++k) {
    if (k > 0 && look_at_chosen() <= goal_) break;
    const bool gained = step();
    moved = moved || gained;
    if (gained ? !again() : !refused()) break;
  }
  return moved;
}

bool ProxNewton::step() {
  if (guess()) return true;
  const std::vector<double> d = direction();
  return walk(d, promise(d), rules_.most_trials);
}

bool ProxNewton::walk(const std::vector<double>& direction, double promised, int trials) {
  if (!(promised < 0)) return false;
  const LineSearch line{objective(), promised, rounding()};
  double length = 1;
  for (int trial = 0; trial < trials && !(trial > 0 && must_stop()); ++trial, length *= rules_.shorter) {
    if (!line.enough(length, value_at(direction, length, promised))) continue;
    accept(direction, length, promised);
    return true;
  }
  return false;
}

}  // namespace s3gd
