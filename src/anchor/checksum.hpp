// Checksums: of rows (the same for every layout that holds the same numbers) and of bytes.
//
// A row's sum is  sum_j bits(x_ij) * key_j  modulo 2^64 with a fixed odd key for each column: absent entries and
// stored zeros of either sign add nothing, and the loop has no branch. Rows are then mixed in order. Any change of
// one entry or byte changes the result for certain, several changes all but for certain; it is no protection against
// somebody who wants to deceive.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "s3gd/matrix.hpp"

namespace s3gd {

// One step of a running checksum: a bijection in each of its arguments.
inline std::uint64_t mix_checksum(std::uint64_t state, std::uint64_t word) {
  std::uint64_t z = (state ^ word) * 0x9e3779b97f4a7c15U;
  z = (z ^ (z >> 32)) * 0xd6e8feb86659fd93U;
  return z ^ (z >> 32);
}

std::uint64_t bytes_checksum(std::span<const std::byte> bytes);

// Of one row's contents alone, not of its place.
std::uint64_t row_checksum(const Matrix& x, Index i);

}  // namespace s3gd
