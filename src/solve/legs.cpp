#include "solve/legs.hpp"

#include <algorithm>
#include <limits>

namespace s3gd {
namespace {

constexpr Index kFirstLeg = 20;       // iterations: long enough that beginning anew costs little
constexpr Index kFirstNewtonLeg = 2;  // which remembers nothing, and whose iterations are long

struct Border {
  std::vector<double> w;
  Index leg = 0, length = kFirstLeg;
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
Finish closed(Finish leg, Border border, const Problem& problem) {
  leg.iterations = border.iterations;
  leg.passes = border.passes;
  if (leg.end == FinishEnd::converged || !(border.best_gap < leg.certificate.relative_gap)) return leg;
  leg.w = std::move(border.best);
  leg.certificate = certify(problem, leg.w);
  return leg;
}

}  // namespace

Finish run_in_legs(const Finisher& finisher, const FinishInput& input, std::vector<double> start, Journal& journal,
                   Checkpoint& checkpoint, Archive* resumed) {
  Border border;
  border.w = std::move(start);
  if (finisher.name == "newton") border.length = kFirstNewtonLeg;
  if (resumed != nullptr) {
    (*resumed)(border);
    resumed->expect_end();
  }
  for (;;) {
    Archive here;
    std::string name = finisher.name;
    here(name, journal, border);
    const bool due = checkpoint.due();
    if (due) checkpoint.save(here);
    FinishInput part = input;
    part.seed += static_cast<std::uint64_t>(border.leg);
    part.max_iterations = std::min(border.length, input.max_iterations - border.iterations);
    Finish leg = finisher.run(part, border.w, journal);
    if (journal.must_stop() && !due) checkpoint.save(here);
    border.iterations += leg.iterations;
    border.passes += leg.passes;
    if (leg.end == FinishEnd::stopped) {
      leg.certificate = certify(input.problem, leg.w);
      border.passes += 1;
      if (leg.certificate.relative_gap <= input.tol) leg.end = FinishEnd::converged;
    }
    const bool goes_on = leg.end == FinishEnd::stopped && leg.iterations > 0 && !journal.must_stop() &&
                         border.iterations < input.max_iterations;
    if (!goes_on) return closed(std::move(leg), std::move(border), input.problem);
    advance(border, leg.w, leg.certificate.relative_gap);
    journal.begin_leg(leg.passes + 1);
  }
}

}  // namespace s3gd
