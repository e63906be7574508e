#include "base/checksum.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "base/random.hpp"

namespace s3gd {
namespace {

std::vector<std::byte> noise(std::size_t count) {
  Rng rng(5);
  std::vector<std::byte> bytes(count);
  for (auto& byte : bytes) byte = static_cast<std::byte>(rng.next());
  return bytes;
}

TEST(Checksum, TheSameInPiecesOfAnySizeAndOnAnyNumberOfThreads) {
  for (const std::size_t size : {0UL, 1UL, 31UL, 32UL, 33UL, 1000UL, (1UL << 20) - 1, 1UL << 20, (3UL << 20) + 77}) {
    const auto bytes = noise(size);
    const auto expected = checksum(bytes, 1);
    EXPECT_EQ(checksum(bytes, 7), expected);
    for (const std::size_t piece : {1UL, 7UL, 32UL, 100000UL}) {
      if (size / piece > 200000) continue;
      Checksum sum;
      for (std::size_t at = 0; at < size; at += piece)
        sum.update(std::span(bytes).subspan(at, std::min(piece, size - at)));
      EXPECT_EQ(sum.value(), expected) << size << " bytes in pieces of " << piece;
    }
  }
}

TEST(Checksum, EveryBitCounts) {
  auto bytes = noise(200);
  const auto expected = checksum(bytes);
  for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    bytes[bit / 8] ^= std::byte{1} << (bit % 8);
    EXPECT_NE(checksum(bytes), expected) << bit;
    bytes[bit / 8] ^= std::byte{1} << (bit % 8);
  }
}

TEST(Checksum, ZerosAtTheEndAndSwappedBlocksCount) {
  const std::vector<std::byte> zeros(100);
  EXPECT_NE(checksum(std::span(zeros).first(64)), checksum(std::span(zeros).first(65)));
  EXPECT_NE(checksum(std::span(zeros).first(0)), checksum(std::span(zeros).first(1)));
  auto bytes = noise(2 << 20);
  const auto expected = checksum(bytes);
  std::swap_ranges(bytes.begin(), bytes.begin() + (1 << 20), bytes.begin() + (1 << 20));
  EXPECT_NE(checksum(bytes), expected);
}

}  // namespace
}  // namespace s3gd
