#include "solve/legs.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace s3gd {
namespace {

constexpr Index kFirstNewtonLeg = 2;  // it remembers nothing, and its iterations are long

struct Border {
  std::vector<double> w;
  Index leg = 0, length = 0;
  double gap = std::numeric_limits<double>::infinity();       // at w
  std::vector<double> best;                                   // of all borders ..
  double best_gap = std::numeric_limits<double>::infinity();  // .. and its gap
  Index iterations = 0;
  double passes = 0;

  void state(Archive& a) { a(w, leg, length, gap, best, best_gap, iterations, passes); }
};

// The end of a leg is the next border.
void advance(Border& border, const std::vector<double>& w, double gap) {
  if (!(gap < 0.5 * border.gap)) border.length *= 2;
  ++border.leg;
  border.w = w;
  border.gap = gap;
  if (!(gap < border.best_gap)) return;
  border.best = w;
  border.best_gap = gap;
}

// The end of the last leg, with what all of them did; the best of all borders where that is better.
Finish closed(Finish leg, Border border, const LegSource& source) {
  leg.iterations = border.iterations;
  leg.passes = border.passes;
  if (leg.end == FinishEnd::converged || !(border.best_gap < leg.certificate.relative_gap)) return leg;
  leg.w = std::move(border.best);
  leg.certificate = source.certify(leg.w);
  return leg;
}

}  // namespace

Finish run_in_legs(const LegSource& source, std::vector<double> start, Journal& journal, Checkpoint& checkpoint,
                   Archive* resumed) {
  Border border;
  border.w = std::move(start);
  border.length = source.first;
  if (resumed != nullptr) {
    (*resumed)(border);
    resumed->expect_end();
  }
  for (;;) {
    Archive here;
    std::string name = source.name;
    here(name, journal, border);
    const bool due = checkpoint.due();
    if (due) checkpoint.save(here);
    const Index most = std::min(border.length, source.max_iterations - border.iterations);
    Finish leg = source.run(border.leg, most, border.w, journal);
    if (journal.must_stop() && !due) checkpoint.save(here);
    border.iterations += leg.iterations;
    border.passes += leg.passes;
    if (leg.end == FinishEnd::stopped) {
      leg.certificate = source.certify(leg.w);
      border.passes += 1;
      if (leg.certificate.relative_gap <= source.tol) leg.end = FinishEnd::converged;
    }
    const bool goes_on = leg.end == FinishEnd::stopped && leg.iterations > 0 && !journal.must_stop() &&
                         border.iterations < source.max_iterations;
    if (!goes_on) return closed(std::move(leg), std::move(border), source);
    advance(border, leg.w, leg.certificate.relative_gap);
    journal.begin_leg(leg.passes + 1);
  }
}

Finish run_in_legs(const Finisher& finisher, const FinishInput& input, std::vector<double> start, Journal& journal,
                   Checkpoint& checkpoint, Archive* resumed) {
  LegSource source;
  source.name = finisher.name;
  if (finisher.name == "newton") source.first = kFirstNewtonLeg;
  source.tol = input.tol;
  source.max_iterations = input.max_iterations;
  source.run = [&](Index leg, Index iterations, std::vector<double> from, Progress& progress) {
    FinishInput part = input;
    part.seed += static_cast<std::uint64_t>(leg);
    part.max_iterations = iterations;
    return finisher.run(part, std::move(from), progress);
  };
  source.certify = [&](std::span<const double> w) { return certify(input.problem, w); };
  return run_in_legs(source, std::move(start), journal, checkpoint, resumed);
}

}  // namespace s3gd
