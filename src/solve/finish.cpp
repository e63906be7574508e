#include "solve/finish.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace s3gd {
namespace {

// A finisher run in segments, so that its state at the border of two is nothing but parameters: what a checkpoint keeps.
//
// A finisher remembers much (Hessians, working sets, dual variables) and forgets it between segments. A segment is a number of
// its iterations, the same whatever the clock says, so that a run that was killed and resumed goes through the same segments
// as one that was not. Segments double where one did not halve the gap: what needs a long memory gets it, and what is stuck
// gets to see that it is.
struct SegmentedRun {
  const BoundFinisher& finisher;
  double tol;
  std::uint64_t seed;
  Index max_iterations;
  Checkpoint& checkpoint;
  // What was kept at a border, finisher's name and journal read already: the run goes on from there, whatever the start
  // is. Null: it begins.
  Archive* resumed;
};

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

Finish run_in_segments(const SegmentedRun& run, std::vector<double> start, Journal& journal) {
  Border border;
  border.w = std::move(start);
  border.length = run.finisher.first_segment;
  if (run.resumed != nullptr) {
    (*run.resumed)(border);
    run.resumed->expect_end();
  }
  for (;;) {
    Archive here;
    std::string name = run.finisher.name;
    here(name, journal, border);
    const bool due = run.checkpoint.due();
    if (due) run.checkpoint.save(here);
    const Index most = std::min(border.length, run.max_iterations - border.iterations);
    Finish segment = run.finisher.run(run.seed + static_cast<std::uint64_t>(border.segment), most, border.w, journal);
    const bool stops = journal.must_stop();  // asked once: an interrupt that comes later finds the next border
    if (stops && !due) run.checkpoint.save(here);
    border.iterations += segment.iterations;
    border.passes += segment.passes;
    if (segment.end == FinishEnd::stopped) {
      segment.certificate = journal.certify(segment.w);
      border.passes += 1;
      if (segment.certificate.relative_gap <= run.tol && !stops) segment.end = FinishEnd::converged;
    }
    const bool goes_on =
        segment.end == FinishEnd::stopped && segment.iterations > 0 && !stops && border.iterations < run.max_iterations;
    if (!goes_on) return closed(std::move(segment), std::move(border), journal);
    advance(border, segment.w, segment.certificate.relative_gap);
    journal.begin_segment(segment.passes + 1);
  }
}

Solution run_stage(const ExactPart& part, const std::string& name, std::vector<double> start, Archive* resumed) {
  Journal& journal = part.journal;
  const SolveOptions& options = part.options;
  const BoundFinisher finisher = part.finisher(name);
  Index most = std::numeric_limits<Index>::max();
  if (options.iterations > 0) most = std::max<Index>(1, options.iterations - journal.iterations());
  if (resumed == nullptr) journal.begin_stage(name);
  Finish finish = part.checkpoint != nullptr
                      ? run_in_segments({finisher, options.tol, options.seed, most, *part.checkpoint, resumed},
                                        std::move(start), journal)
                      : finisher.run(options.seed, most, std::move(start), journal);
  return finish_after(part, name, std::move(finish));
}

}  // namespace

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
