// When a run is looked at: densely at first, where objectives fall by the iteration, then at regular distances, and at the
// end as often as the mean over the tail needs.
//
//     0, 1, 2, .. each 6 % further than the last     then every 1/50 of the run     20 looks in the last `tail`
//
// Who is first within a tolerance is known to the distance of two looks: 6 % of the time, whenever that is.
// Regular distances have no factor in common with 10, so that looks fall on every part of an inner loop (20 or 50 steps)
// and not always just before its snapshot.
#pragma once

#include <vector>

#include "s3gd/matrix.hpp"

namespace s3gd {

inline constexpr Index kTailLooks = 20;

// Ascending, from 0 to `iterations`. Some 170 of them for long runs with the usual growth of 1.06; a larger one leaves
// looks out where only times or means are wanted.
std::vector<Index> look_schedule(Index iterations, Index tail, double growth);

}  // namespace s3gd
