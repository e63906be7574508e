#include "compare/schedule.hpp"

#include <algorithm>
#include <numeric>

namespace s3gd {
namespace {

constexpr Index kRegularLooks = 50;

Index not_in_step(Index distance) {
  while (std::gcd(distance, Index{10}) > 1) ++distance;
  return std::max<Index>(1, distance);
}

}  // namespace

std::vector<Index> look_schedule(Index iterations, Index tail, double growth) {
  const Index apart = not_in_step(iterations / kRegularLooks);
  const Index apart_at_end = not_in_step(std::max<Index>(1, tail / kTailLooks));
  std::vector<Index> looks;
  for (Index at = iterations; at > std::max<Index>(0, iterations - tail); at -= apart_at_end) looks.push_back(at);
  std::reverse(looks.begin(), looks.end());
  std::vector<Index> before;
  for (Index at = 0; at <= iterations - tail;) {
    before.push_back(at);
    const auto grown = static_cast<Index>(static_cast<double>(at) * growth);
    at = std::clamp(grown, at + 1, at + apart);
  }
  looks.insert(looks.begin(), before.begin(), before.end());
  return looks;
}

}  // namespace s3gd
