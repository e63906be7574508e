#include "exact/curvature_sample.hpp"

#include <cmath>
#include <numeric>

namespace s3gd {
namespace {

constexpr double kAtRandom = 0.1;  // share of the mean size that every row is given on top of its own

// The spacing of the draws: rows at least that large are taken for certain, which leaves more of the sample to others.
double spacing(std::span<const double> sizes, double extra, Index count) {
  double unit = (std::accumulate(sizes.begin(), sizes.end(), 0.0) + extra * static_cast<double>(sizes.size())) /
                static_cast<double>(count);
  for (int round = 0; round < 4; ++round) {
    double certain = 0, rest = 0;
    for (const double size : sizes) {
      if (size + extra >= unit)
        certain += 1;
      else
        rest += size + extra;
    }
    const double next = rest / std::max(1.0, static_cast<double>(count) - certain);
    if (std::abs(next - unit) <= 0.02 * unit) break;
    unit = next;
  }
  return unit;
}

}  // namespace

RowSample sample_by_size(std::span<const double> sizes, Index count, Rng& rng) {
  const auto n = static_cast<Index>(sizes.size());
  const bool all = count >= n;
  const double mean = std::accumulate(sizes.begin(), sizes.end(), 0.0) / static_cast<double>(std::max<Index>(1, n));
  const double extra = kAtRandom * mean;
  const double unit = all ? 0 : spacing(sizes, extra, count);
  double sum = rng.uniform() * unit;
  RowSample sample;
  for (Index i = 0; i < n; ++i) {
    const double size = sizes[static_cast<std::size_t>(i)];
    double weight = size;
    if (!all && size + extra < unit) {
      sum += size + extra;
      if (sum < unit) continue;
      sum -= unit;
      weight = size * unit / (size + extra);
    }
    if (!(weight > 0)) continue;
    sample.rows.push_back(i);
    sample.weights.push_back(weight);
  }
  return sample;
}

RowSample sample_by_size(std::span<const double> sizes, std::span<const Index> rows, Index count, Rng& rng) {
  RowSample sample = sample_by_size(sizes, count, rng);
  for (Index& row : sample.rows)
    if (!rows.empty()) row = rows[static_cast<std::size_t>(row)];
  return sample;
}

}  // namespace s3gd
