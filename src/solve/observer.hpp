// The observer of a run: stops the clock, evaluates objective, gap and gradient quality, keeps the best parameters,
// and decides when the run ends and when to look again.
#pragma once

#include <limits>

#include "base/clock.hpp"
#include "oracle/quality.hpp"
#include "s3gd/solve.hpp"
#include "solve/loop.hpp"

namespace s3gd {

struct Budget {
  Index iterations = 0;
  double passes = 0;
  double seconds = 0;
};
// Fills in 20 passes when nothing is limited.
Budget budget_of(const SolveOptions& options);

class Observer {
 public:
  // blind: keeps to the budget and evaluates nothing.
  Observer(const Problem& problem, const SolveOptions& options, const SolveInput& extra, bool unbiased, RunClock& clock,
           bool blind = false);

  // For run_loop: the iteration of the next observation, or -1 to stop.
  template <class T>
  Index observe(LoopState<T>& state);
  // Asked between observations: is there a reason to look right now?
  bool urgent() const;

  bool finished() const { return finished_; }
  void diverged() { status_ = Status::diverged; }
  bool has_diverged() const { return status_ == Status::diverged; }

  Status status() const { return status_; }
  const std::vector<double>& best() const { return best_; }
  const std::vector<double>& last() const { return w_; }  // as it was when it was last looked at
  double best_objective() const { return best_objective_; }
  double evaluate_seconds() const { return evaluate_seconds_; }
  double surrogate_gap() const { return surrogate_gap_; }
  std::vector<TraceRow>& trace() { return trace_; }

 private:
  template <class T>
  bool note_blindly(LoopState<T>& state);
  template <class T>
  TraceRow evaluate(LoopState<T>& state);
  template <class T>
  void measure_gradients(LoopState<T>& state, TraceRow& row);
  bool should_stop(const TraceRow& row);
  Index next_observation(Index iteration, double passes_per_step) const;

  const Problem& problem_;
  const SolveOptions& options_;
  const SolveInput& extra_;
  bool unbiased_, blind_;
  RunClock& clock_;
  Budget budget_;
  double hopeless_;  // an objective above this means divergence
  Rng probe_rng_;

  std::vector<double> w_, best_;
  double best_objective_ = std::numeric_limits<double>::infinity();
  std::vector<double> last_point_, last_surrogate_;  // of the surrogate's line integral; empty before its first point
  double surrogate_integral_ = 0, surrogate_gap_ = 0;
  Status status_ = Status::out_of_passes;
  bool finished_ = false;
  double evaluate_seconds_ = 0;
  std::vector<TraceRow> trace_;
};

}  // namespace s3gd
