#include "anchor/kmeans.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "anchor/points.hpp"
#include "base/index.hpp"
#include "base/random.hpp"
#include "base/threads.hpp"
#include "s3gd/error.hpp"

namespace s3gd {
namespace {

constexpr Index kRowsPerChunk = 256;
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

template <class View>
Points<typename View::Value> make_points(const View&, const Centres& centres) {
  using T = typename View::Value;
  return Points<T>({centres.values.begin(), centres.values.end()}, centres.count, centres.dim);
}

struct Assignment {
  std::vector<std::int32_t> cluster;
  std::vector<double> distance;  // squared, up to rounding
};

template <class View>
Assignment assign(const View& x, const Centres& centres, int threads) {
  using T = typename View::Value;
  const auto points = make_points(x, centres);
  const std::vector<T> squares(points.squares.begin(), points.squares.end());
  Assignment result{std::vector<std::int32_t>(at(x.rows)), std::vector<double>(at(x.rows))};
  parallel_ranges(x.rows, kRowsPerChunk, threads, [&](Index begin, Index end, Index) {
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

// Adds centres, each a row drawn with probability proportional to its weight times the squared distance to the
// nearest centre so far, until there are enough or no row is left that differs from all of them.
template <class View>
void add_seeds(const View& x, std::span<const Index> rows, std::span<const double> weights, Index wanted, Rng& rng,
               int threads, Centres& centres) {
  using T = typename View::Value;
  std::vector<double> nearest(rows.size(), std::numeric_limits<double>::infinity());
  std::vector<double> squares;
  for (const Index i : rows) squares.push_back(exact_square(x, i));
  const auto approach = [&](Index j) {
    const Points<T> point({centres.row(j), centres.row(j) + centres.dim}, 1, centres.dim);
    parallel_ranges(static_cast<Index>(rows.size()), kRowsPerChunk, threads, [&](Index begin, Index end, Index) {
      for (Index r = begin; r < end; ++r)
        nearest[at(r)] = std::min(nearest[at(r)], exact_distance(x, rows[at(r)], squares[at(r)], point, 0));
    });
  };
  const auto chance = [&](std::size_t r) {
    const double weight = weights.empty() ? 1.0 : weights[at(rows[r])];
    return centres.count == 0 ? weight : weight * nearest[r];
  };
  for (Index j = 0; j < centres.count; ++j) approach(j);
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
    approach(centres.count++);
  }
}

// The rows of each cluster, ascending: order[starts[j] .. starts[j + 1]).
struct Members {
  std::vector<Index> starts;
  std::vector<Index> order;

  Members(const std::vector<std::int32_t>& cluster, Index clusters) : starts(at(clusters) + 1, 0) {
    for (const auto j : cluster) ++starts[at(j) + 1];
    std::partial_sum(starts.begin(), starts.end(), starts.begin());
    order.resize(cluster.size());
    auto next = starts;
    for (std::size_t i = 0; i < cluster.size(); ++i) order[at(next[at(cluster[i])]++)] = static_cast<Index>(i);
  }
};

// Every centre becomes the weighted mean of its rows; returns the clusters that had none.
template <class View>
std::vector<Index> move_to_means(const View& x, const Assignment& assignment, std::span<const double> weights,
                                 int threads, Centres& centres) {
  const Members members(assignment.cluster, centres.count);
  std::vector<double> mass(at(centres.count), 0.0);
  parallel_for(centres.count, threads, [&](Index j) {
    std::vector<double> sum(at(centres.dim), 0.0);
    for (Index r = members.starts[at(j)]; r < members.starts[at(j) + 1]; ++r) {
      const Index i = members.order[at(r)];
      const double weight = weights.empty() ? 1.0 : weights[at(i)];
      mass[at(j)] += weight;
      if (weight > 0) add_row(weight, x, i, sum.data());
    }
    if (!(mass[at(j)] > 0)) return;
    std::transform(sum.begin(), sum.end(), centres.row(j), [&](double s) { return s / mass[at(j)]; });
  });
  std::vector<Index> empty;
  for (Index j = 0; j < centres.count; ++j)
    if (!(mass[at(j)] > 0)) empty.push_back(j);
  return empty;
}

// Each empty cluster takes over the row that is farthest from the centre it has.
template <class View>
void repair(const View& x, const std::vector<Index>& empty, Assignment assignment, std::span<const double> weights,
            Centres& centres) {
  auto& distance = assignment.distance;
  for (std::size_t i = 0; i < weights.size(); ++i)
    if (!(weights[i] > 0)) distance[i] = 0;
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

// Lloyd's rounds.
template <class View>
void improve(const View& x, Index rounds, std::span<const double> weights, int threads, Centres& centres) {
  Assignment assignment = assign(x, centres, threads);
  for (Index round = 0; round < rounds; ++round) {
    const auto empty = move_to_means(x, assignment, weights, threads, centres);
    repair(x, empty, assignment, weights, centres);
    auto next = assign(x, centres, threads);
    const bool settled = next.cluster == assignment.cluster && empty.empty();
    assignment = std::move(next);
    if (settled) break;
  }
  drop_unused(assignment.cluster, centres);
}

template <class View>
Centres cluster_rows(const View& x, const KmeansOptions& options, std::span<const double> weights, Rng& rng) {
  Centres centres{0, x.cols, {}};
  const Index few = std::min(x.rows, kSeedingRowsPerCluster * options.clusters);
  add_seeds(x, draw_rows(x.rows, few, rng), weights, options.clusters, rng, options.threads, centres);
  if (centres.count < options.clusters && few < x.rows)
    add_seeds(x, draw_rows(x.rows, x.rows, rng), weights, options.clusters, rng, options.threads, centres);
  if (centres.count > 0) improve(x, options.rounds, weights, options.threads, centres);
  return centres;
}

}  // namespace

Centres kmeans(const Matrix& x, const KmeansOptions& options, std::span<const double> weights) {
  if (options.clusters < 1)
    throw Error("k-means was asked for " + std::to_string(options.clusters) + " clusters", "ask for at least 1");
  if (options.rounds < 0 || options.sample < 0)
    throw Error("k-means was given a negative number of rounds or rows", "give 0 or more");
  if (!weights.empty() && static_cast<Index>(weights.size()) != x.rows())
    throw Error("k-means was given " + std::to_string(weights.size()) + " weights for " + std::to_string(x.rows()) +
                " rows");
  KmeansOptions capped = options;
  capped.clusters = std::min(options.clusters, std::max<Index>(1, x.rows()));
  Rng rng(options.seed, 0x6b6d65616e73U);
  const auto run = [&](const Matrix& rows, std::span<const double> row_weights) {
    return rows.visit([&](const auto& view) { return cluster_rows(view, capped, row_weights, rng); });
  };
  if (options.sample == 0 || options.sample >= x.rows()) return run(x, weights);

  const auto rows = draw_rows(x.rows(), std::max(options.sample, capped.clusters), rng);
  std::vector<double> sample_weights;
  if (!weights.empty())
    for (const Index i : rows) sample_weights.push_back(weights[at(i)]);
  return run(gather_rows(x, rows, options.threads), sample_weights);
}

Centres improve_centres(const Matrix& x, Centres centres, Index rounds, int threads) {
  x.visit([&](const auto& view) { improve(view, rounds, {}, threads, centres); });
  return centres;
}

std::vector<std::int32_t> assign_clusters(const Matrix& x, const Centres& centres, int threads) {
  if (centres.count == 0 || centres.dim != x.cols())
    throw Error("the centres have " + std::to_string(centres.dim) + " columns and there are " +
                std::to_string(centres.count) + " of them, but the rows have " + std::to_string(x.cols()) + " columns");
  return x.visit([&](const auto& view) { return assign(view, centres, threads).cluster; });
}

}  // namespace s3gd
