#include "anchor/kmeans.hpp"

#include "anchor/points.hpp"
#include "base/index.hpp"
#include "base/random.hpp"
#include "base/threads.hpp"
#include "s3gd/error.hpp"

namespace s3gd {
namespace {

// Sensitive: kSeedingRowsPerCluster halved costs stratified SGD half as many passes again.
constexpr Index kRowsPerChunk = 256;         // a unit of work for a thread; sums keep their order, results their bits
constexpr Index kSeedingRowsPerCluster = 8;  // seeding is sequential and reads every row once per centre

// `wanted` of the numbers 0 .. count-1, each equally likely, ascending.
std::vector<Index> draw_rows(Index count, Index wanted, Rng& rng) {
  std::vector<Index> rows;
  rows.reserve(at(wanted));
  for (Index i = 0; static_cast<Index>(rows.size()) < wanted; ++i) {
    const auto missing = static_cast<double>(wanted - static_cast<Index>(rows.size()));
    if (rng.uniform() * static_cast<double>(count - i) < missing) rows.push_back(i);
  }
  return rows;
}

struct Assignment {
  std::vector<std::int32_t> cluster;
  std::vector<double> distance;  // squared, up to rounding
};

template <class T>
Assignment assign_in(const Matrix& x, const Centres& centres, int threads) {
  const Points<T> points({centres.values.begin(), centres.values.end()}, centres.count, centres.dim);
  const std::vector<T> squares(points.squares.begin(), points.squares.end());
  Assignment result{std::vector<std::int32_t>(at(x.rows())), std::vector<double>(at(x.rows()))};
  parallel_ranges(x.rows(), kRowsPerChunk, threads, [&](Index begin, Index end, Index) {
    std::vector<T> products(at((end - begin) * points.count));
    row_products(x, begin, end, points, products.data());
    for (Index i = begin; i < end; ++i) {
      const T* product = products.data() + (i - begin) * points.count;
      Index best = 0;
      T best_value = squares[0] - 2 * product[0];
      for (Index j = 1; j < points.count; ++j) {
        const T value = squares[at(j)] - 2 * product[j];
        if (value < best_value) {
          best = j;
          best_value = value;
        }
      }
      result.cluster[at(i)] = static_cast<std::int32_t>(best);
      result.distance[at(i)] = std::max(0.0, row_square(x, i) + static_cast<double>(best_value));
    }
  });
  return result;
}

Assignment assign(const Matrix& x, const Centres& centres, int threads) {
  return (x.precision() == Precision::float32 ? assign_in<float> : assign_in<double>)(x, centres, threads);
}

// nearest[r] = min(nearest[r], distance of row rows[r] to the centre), where squares are ||x||^2.
template <class T>
void approach(const Matrix& x, std::span<const Index> rows, std::span<const double> squares, const double* centre,
              int threads, std::vector<double>& nearest) {
  const Points<T> point({centre, centre + x.cols()}, 1, x.cols());
  parallel_ranges(std::ssize(rows), kRowsPerChunk, threads, [&](Index begin, Index end, Index) {
    for (auto r = at(begin); r < at(end); ++r)
      nearest[r] = std::min(nearest[r], exact_distance(x, rows[r], squares[r], point, 0));
  });
}

// Adds centres, each a row drawn with probability proportional to the squared distance to the nearest centre so far,
// until there are enough or no row is left that differs from all of them.
void add_seeds(const Matrix& x, std::span<const Index> rows, Index wanted, Rng& rng, int threads, Centres& centres) {
  std::vector<double> nearest(rows.size(), std::numeric_limits<double>::infinity());
  std::vector<double> squares;
  for (const Index i : rows) squares.push_back(exact_square(x, i));
  const auto approach_centre = [&](Index j) {
    (x.precision() == Precision::float32 ? approach<float> : approach<double>)(x, rows, squares, centres.row(j),
                                                                               threads, nearest);
  };
  const auto chance = [&](std::size_t r) { return centres.count == 0 ? 1.0 : nearest[r]; };
  for (Index j = 0; j < centres.count; ++j) approach_centre(j);
  while (centres.count < wanted) {
    double total = 0;
    for (std::size_t r = 0; r < rows.size(); ++r) total += chance(r);
    if (!(total > 0)) return;
    double left = rng.uniform() * total;
    std::size_t chosen = rows.size();
    for (std::size_t r = 0; r < rows.size() && left >= 0; ++r) {
      if (!(chance(r) > 0)) continue;
      chosen = r;
      left -= chance(r);
    }
    centres.values.resize(centres.values.size() + at(centres.dim));
    expand_row(x, rows[chosen], centres.row(centres.count));
    approach_centre(centres.count++);
  }
}

// Every centre becomes the mean of its rows; returns the clusters that had none.
std::vector<Index> move_to_means(const Matrix& x, const Assignment& assignment, int threads, Centres& centres) {
  std::vector<std::vector<Index>> members(at(centres.count));
  for (Index i = 0; i < x.rows(); ++i) members[at(assignment.cluster[at(i)])].push_back(i);
  parallel_for(centres.count, threads, [&](Index j) {
    const auto& rows = members[at(j)];
    if (rows.empty()) return;
    std::vector<double> sum(at(centres.dim), 0.0);
    for (const Index i : rows) add_row(1, x, i, sum.data());
    const auto mass = static_cast<double>(rows.size());
    std::transform(sum.begin(), sum.end(), centres.row(j), [&](double s) { return s / mass; });
  });
  std::vector<Index> empty;
  for (Index j = 0; j < centres.count; ++j)
    if (members[at(j)].empty()) empty.push_back(j);
  return empty;
}

// Each empty cluster takes over the row that is farthest from the centre it has.
void repair(const Matrix& x, const std::vector<Index>& empty, std::vector<double> distance, Centres& centres) {
  for (const Index j : empty) {
    const auto farthest = std::max_element(distance.begin(), distance.end());
    if (farthest == distance.end() || !(*farthest > 0)) return;
    expand_row(x, farthest - distance.begin(), centres.row(j));
    *farthest = 0;
  }
}

// Centres that no row is nearest to have copies elsewhere, or lost their rows in the last round.
void drop_unused(const std::vector<std::int32_t>& cluster, Centres& centres) {
  std::vector<char> used(at(centres.count), 0);
  for (const auto j : cluster) used[at(j)] = 1;
  Index kept = 0;
  for (Index j = 0; j < centres.count; ++j) {
    if (!used[at(j)]) continue;
    if (kept != j) std::copy_n(centres.row(j), centres.dim, centres.row(kept));
    ++kept;
  }
  centres.count = kept;
  centres.values.resize(at(kept * centres.dim));
}

Centres cluster_rows(const Matrix& x, const KmeansOptions& options, Rng& rng) {
  Centres centres{0, x.cols(), {}};
  const Index few = std::min(x.rows(), kSeedingRowsPerCluster * options.clusters);
  add_seeds(x, draw_rows(x.rows(), few, rng), options.clusters, rng, options.threads, centres);
  if (centres.count < options.clusters && few < x.rows())
    add_seeds(x, draw_rows(x.rows(), x.rows(), rng), options.clusters, rng, options.threads, centres);
  return centres.count > 0 ? improve_centres(x, std::move(centres), options.rounds, options.threads) : centres;
}

}  // namespace

Centres kmeans(const Matrix& x, const KmeansOptions& options) {
  if (options.clusters < 1)
    throw Error("k-means was asked for " + std::to_string(options.clusters) + " clusters", "ask for at least 1");
  if (options.rounds < 0 || options.sample < 0)
    throw Error("k-means was given a negative number of rounds or rows", "give 0 or more");
  KmeansOptions capped = options;
  capped.clusters = std::min(options.clusters, std::max<Index>(1, x.rows()));
  Rng rng(options.seed, 0x6b6d65616e73U);
  if (options.sample == 0 || options.sample >= x.rows()) return cluster_rows(x, capped, rng);
  const auto rows = draw_rows(x.rows(), std::max(options.sample, capped.clusters), rng);
  return cluster_rows(gather_rows(x, rows, options.threads), capped, rng);
}

Centres improve_centres(const Matrix& x, Centres centres, Index rounds, int threads) {
  Assignment assignment = assign(x, centres, threads);
  for (Index round = 0; round < rounds; ++round) {
    const auto empty = move_to_means(x, assignment, threads, centres);
    repair(x, empty, assignment.distance, centres);
    auto next = assign(x, centres, threads);
    const bool settled = next.cluster == assignment.cluster && empty.empty();
    assignment = std::move(next);
    if (settled) break;
  }
  drop_unused(assignment.cluster, centres);
  return centres;
}

std::vector<std::int32_t> assign_clusters(const Matrix& x, const Centres& centres, int threads) {
  if (centres.count == 0 || centres.dim != x.cols())
    throw Error("the centres have " + std::to_string(centres.dim) + " columns and there are " +
                std::to_string(centres.count) + " of them, but the rows have " + std::to_string(x.cols()) + " columns");
  return assign(x, centres, threads).cluster;
}

}  // namespace s3gd
