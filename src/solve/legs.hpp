// A finisher run in legs, so that its state at the border of two is nothing but parameters: what a checkpoint keeps.
//
// A finisher remembers much (Hessians, working sets, dual variables) and forgets it between legs. A leg is a number of
// its iterations, the same whatever the clock says, so that a run that was killed and resumed goes through the same legs
// as one that was not. Legs double where one did not halve the gap: what needs a long memory gets it, and what is stuck
// gets to see that it is.
#pragma once

#include <functional>

#include "finish/finisher.hpp"
#include "solve/checkpoint.hpp"
#include "solve/journal.hpp"

namespace s3gd {

// A finisher of any kind of problem, as legs see it.
struct LegSource {
  std::string name;
  Index first = 20;  // iterations of the first leg: long enough that beginning anew costs little
  double tol = 1e-4;
  Index max_iterations = std::numeric_limits<Index>::max();
  // Leg number and its iterations at most, where it begins, whom it tells.
  std::function<Finish(Index leg, Index iterations, std::vector<double> start, Progress&)> run;
  std::function<Certificate(std::span<const double> w)> certify;
};
Finish run_in_legs(const LegSource& source, std::vector<double> start, Journal& journal, Checkpoint& checkpoint,
                   Archive* resumed);

// As finisher.run(input, start, journal). `resumed`: what was kept at a border, finisher's name and journal read already;
// the run goes on from there, whatever `start` is. Null: it begins.
Finish run_in_legs(const Finisher& finisher, const FinishInput& input, std::vector<double> start, Journal& journal,
                   Checkpoint& checkpoint, Archive* resumed);

}  // namespace s3gd
