#include "solve/finish.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/interrupt.hpp"
#include "problem/matrix_penalty.hpp"
#include "problem/penalty.hpp"

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

// A finisher run in segments, so that its state at the border of two is nothing but parameters: what a checkpoint keeps.
//
// A finisher remembers much (Hessians, working sets, dual variables) and forgets it between segments. A segment is a number of
// its iterations, the same whatever the clock says, so that a run that was killed and resumed goes through the same segments
// as one that was not. Segments double where one did not halve the gap: what needs a long memory gets it, and what is stuck
// gets to see that it is.
struct Border {
  std::vector<double> w;
  Index segment = 0, length = 0;
  double gap = std::numeric_limits<double>::infinity();       // at w
  std::vector<double> best;                                   // of all borders ..
  double best_gap = std::numeric_limits<double>::infinity();  // .. and its gap
  Index iterations = 0;
  double passes = 0;

  void state(Archive& a) { a(w, segment, length, gap, best, best_gap, iterations, passes); }
};

// The end of a segment is the next border.
void advance(Border& border, const std::vector<double>& w, double gap) {
  if (!(gap < 0.5 * border.gap)) border.length *= 2;
  ++border.segment;
  border.w = w;
  border.gap = gap;
  if (!(gap < border.best_gap)) return;
  border.best = w;
  border.best_gap = gap;
}

// The end of the last segment, with what all of them did; the best of all borders where that is better.
Finish closed(Finish segment, Border border, const Journal& journal) {
  segment.iterations = border.iterations;
  segment.passes = border.passes;
  if (segment.end == FinishEnd::converged || !(border.best_gap < segment.certificate.relative_gap)) return segment;
  segment.w = std::move(border.best);
  segment.certificate = journal.certify(segment.w);
  return segment;
}

// resumed: what was kept at a border, finisher's name and journal read already: the run goes on from there, whatever the start
// is. Null: it begins.
Finish run_in_segments(const ExactPart& part, const BoundFinisher& finisher, Index max_iterations,
                       std::vector<double> start, Archive* resumed) {
  Journal& journal = part.journal;
  Border border;
  border.w = std::move(start);
  border.length = finisher.first_segment;
  if (resumed != nullptr) {
    (*resumed)(border);
    resumed->expect_end();
  }
  for (;;) {
    Archive here;
    std::string name = finisher.name;
    here(name, journal, border);
    const bool due = part.checkpoint->due();
    if (due) part.checkpoint->save(here);
    const Index most = std::min(border.length, max_iterations - border.iterations);
    const std::uint64_t seed = part.options.seed + static_cast<std::uint64_t>(border.segment);
    Finish segment = finisher.run(seed, most, border.w, journal);
    const bool stops = journal.must_stop();  // asked once: an interrupt that comes later finds the next border
    if (stops && !due) part.checkpoint->save(here);
    border.iterations += segment.iterations;
    border.passes += segment.passes;
    if (segment.end == FinishEnd::stopped) {
      segment.certificate = journal.certify(segment.w);
      border.passes += 1;
      if (segment.certificate.relative_gap <= part.options.tol && !stops) segment.end = FinishEnd::converged;
    }
    const bool goes_on =
        segment.end == FinishEnd::stopped && segment.iterations > 0 && !stops && border.iterations < max_iterations;
    if (!goes_on) return closed(std::move(segment), std::move(border), journal);
    advance(border, segment.w, segment.certificate.relative_gap);
    journal.begin_segment(segment.passes + 1);
  }
}

Solution run_stage(const ExactPart& part, const std::string& name, std::vector<double> start, Archive* resumed) {
  const SolveOptions& options = part.options;
  const BoundFinisher finisher = part.finisher(name);
  Index most = std::numeric_limits<Index>::max();
  if (options.iterations > 0) most = std::max<Index>(1, options.iterations - part.journal.iterations());
  if (resumed == nullptr) part.journal.begin_stage(name);
  Finish finish = part.checkpoint != nullptr ? run_in_segments(part, finisher, most, std::move(start), resumed)
                                             : finisher.run(options.seed, most, std::move(start), part.journal);
  return finish_after(part, name, std::move(finish));
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
  if (const auto& best = early_stop_.best(); !best.empty() && !(finish.certificate.relative_gap <= tol)) {
    finish.w = best;
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
  if (end == FinishEnd::converged) return "tolerance reached";
  if (end == FinishEnd::stalled) return "no further progress";
  return must_stop() ? name_of(stopped_by()) : "budget used up";
}

Solution finish_with(const ExactPart& part, const std::string& name, std::vector<double> start) {
  std::string stage = name;
  Archive* resumed = part.checkpoint != nullptr ? part.checkpoint->resumed() : nullptr;
  if (resumed != nullptr) (*resumed)(stage, part.journal);
  if (start.empty() && part.begin && resumed == nullptr) {
    Solution first = part.begin();
    if (was_cut(first.summary.status)) return first;  // no state to go on from: a run that is resumed begins anew
    if (first.summary.status != Status::diverged) start = first.w;
    part.journal.append(std::move(first));
    part.journal.begin_stage("s3gd");
    // The mean of the last snapshots, which the stage's trace lacks.
    if (!start.empty()) part.journal.moved(start, 0, std::nan(""), std::nan(""));
  }
  return run_stage(part, stage, std::move(start), resumed);
}

Solution finish_after(const ExactPart& part, const std::string& name, Finish finish) {
  Journal& journal = part.journal;
  if (finish.end == FinishEnd::stalled && journal.must_stop()) finish.end = FinishEnd::stopped;  // cut within a step
  journal.end_stage(finish.iterations, finish.passes, journal.why(finish.end));
  if (finish.end == FinishEnd::stalled && name != part.last)
    return run_stage(part, part.last, std::move(finish.w), nullptr);
  return journal.conclude(std::move(finish));
}

}  // namespace s3gd
