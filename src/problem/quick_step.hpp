// 1/L(p), the expected smoothness of a mini-batch, for rows in shuffled order; exact, and estimated at once: rows longer
// or heavier than any in the sample, and an eigenvalue that has not settled, can make that too long by a little.
#pragma once

#include "s3gd/problem.hpp"

namespace s3gd {

// Of rows in shuffled order. A row is then met as often as any other and steps with n q_i times its own slope, so that a
// heavy one asks for shorter steps than where rows are drawn by weight (theory()).
double shuffled_step(const Problem& problem, Index batch, std::uint64_t seed);

// The same, estimated from a few hundred rows in a fraction of a pass.
double quick_step(const Problem& problem, Index batch, std::uint64_t seed);

}  // namespace s3gd
