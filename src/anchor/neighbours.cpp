#include "anchor/neighbours.hpp"

#include <algorithm>
#include <limits>
#include <tuple>

#include "anchor/anchors.hpp"
#include "base/index.hpp"
#include "base/threads.hpp"

namespace s3gd {
namespace {

constexpr Index kRowsPerBlock = 64;  // dense rows are read twice: they should still be in the second cache

struct Neighbour {
  double distance;
  std::int32_t anchor;
  bool operator<(const Neighbour& other) const {
    return std::tie(distance, anchor) < std::tie(other.distance, other.anchor);
  }
};

// The k-th smallest of the values (k at most their number); `smallest` is scratch of k. A NaN counts as infinite.
template <class T>
T kth_smallest(const T* values, Index count, Index k, T* smallest) {
  std::fill(smallest, smallest + k, std::numeric_limits<T>::infinity());
  T worst = smallest[k - 1];
  for (Index j = 0; j < count; ++j) {
    if (!(values[j] < worst)) continue;
    Index place = k - 1;
    for (; place > 0 && values[j] < smallest[place - 1]; --place) smallest[place] = smallest[place - 1];
    smallest[place] = values[j];
    worst = smallest[k - 1];
  }
  return worst;
}

// Working memory of one block.
template <class T>
struct Scratch {
  Scratch(const Points<T>& anchors, Index k)
      : products(at(kRowsPerBlock * anchors.count)),
        squares(anchors.squares.begin(), anchors.squares.end()),
        smallest(at(k)),
        distances(at(k)) {
    largest_square = *std::max_element(anchors.squares.begin(), anchors.squares.end());
  }
  std::vector<T> products;
  std::vector<T> squares;
  std::vector<T> smallest;
  std::vector<double> distances;
  std::vector<Neighbour> candidates;
  double largest_square = 0;
};

double kernel_width(Kernel kernel, double nearest) {  // sigma^2
  return kernel == Kernel::paper ? std::max(1e-8, std::sqrt(nearest)) : nearest;
}

// Whether distances known to within `rounding` already tell which anchors are nearest, in which order, and their
// weights to a ten-thousandth.
bool settled(const std::vector<Neighbour>& sorted, Index k, double rounding, Kernel kernel) {
  constexpr double kWeightError = 1e-4;
  if (static_cast<Index>(sorted.size()) != k) return false;
  if (!(2 * rounding <= kWeightError * kernel_width(kernel, sorted.front().distance))) return false;
  for (std::size_t j = 1; j < sorted.size(); ++j)
    if (!(sorted[j].distance - sorted[j - 1].distance > 2 * rounding)) return false;
  return true;
}

// The candidates of row i: every anchor that could be among its k nearest given the rounding of `values`
// (||z||^2 - 2 x.z), the k nearest in front and in order; distances are made exact where the rounding could matter.
template <class T>
void rank_anchors(const Matrix& x, Index i, const Points<T>& anchors, Index k, Kernel kernel, const T* values,
                  Scratch<T>& scratch) {
  const double square = exact_square(x, i);
  const double rounding = distance_rounding<T>(x.cols()) * (square + scratch.largest_square);
  const T limit = kth_smallest(values, anchors.count, k, scratch.smallest.data()) + static_cast<T>(3 * rounding);
  auto& candidates = scratch.candidates;
  candidates.clear();
  for (Index j = 0; j < anchors.count; ++j)
    if (!(values[j] > limit))  // also when one of them overflowed to NaN
      candidates.push_back({square + static_cast<double>(values[j]), static_cast<std::int32_t>(j)});
  std::sort(candidates.begin(), candidates.end());
  if (settled(candidates, k, rounding, kernel)) return;
  for (Neighbour& candidate : candidates) candidate.distance = exact_distance(x, i, square, anchors, candidate.anchor);
  std::partial_sort(candidates.begin(), candidates.begin() + k, candidates.end());
}

}  // namespace

void kernel_weights(Kernel kernel, std::span<const double> distances, float* gammas) {
  const double nearest = distances.front();
  const double width = kernel_width(kernel, nearest);
  double sum = 0;
  for (std::size_t j = 0; j < distances.size(); ++j) {
    const double excess = distances[j] - nearest;  // the nearest one's weight is 1: no 0/0 when all underflow
    const double weight = j == 0 || excess == 0 ? 1.0 : std::exp(-excess / width);
    gammas[j] = static_cast<float>(std::isfinite(weight) ? weight : 0.0);
    sum += static_cast<double>(gammas[j]);
  }
  for (std::size_t j = 0; j < distances.size(); ++j)
    gammas[j] = static_cast<float>(static_cast<double>(gammas[j]) / sum);
}

template <class T>
void find_neighbours(const Matrix& x, Index begin, Index end, const Points<T>& anchors, Index k, Kernel kernel,
                     std::int32_t* neighbours, float* gammas) {
  Scratch<T> scratch(anchors, k);
  for (Index block = begin; block < end; block += kRowsPerBlock) {
    const Index block_end = std::min(end, block + kRowsPerBlock);
    row_products(x, block, block_end, anchors, scratch.products.data());
    for (Index i = block; i < block_end; ++i, neighbours += k, gammas += k) {
      T* values = scratch.products.data() + (i - block) * anchors.count;
      for (Index j = 0; j < anchors.count; ++j) values[j] = scratch.squares[at(j)] - 2 * values[j];
      rank_anchors(x, i, anchors, k, kernel, values, scratch);
      for (Index j = 0; j < k; ++j) {
        const auto& neighbour = scratch.candidates[at(j)];
        neighbours[j] = neighbour.anchor;
        scratch.distances[at(j)] = neighbour.distance;
      }
      kernel_weights(kernel, scratch.distances, gammas);
    }
  }
}

NeighbourLists find_all_neighbours(const Matrix& x, const std::vector<Index>& anchor_rows, Index k, Kernel kernel,
                                   int threads) {
  NeighbourLists lists;
  lists.neighbours.resize(at(x.rows() * k));
  lists.gammas.resize(lists.neighbours.size());
  const auto find = [&]<class T>(T) {
    const Points<T> anchors(dense_rows<T>(x, anchor_rows), std::ssize(anchor_rows), x.cols());
    parallel_ranges(x.rows(), 16 * kRowsPerBlock, threads, [&](Index begin, Index end, Index) {
      find_neighbours(x, begin, end, anchors, k, kernel, lists.neighbours.data() + begin * k,
                      lists.gammas.data() + begin * k);
    });
  };
  x.precision() == Precision::float32 ? find(float()) : find(double());
  return lists;
}

template void find_neighbours(const Matrix&, Index, Index, const Points<float>&, Index, Kernel, std::int32_t*, float*);
template void find_neighbours(const Matrix&, Index, Index, const Points<double>&, Index, Kernel, std::int32_t*, float*);

}  // namespace s3gd
