// The same problem over fewer rows: where a solver may begin, at a cost that does not grow with the rows.
#pragma once

#include <optional>

#include "s3gd/problem.hpp"

namespace s3gd {

// One row of every block of `every`, drawn by `seed`, with its target and weight; penalty, loss and intercept as they
// are (the penalty scaled where the weights do not sum to 1). None when the sample misses a class or every weight.
std::optional<Problem> sample_rows(const Problem& problem, Index every, std::uint64_t seed);

}  // namespace s3gd
