#include "solve/segments.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace s3gd {
namespace {

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

}  // namespace

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

}  // namespace s3gd
