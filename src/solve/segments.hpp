// A finisher run in segments, so that its state at the border of two is nothing but parameters: what a checkpoint keeps.
//
// A finisher remembers much (Hessians, working sets, dual variables) and forgets it between segments. A segment is a number of
// its iterations, the same whatever the clock says, so that a run that was killed and resumed goes through the same segments
// as one that was not. Segments double where one did not halve the gap: what needs a long memory gets it, and what is stuck
// gets to see that it is.
#pragma once

#include "solve/finish.hpp"

namespace s3gd {

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
Finish run_in_segments(const SegmentedRun& run, std::vector<double> start, Journal& journal);

}  // namespace s3gd
