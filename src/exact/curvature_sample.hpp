// Samples of rows.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/random.hpp"
#include "s3gd/matrix.hpp"

namespace s3gd {

// The numbers 0 .. count-1 in a random order that is computed, not stored: a Feistel network over the next power of
// four, walked until it lands inside. A sample of a thousand rows costs the same whatever the number of rows.
class LazyShuffle {
 public:
  LazyShuffle(Index count, Rng& rng) : count_(static_cast<std::uint64_t>(count)) {
    while ((std::uint64_t{1} << (2 * half_)) < count_) ++half_;
    for (auto& key : keys_) key = rng.next();
  }
  Index operator()(Index k) const {
    auto value = static_cast<std::uint64_t>(k);
    do value = round_trip(value);
    while (value >= count_);
    return static_cast<Index>(value);
  }

 private:
  std::uint64_t round_trip(std::uint64_t value) const {
    const std::uint64_t mask = (std::uint64_t{1} << half_) - 1;
    std::uint64_t left = value >> half_, right = value & mask;
    for (const std::uint64_t key : keys_) {
      std::uint64_t mixed = (right ^ key) * 0x9e3779b97f4a7c15U;
      mixed ^= mixed >> 32;
      left = std::exchange(right, left ^ (mixed & mask));
    }
    return left << half_ | right;
  }
  std::uint64_t count_;
  int half_ = 1;
  std::array<std::uint64_t, 6> keys_{};
};

// Rows and what each counts for, so that the weighted sum over them estimates sum_i sizes_i (anything of row i).
struct RowSample {
  std::vector<Index> rows;  // ascending
  std::vector<double> weights;
};

// About `count` rows drawn in proportion to their sizes (and a little at random), each at most once; all rows of some
// size when count is not less than their number. Systematic: one random offset, then every so much of the running sum.
RowSample sample_by_size(std::span<const double> sizes, Index count, Rng& rng);
// The same where the sizes are those of some of the rows (empty = all).
RowSample sample_by_size(std::span<const double> sizes, std::span<const Index> rows, Index count, Rng& rng);

}  // namespace s3gd
