// 1/L(p), the step of theory(), estimated from a few hundred rows in a fraction of a pass: for runs that are to start at
// once. Rows longer than any in the sample, and an eigenvalue that has not settled, can make it too long by a little.
#pragma once

#include "s3gd/problem.hpp"

namespace s3gd {

double quick_step(const Problem& problem, Index batch, std::uint64_t seed);

}  // namespace s3gd
