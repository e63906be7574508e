#include "anchor/anchors.hpp"

#include <algorithm>
#include <limits>
#include <tuple>
#include <unordered_map>

#include "anchor/kmeans.hpp"
#include "anchor/points.hpp"
#include "anchor/row_checksum.hpp"
#include "base/threads.hpp"
#include "s3gd/error.hpp"

namespace s3gd {
namespace {

constexpr Index kRowsPerBlock = 256;
constexpr Index kBlocksPerChunk = 8;
constexpr Index kCandidates = 4;  // nearest rows remembered for each centre

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

struct Candidate {
  double distance = std::numeric_limits<double>::infinity();
  Index row = -1;
  bool operator<(const Candidate& other) const { return std::tie(distance, row) < std::tie(other.distance, other.row); }
};

// The kCandidates nearest rows of every centre, nearest first, unfilled places with row -1.
class NearestRows {
 public:
  explicit NearestRows(Index centres)
      : kept_(at(centres * kCandidates)), worst_(at(centres), std::numeric_limits<double>::infinity()) {}

  double worst(Index j) const { return worst_[at(j)]; }
  std::span<const Candidate> of(Index j) const { return {kept_.data() + j * kCandidates, at(kCandidates)}; }

  void add(Index j, Candidate candidate) {
    Candidate* const first = kept_.data() + j * kCandidates;
    Candidate* place = first + kCandidates - 1;
    if (!(candidate < *place)) return;
    for (; place > first && candidate < place[-1]; --place) *place = place[-1];
    *place = candidate;
    worst_[at(j)] = first[kCandidates - 1].distance;
  }

 private:
  std::vector<Candidate> kept_;
  std::vector<double> worst_;
};

template <class View>
NearestRows scan_rows(const View& x, const Points<typename View::Value>& points, int threads) {
  using T = typename View::Value;
  const std::vector<T> squares(points.squares.begin(), points.squares.end());
  constexpr Index kRowsPerChunk = kRowsPerBlock * kBlocksPerChunk;
  std::vector<NearestRows> found(at((x.rows + kRowsPerChunk - 1) / kRowsPerChunk), NearestRows(points.count));
  parallel_ranges(x.rows, kRowsPerChunk, threads, [&](Index begin, Index end, Index chunk) {
    std::vector<T> products(at(kRowsPerBlock * points.count));
    auto& nearest = found[at(chunk)];
    for (Index block = begin; block < end; block += kRowsPerBlock) {
      const Index block_end = std::min(end, block + kRowsPerBlock);
      row_products(x, block, block_end, points, products.data());
      for (Index i = block; i < block_end; ++i) {
        const T* product = products.data() + (i - block) * points.count;
        const double square = row_square(x, i);
        for (Index j = 0; j < points.count; ++j) {
          const double distance = square + static_cast<double>(squares[at(j)] - 2 * product[j]);
          if (distance < nearest.worst(j)) nearest.add(j, {distance, i});
        }
      }
    }
  });
  NearestRows all(points.count);
  for (const auto& part : found)
    for (Index j = 0; j < points.count; ++j)
      for (const auto& candidate : part.of(j))
        if (candidate.row >= 0) all.add(j, candidate);
  return all;
}

// Rows by content: take() says whether a row differs from all taken before, and takes it if so.
class DistinctRows {
 public:
  explicit DistinctRows(const Matrix& x) : x_(x) {}

  bool take(Index row) {
    const auto key = row_checksum(x_, row);
    const auto [first, last] = taken_.equal_range(key);
    for (auto it = first; it != last; ++it)
      if (rows_equal(x_, it->second, row)) return false;
    taken_.emplace(key, row);
    return true;
  }

 private:
  const Matrix& x_;
  std::unordered_multimap<std::uint64_t, Index> taken_;
};

template <class View>
std::vector<Candidate> by_exact_distance(const View& x, const Points<typename View::Value>& points, Index j,
                                         std::span<const Candidate> candidates) {
  std::vector<Candidate> sorted;
  for (const auto& candidate : candidates)
    if (candidate.row >= 0) sorted.push_back({exact_distance(x, candidate.row, points, j), candidate.row});
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

template <class View>
std::vector<Index> nearest_distinct_rows(const View& view, const Matrix& x, const Centres& centres, Index wanted,
                                         int threads) {
  using T = typename View::Value;
  const std::vector<T> values(centres.values.begin(), centres.values.end());
  const Points<T> points(values, centres.count, centres.dim, !is_dense_view<View>);
  const auto nearest = scan_rows(view, points, threads);
  DistinctRows distinct(x);
  std::vector<Index> anchors;
  for (Index j = 0; j < points.count; ++j)
    for (const auto& candidate : by_exact_distance(view, points, j, nearest.of(j)))
      if (distinct.take(candidate.row)) {
        anchors.push_back(candidate.row);
        break;
      }
  // Centres crowded out by duplicates, or never found because distinct rows are rare: any new row will do.
  for (Index i = 0; i < view.rows && static_cast<Index>(anchors.size()) < wanted; ++i)
    if (distinct.take(i)) anchors.push_back(i);
  return anchors;
}

}  // namespace

std::vector<Index> choose_anchors(const Matrix& x, const GraphOptions& options) {
  const Index wanted = std::min(options.anchors, x.rows());
  KmeansOptions clustering;
  clustering.clusters = wanted;
  clustering.sample = options.sample_per_anchor > x.rows() / wanted ? 0 : options.sample_per_anchor * wanted;
  clustering.rounds = options.rounds;
  clustering.seed = options.seed;
  clustering.threads = options.threads;
  const Centres centres = kmeans(x, clustering);
  return x.visit([&](const auto& view) { return nearest_distinct_rows(view, x, centres, wanted, options.threads); });
}

template <class T>
std::vector<T> dense_rows(const Matrix& x, const std::vector<Index>& rows) {
  std::vector<T> values(rows.size() * at(x.cols()));
  x.visit([&](const auto& view) {
    for (std::size_t j = 0; j < rows.size(); ++j) expand_row(view, rows[j], values.data() + j * at(view.cols));
  });
  return values;
}

template std::vector<float> dense_rows<float>(const Matrix&, const std::vector<Index>&);
template std::vector<double> dense_rows<double>(const Matrix&, const std::vector<Index>&);

}  // namespace s3gd
