// The observer of a run: stops the clock, evaluates objective, gap and gradient quality, keeps the best parameters,
// and decides when the run ends and when to look again.
#pragma once

#include <limits>
#include <optional>

#include "solve/early_stop.hpp"
#include "solve/run.hpp"
#include "stochastic/control.hpp"
#include "stochastic/loop.hpp"

namespace s3gd {

struct Budget {
  Index iterations = 0;
  double passes = 0;
  double seconds = 0;
};
// S3GD whose rows have a slope at a reference point: it converges, where S3GD without stays at a floor, as SGD does.
bool refers_to_slopes(const SolveOptions& options);
// Fills in 20 passes when nothing is limited; 1,000 for S3GD with a reference, which converges.
Budget budget_of(const SolveOptions& options);

class Observer {
 public:
  // Of a blind run it keeps to the budget and evaluates nothing.
  Observer(const RunInput& input, bool unbiased, RunClock& clock);

  // For run_loop: the iteration of the next observation, or -1 to stop.
  template <class T>
  Index observe(LoopState<T>& state);
  // Asked at snapshots: is there a reason to look right now, and end?
  bool urgent();

  void diverged() { status_ = Status::diverged; }
  bool has_diverged() const { return status_ == Status::diverged; }

  Status status() const { return status_; }
  // What the run ends with: the parameters of the least objective, or of the least loss over the validation rows where
  // the run stops by those and has not converged.
  const std::vector<double>& best() const;
  // Of the result: kept where the run has been certified there.
  Certificate certificate_of(std::span<const double> w) const;
  double objective_of_best() const;
  const std::vector<double>& last() const { return w_; }  // as it was when it was last looked at
  double evaluate_seconds() const { return evaluate_seconds_; }
  double surrogate_gap() const { return surrogate_gap_; }
  std::vector<TraceRow>& trace() { return trace_; }

  void state(Archive& a);

 private:
  template <class T>
  double passes_of(const LoopState<T>& state) const;
  template <class T>
  bool note_blindly(LoopState<T>& state);
  template <class T>
  TraceRow evaluate(LoopState<T>& state);
  template <class T>
  void measure_gradients(LoopState<T>& state, TraceRow& row);
  template <class T>
  bool glance(LoopState<T>& state);
  void judge(TraceRow& row);
  void keep_best();
  bool should_stop(const TraceRow& row);
  bool end(Status status);                     // true, for who asks whether the run is over
  bool end_as_asked();                         // by an interrupt or the clock
  bool spent(Index iteration, double passes);  // whether the budget is
  Index next_observation(Index iteration, double passes_per_step) const;

  const RunInput& input_;
  const StochasticProblem& problem_;
  const SolveOptions& options_;
  bool unbiased_;
  RunClock& clock_;
  Budget budget_;
  double hopeless_ = std::numeric_limits<double>::max();  // an objective above this means divergence
  Rng probe_rng_;

  EarlyStop early_stop_;
  Index next_full_ = 0;  // before this iteration, the validation rows alone are looked at
  bool asked_ = false;   // to end: an interrupt, or the time is up

  std::vector<double> w_, best_;
  double best_objective_ = std::numeric_limits<double>::infinity();
  std::optional<Certificate> seen_, certificate_;    // of w_ and of best_, where they were made in this process
  std::vector<double> last_point_, last_surrogate_;  // of the surrogate's line integral; empty before its first point
  double surrogate_integral_ = 0, surrogate_gap_ = 0;
  Status status_ = Status::out_of_passes;
  double evaluate_seconds_ = 0;
  std::vector<TraceRow> trace_;
};

}  // namespace s3gd
