#include "solve/journal.hpp"

#include <cmath>
#include <utility>

#include "base/interrupt.hpp"
#include "problem/matrix_penalty.hpp"
#include "problem/penalty.hpp"
#include "solve/checkpoint.hpp"

namespace s3gd {
namespace {

template <class AnyPenalty, class AnyProblem>
JournalSource source_of(const AnyProblem& problem, const InputOf<AnyProblem>& input) {
  using W = std::span<const double>;
  JournalSource source;
  source.objective = [problem](W w) { return objective(problem, w); };
  source.certify = [problem](W w) { return certify(problem, w); };
  if (input.test != nullptr) source.test_objective = [test = *input.test](W w) { return objective(test, w); };
  source.penalty = [penalty = AnyPenalty(problem)](W w) { return penalty.value(w); };
  source.watch = input.watch;
  return source;
}

}  // namespace

Journal::Journal(JournalSource source, const SolveOptions& options) : source_(std::move(source)), options_(options) {
  if (options.patience > 0 && source_.test_objective) early_stop_ = EarlyStop(options.patience, source_.penalty);
}

Journal::Journal(const Problem& problem, const SolveOptions& options, const OneOutputInput& input)
    : Journal(source_of<Penalty>(problem, input), options) {}

Journal::Journal(const SoftmaxProblem& problem, const SolveOptions& options, const SoftmaxInput& input)
    : Journal(source_of<MatrixPenalty>(problem, input), options) {}

double Journal::test_objective(std::span<const double> w) const {
  return source_.test_objective ? source_.test_objective(w) : std::nan("");
}

void Journal::append(Solution&& stage) {
  clock_ = RunClock();  // the stage's own time is in its summary
  before_ = std::move(stage.summary);
  trace_ = std::move(stage.trace);
}

void Journal::begin_stage(const std::string& name) {
  stage_ = name;
  stage_began_ = clock_.wall_seconds();
  stage_passes_ = segment_passes_ = 0;
}

void Journal::end_stage(Index iterations, double passes, const std::string& why) {
  before_.stages.push_back({stage_, clock_.wall_seconds() - stage_began_, iterations, why});
  before_.iterations += iterations;
  before_.passes += passes;
  stage_passes_ = segment_passes_ = 0;
}

bool Journal::must_stop() const { return stopped_ || interrupted() || time_is_up(); }

void Journal::stop(Status why) {
  if (stopped_) return;
  stopped_ = true;
  stopped_by_ = why;
}

void Journal::state(Archive& a) {
  a(clock_, before_, trace_, stage_, stage_began_, stage_passes_, segment_passes_, moves_, evaluate_seconds_,
    early_stop_);
}

bool Journal::note(TraceRow row) {
  row.correlation = row.variance_ratio = std::nan("");
  trace_.push_back(row);
  return !source_.watch || source_.watch(row);
}

bool Journal::moved(std::span<const double> w, double passes, double objective, double gap) {
  clock_.pause();
  const double started = wall_now();
  stage_passes_ = passes;
  ++moves_;
  const double on_test = traced() || early_stop_.wanted() ? test_objective(w) : std::nan("");
  if (traced()) {
    const double value = std::isnan(objective) ? source_.objective(w) : objective;
    const bool goes_on = note({.iteration = before_.iterations + moves_,
                               .passes = this->passes(),
                               .cpu_seconds = before_.cpu_seconds + clock_.cpu_seconds(),
                               .wall_seconds = wall_seconds(),
                               .train_objective = value,
                               .test_objective = on_test,
                               .gap = gap,
                               .stage = stage_});
    if (!goes_on) stop(Status::interrupted);
  }
  // What would end the run anyway first: nothing is left to go on with.
  if (early_stop_.wanted() && early_stop_.look(w, on_test)) stop(Status::early_stopped);
  if (options_.passes > 0 && this->passes() >= options_.passes) stop(Status::out_of_passes);
  if (interrupted()) stop(Status::interrupted);
  if (time_is_up()) stop(Status::out_of_time);
  evaluate_seconds_ += wall_now() - started;
  clock_.resume();
  return !stopped_;
}

Solution Journal::conclude(Finish finish) {
  const double tol = options_.tol;
  if (std::isnan(finish.certificate.relative_gap)) finish.certificate = source_.certify(finish.w);
  const bool stopped = finish.end == FinishEnd::stopped && must_stop();
  if (!best_on_validation().empty() && !(finish.certificate.relative_gap <= tol)) {
    finish.w = best_on_validation();
    finish.certificate = source_.certify(finish.w);
  }
  Status status = Status::out_of_passes;
  if (stopped) status = interrupted() ? Status::interrupted : stopped_by();
  // Cut where it happens to be within the tolerance, a run that can be resumed is not done: uncut, it would end elsewhere.
  const bool goes_on = was_cut(status) && !options_.checkpoint.empty();
  if (finish.certificate.relative_gap <= tol && !goes_on) status = Status::converged;
  return close(std::move(finish.w), status, finish.certificate);
}

Solution Journal::close(std::vector<double> w, Status status, const Certificate& certificate) {
  clock_.pause();
  Solution solution;
  solution.summary = std::move(before_);
  Summary& summary = solution.summary;
  summary.status = status;
  summary.objective = certificate.primal;
  summary.certificate = certificate;
  summary.solve_seconds += clock_.wall_seconds();
  summary.cpu_seconds += clock_.cpu_seconds();
  summary.evaluate_seconds += evaluate_seconds_;
  note({.iteration = summary.iterations,
        .passes = summary.passes,
        .cpu_seconds = summary.cpu_seconds,
        .wall_seconds = summary.graph_seconds + summary.solve_seconds,
        .train_objective = certificate.primal,
        .test_objective = test_objective(w),
        .gap = certificate.relative_gap,
        .stage = stage_});
  solution.trace = std::move(trace_);
  solution.w = std::move(w);
  return solution;
}

const char* Journal::why(FinishEnd end) const {
  switch (end) {
    case FinishEnd::converged:
      return "tolerance reached";
    case FinishEnd::stalled:
      return "no further progress";
    case FinishEnd::stopped:
      return must_stop() ? name_of(stopped_by()) : "budget used up";
  }
  return "";
}

}  // namespace s3gd
