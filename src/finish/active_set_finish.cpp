// The finisher with active sets: looks at all coordinates rarely, works on few of them mostly.
#include <algorithm>
#include <cmath>
#include <limits>

#include "finish/active_set.hpp"
#include "finish/methods.hpp"
#include "finish/optimality.hpp"
#include "s3gd/error.hpp"

namespace s3gd {
namespace {

constexpr Index kFirstSet = 100;  // coordinates let off zero at first; twice as many each time they do not suffice
constexpr int kPatience = 8;      // rounds without progress before rounding is taken to be reached

class ActiveSetRun {
 public:
  ActiveSetRun(const FinishInput& input, std::vector<double> start, Progress& progress)
      : input_(input),
        progress_(progress),
        optimality_(input.problem),
        set_(input.problem, prepared(input.problem, std::move(start)), [this] { return progress_.must_stop(); }),
        ask_below_(0.9 * input.tol) {}

  Finish run() {
    set_.look_at_all();
    while (!done()) {
      ++finish_.iterations;
      set_.leave_zero();
      if (set_.choose(most_)) set_.solve_working_set();
      if (set_.violators() > most_) most_ *= 2;
      most_ = std::max(most_, set_.support_size());
      set_.look_at_all();
      const bool go_on = progress_.moved(set_.w(), set_.passes(), set_.objective(), std::nan(""));
      if (!go_on || progress_.must_stop()) {
        stopped_ = true;
        break;
      }
    }
    return closed();
  }

 private:
  static std::vector<double> prepared(const Problem& problem, std::vector<double> start) {
    if (start.empty()) start.assign(static_cast<std::size_t>(problem.dim()), 0.0);
    if (static_cast<Index>(start.size()) != problem.dim())
      throw Error("the start has " + std::to_string(start.size()) + " numbers, expected " +
                  std::to_string(problem.dim()));
    return start;
  }

  bool done() {
    const double gap = optimality_.relative_gap(set_.w(), set_.gradient(), set_.objective());
    const bool better = gap < 0.9 * least_gap_ || set_.objective() < lowest_ - 1e-13 * std::abs(lowest_);
    idle_ = better ? 0 : idle_ + 1;
    least_gap_ = std::min(least_gap_, gap);
    lowest_ = std::min(lowest_, set_.objective());
    if (gap <= ask_below_) {
      certify_here();
      if (finish_.certificate.relative_gap <= input_.tol) return true;
      ask_below_ *= std::clamp(0.5 * input_.tol / finish_.certificate.relative_gap, 0.01, 0.5);
    }
    if (finish_.iterations >= input_.max_iterations) stopped_ = true;
    return stopped_ || idle_ >= kPatience;
  }

  void certify_here() {
    const Certificate certificate = certify(input_.problem, set_.w());
    certify_passes_ += 1;
    if (!finish_.w.empty() && finish_.certificate.relative_gap <= certificate.relative_gap) return;
    finish_.w = set_.w();
    finish_.certificate = certificate;
  }

  Finish closed() {
    if (finish_.w.empty() || finish_.certificate.relative_gap > input_.tol) certify_here();
    if (finish_.certificate.relative_gap <= input_.tol)
      finish_.end = FinishEnd::converged;
    else
      finish_.end = stopped_ ? FinishEnd::stopped : FinishEnd::stalled;
    finish_.passes = set_.passes() + certify_passes_;
    return std::move(finish_);
  }

  const FinishInput& input_;
  Progress& progress_;
  Optimality optimality_;
  ActiveSet set_;
  Finish finish_;
  double ask_below_;  // an estimated gap at which the certificate is worth its pass
  double least_gap_ = std::numeric_limits<double>::infinity(), lowest_ = std::numeric_limits<double>::infinity();
  double certify_passes_ = 0;
  Index most_ = kFirstSet;
  int idle_ = 0;
  bool stopped_ = false;
};

}  // namespace

Finish finish_by_active_set(const FinishInput& input, std::vector<double> start, Progress& progress) {
  return ActiveSetRun(input, std::move(start), progress).run();
}

// A 1-norm somewhere, and at most one 2-norm: sums of several have no simple joint prox, hence no certificate.
bool suits_active_set(const Problem& problem) {
  const Penalty penalty(problem.spec().penalty, problem.cols(), problem.spec().intercept);
  return penalty.l1_strength() > 0 && penalty.prox_is_exact();
}

}  // namespace s3gd
