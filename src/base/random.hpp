// Seeded random streams with the same bits on every machine (std:: distributions differ between libraries).
//
// xoshiro256++ seeded through splitmix64; Rng(seed, stream) gives independent streams, so that parts of a program
// can draw without disturbing each other.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <numbers>

#include "s3gd/matrix.hpp"

namespace s3gd {

class Rng {
 public:
  explicit Rng(std::uint64_t seed, std::uint64_t stream = 0) {
    std::uint64_t x = seed ^ mix(stream + 0x632be59bd9b4e019U);
    for (auto& word : state_) word = mix(x += 0x9e3779b97f4a7c15U);
  }

  std::uint64_t next() {
    auto& s = state_;
    const std::uint64_t result = std::rotl(s[0] + s[3], 23) + s[0];
    const std::uint64_t t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = std::rotl(s[3], 45);
    return result;
  }

  double uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }  // [0, 1)

  // Whole number in [0, n), unbiased.
  Index below(Index n) {
    const auto bound = static_cast<std::uint64_t>(n);
    __extension__ using Wide = unsigned __int128;
    auto product = static_cast<Wide>(next()) * bound;
    if (static_cast<std::uint64_t>(product) < bound) {
      const std::uint64_t threshold = (0 - bound) % bound;
      while (static_cast<std::uint64_t>(product) < threshold) product = static_cast<Wide>(next()) * bound;
    }
    return static_cast<Index>(product >> 64);
  }

  double normal() {
    const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform()));
    return radius * std::cos(2.0 * std::numbers::pi * uniform());
  }

  template <class T>
  void shuffle(std::vector<T>& items) {
    for (Index i = static_cast<Index>(items.size()) - 1; i > 0; --i)
      std::swap(items[static_cast<std::size_t>(i)], items[static_cast<std::size_t>(below(i + 1))]);
  }

 private:
  static std::uint64_t mix(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
  }

  std::array<std::uint64_t, 4> state_;
};

}  // namespace s3gd
