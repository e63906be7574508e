// Checksums of rows, the same for every layout that holds the same numbers (checksum() in s3gd/graph.hpp is of all).
//
// A row's is  sum_j bits(x_ij) * key_j  modulo 2^64 with a fixed odd key for each column: absent entries and stored
// zeros of either sign add nothing, and the loop has no branch. Rows are then mixed in order. A change of one entry
// always shows, several changes all but always; it is no protection against somebody who wants to deceive.
#pragma once

#include <cstdint>

#include "s3gd/matrix.hpp"

namespace s3gd {

// Of one row's contents alone, not of its place.
std::uint64_t row_checksum(const Matrix& x, Index i);

}  // namespace s3gd
