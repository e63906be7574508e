// Strata for SSGD: k-means into as many clusters as a batch has rows, on a sample; then every row to its nearest
// centre.
#pragma once

#include <algorithm>

#include "anchor/kmeans.hpp"

namespace s3gd {

inline std::vector<std::int32_t> make_strata(const Matrix& x, Index strata, std::uint64_t seed, int threads) {
  constexpr Index kSamplePerStratum = 500;
  KmeansOptions options;
  options.clusters = std::min(strata, x.rows());
  options.sample = kSamplePerStratum * options.clusters;
  options.seed = seed;
  options.threads = threads;
  return assign_clusters(x, kmeans(x, options), threads);
}

}  // namespace s3gd
