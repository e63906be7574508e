#include "solve/observer.hpp"

#include <algorithm>
#include <cmath>

#include "base/index.hpp"
#include "base/interrupt.hpp"

namespace s3gd {
namespace {

constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();
constexpr double kDefaultPasses = 20;       // of a solver with a constant step
constexpr double kPassesToConverge = 1000;  // for who gets to any tolerance: ill-conditioned data take hundreds
constexpr double kEvenBudget = 1e-6;  // of a step: budgets that come out even end on the same step, watched or not
// How fast the distance between observations grows: finely for a trace, sparingly when only the stop is at stake,
// because each costs as much as a pass or two.
constexpr double kTraceGrowth = 1.3;
constexpr double kStopGrowth = 1.6;
constexpr double kPassesPerGlance = 0.5;  // between looks at the validation rows, for early stopping

bool all_finite(std::span<const double> values) {
  return std::all_of(values.begin(), values.end(), [](double value) { return std::isfinite(value); });
}

}  // namespace

bool refers_to_slopes(const SolveOptions& options) {
  return options.solver == "s3gd" && options.control == ControlMode::adaptive &&
         options.propagation != Propagation::constant && options.propagation != Propagation::linear;
}

Budget budget_of(const SolveOptions& options) {
  Budget budget{options.iterations, options.passes, options.seconds};
  if (budget.iterations <= 0 && budget.passes <= 0 && budget.seconds <= 0)
    budget.passes = refers_to_slopes(options) ? kPassesToConverge : kDefaultPasses;
  return budget;
}

Observer::Observer(const RunInput& input, bool unbiased, RunClock& clock)
    : input_(input),
      problem_(input.problem),
      options_(input.options),
      unbiased_(unbiased),
      clock_(clock),
      budget_(budget_of(options_)),
      probe_rng_(options_.seed, 77),
      w_(at(problem_->dim()), 0.0) {
  if (options_.patience > 0 && input.test)
    early_stop_ = EarlyStop(options_.patience,
                            [test = *input.test](std::span<const double> w) { return test->penalty_value(w); });
  // A run that goes on elsewhere ends the same whether its objective is looked at or not.
  if (input.blind || input.average_tail || input.looks != nullptr) return;
  const double at_zero = problem_->objective(w_);
  const double at_start = options_.start.empty() ? at_zero : problem_->objective(options_.start);
  hopeless_ = 10 * std::max(at_zero, at_start);
}

bool Observer::urgent() {
  asked_ = interrupted() || (budget_.seconds > 0 && clock_.wall_seconds() >= budget_.seconds);
  return asked_;
}

const std::vector<double>& Observer::best() const {
  const bool by_validation = !early_stop_.best().empty() && status_ != Status::converged;
  return by_validation ? early_stop_.best() : best_;
}

Certificate Observer::certificate_of(std::span<const double> w) const {
  const bool known = certificate_ && std::equal(w.begin(), w.end(), best_.begin(), best_.end());
  return known ? *certificate_ : problem_->certify(w);
}

double Observer::objective_of_best() const { return &best() == &best_ ? best_objective_ : problem_->objective(best()); }

void Observer::state(Archive& a) {
  a(best_, best_objective_, last_point_, last_surrogate_, surrogate_integral_, surrogate_gap_, status_);
  a(evaluate_seconds_, trace_, probe_rng_, early_stop_, next_full_);
}

bool Observer::end(Status status) {
  status_ = status;
  return true;
}

bool Observer::end_as_asked() { return end(interrupted() ? Status::interrupted : Status::out_of_time); }

bool Observer::spent(Index iteration, double passes) {
  status_ = Status::out_of_passes;
  return (budget_.iterations > 0 && iteration >= budget_.iterations) ||
         (budget_.passes > 0 && passes >= budget_.passes);
}

template <class T>
double Observer::passes_of(const LoopState<T>& state) const {
  return state.rows_drawn / static_cast<double>(problem_->rows()) + state.control.extra_passes();
}

// The parameters as they are, without a look at how good they are. Whether the run is over.
template <class T>
bool Observer::note_blindly(LoopState<T>& state) {
  state.control.report(state.iterate, w_);
  if (!all_finite(w_)) return end(Status::diverged);
  best_ = w_;
  return asked_ ? end_as_asked() : spent(state.iteration, passes_of(state));
}

template <class T>
Index Observer::observe(LoopState<T>& state) {
  clock_.pause();
  const double started = wall_now();
  const bool glancing = early_stop_.wanted() && !input_.blind && state.iteration < next_full_ && !asked_;
  bool finished;
  if (input_.blind) {
    finished = note_blindly(state);
  } else if (glancing) {
    finished = glance(state);
  } else {
    trace_.push_back(evaluate(state));
    finished = should_stop(trace_.back());
    if (input_.watch && !input_.watch(trace_.back()) && !finished) finished = end(Status::interrupted);
  }
  evaluate_seconds_ += wall_now() - started;
  clock_.resume();
  const double passes_per_step = static_cast<double>(options_.batch) / static_cast<double>(problem_->rows()) *
                                     (state.control.draws_rows() ? 1.0 : 0.0) +
                                 state.control.passes_per_snapshot() / static_cast<double>(state.inner);
  if (finished) return -1;
  if (!glancing) next_full_ = next_observation(state.iteration, passes_per_step);
  // Snapshots of several outputs may be far apart: the mean of late ones is to have the last.
  if (ends_at_snapshots(input_)) next_full_ = (next_full_ + state.inner - 1) / state.inner * state.inner;
  if (!early_stop_.wanted()) return next_full_;
  const auto steps = static_cast<Index>(std::ceil(kPassesPerGlance / std::max(passes_per_step, 1e-12)));
  return std::min(next_full_, state.iteration + std::max<Index>(1, steps));
}

// The loss over the validation rows alone, which costs far less than a certificate. Whether the run is over.
template <class T>
bool Observer::glance(LoopState<T>& state) {
  state.control.report(state.iterate, w_);
  const double test_objective = (*input_.test)->objective(w_);
  return std::isfinite(test_objective) && early_stop_.look(w_, test_objective) && end(Status::early_stopped);
}

template <class T>
TraceRow Observer::evaluate(LoopState<T>& state) {
  state.control.report(state.iterate, w_);
  TraceRow row;
  row.iteration = state.iteration;
  row.passes = passes_of(state);
  row.cpu_seconds = clock_.cpu_seconds();
  row.wall_seconds = clock_.wall_seconds();
  row.step = state.step;
  row.correlation = row.variance_ratio = kNotANumber;
  row.stage = options_.solver;
  if (!all_finite(w_)) {
    row.train_objective = row.gap = row.test_objective = std::numeric_limits<double>::infinity();
    return row;
  }
  judge(row);
  row.test_objective = input_.test ? (*input_.test)->objective(w_) : kNotANumber;
  if (options_.trace_gradients && state.iteration > 0) measure_gradients(state, row);
  if (row.train_objective < best_objective_) {
    best_objective_ = row.train_objective;
    keep_best();
  }
  return row;
}

void Observer::keep_best() {
  best_ = w_;
  certificate_ = seen_;
}

void Observer::judge(TraceRow& row) {
  if (input_.looks != nullptr) {
    const Problem* judge = input_.looks->judge;
    row.train_objective = judge != nullptr ? objective(*judge, w_) : problem_->objective(w_);
    row.gap = kNotANumber;
    return;
  }
  const Certificate certificate = input_.judge ? input_.judge(w_, row) : problem_->certify(w_);
  if (!input_.judge) seen_ = certificate;
  row.train_objective = certificate.primal;
  row.gap = certificate.relative_gap;
}

// Also follows |H - P|, the paper's Delta_{H,P}, along the run: the line integral of grad H - grad P over the path.
template <class T>
void Observer::measure_gradients(LoopState<T>& state, TraceRow& row) {
  // With a snapshot at every step the control is never stale: the next step would begin with this.
  if (state.inner == 1 && state.control.draws_rows()) state.control.refresh(state.iterate);
  const GradientQuality quality =
      measure_quality(problem_, state.control, state.sampler, unbiased_, options_.batch, w_, probe_rng_);
  row.correlation = quality.correlation;
  row.variance_ratio = quality.variance_ratio;
  if (last_point_.empty()) {
    last_point_ = options_.start;
    last_point_.resize(w_.size(), 0.0);
    last_surrogate_ = quality.surrogate;
  }
  for (std::size_t j = 0; j < w_.size(); ++j)
    surrogate_integral_ += 0.5 * (last_surrogate_[j] + quality.surrogate[j]) * (w_[j] - last_point_[j]);
  surrogate_gap_ = std::max(surrogate_gap_, std::abs(surrogate_integral_));
  last_point_ = w_;
  last_surrogate_ = quality.surrogate;
}

bool Observer::should_stop(const TraceRow& row) {
  const bool goes_on = asked_ && !options_.checkpoint.empty();  // uncut, the run would end elsewhere
  if (row.gap <= options_.tol && !goes_on) {
    keep_best();  // an earlier point may have been lower, but this is the one that is certified
    return end(Status::converged);
  }
  if (asked_)
    return end_as_asked();  // a look nobody planned must not find a step too long: who goes on may never see it
  if (!(row.train_objective <= hopeless_)) return end(Status::diverged);
  if (early_stop_.wanted() && early_stop_.look(w_, row.test_objective)) return end(Status::early_stopped);
  return spent(row.iteration, row.passes);
}

Index Observer::next_observation(Index iteration, double passes_per_step) const {
  Index next;
  if (input_.looks != nullptr) {
    const std::vector<Index>& looks = input_.looks->at;
    const auto later = std::upper_bound(looks.begin(), looks.end(), iteration);
    next = later != looks.end() ? *later : std::numeric_limits<Index>::max();
  } else if (options_.trace_every > 0) {
    next = iteration + options_.trace_every;
  } else {
    const bool tracing = options_.trace_gradients || options_.trace_every < 0;
    const double growth = tracing ? kTraceGrowth : kStopGrowth;
    next = std::max(iteration + 1, static_cast<Index>(static_cast<double>(iteration) * growth));
    if (!tracing) next = std::max(next, static_cast<Index>(1 / std::max(passes_per_step, 1e-12)));
  }
  if (budget_.iterations > 0) next = std::min(next, budget_.iterations);
  if (budget_.passes > 0 && passes_per_step > 0) {
    const double left = input_.blind
                            ? std::ceil(budget_.passes / passes_per_step - kEvenBudget) - static_cast<double>(iteration)
                            : std::ceil((budget_.passes - trace_.back().passes) / passes_per_step - kEvenBudget);
    if (left < static_cast<double>(next - iteration)) next = iteration + std::max<Index>(1, static_cast<Index>(left));
  }
  return next;
}

template Index Observer::observe(LoopState<float>&);
template Index Observer::observe(LoopState<double>&);

}  // namespace s3gd
