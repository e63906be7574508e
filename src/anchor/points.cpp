#include "anchor/points.hpp"

#include <array>
#include <limits>
#include <tuple>

#include "anchor/anchors.hpp"
#include "data/assemble.hpp"
#include "kernel/blas.hpp"

namespace s3gd {
namespace {

// The distance written out over all columns, for a CSR row and a point that nearly coincide.
template <class T, class I>
double spelled_out_distance(const CsrView<T, I>& x, Index i, const Points<T>& points, Index j) {
  double sum = 0;
  auto k = x.starts[i];
  for (Index c = 0; c < x.cols; ++c) {
    double difference = -static_cast<double>(points.row(j)[c]);
    if (k < x.starts[i + 1] && static_cast<Index>(x.columns[k]) == c) difference += static_cast<double>(x.values[k++]);
    sum += difference * difference;
  }
  return sum;
}

// Calls f with the view of rows that hold numbers of type T.
template <class T, class F>
auto with_view(const Matrix& x, const F& f) {
  if (const auto* dense = std::get_if<DenseView<T>>(&x.view())) return f(*dense);
  if (const auto* narrow = std::get_if<CsrView<T, std::int32_t>>(&x.view())) return f(*narrow);
  return f(std::get<CsrView<T, std::int64_t>>(x.view()));
}

template <class T>
double square_of(std::span<const T> values) {
  std::array<double, 4> sums{};  // four chains, so that the additions overlap
  std::size_t k = 0;
  for (; k + 4 <= values.size(); k += 4)
    for (std::size_t c = 0; c < 4; ++c) {
      const auto value = static_cast<double>(values[k + c]);
      sums[c] += value * value;
    }
  for (; k < values.size(); ++k) sums[0] += static_cast<double>(values[k]) * static_cast<double>(values[k]);
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

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
void rank_anchors(const Matrix& x, Index i, const Points<T>& anchors, double largest_square, Kernel kernel,
                  const T* values, std::vector<T>& smallest, std::vector<Neighbour>& candidates) {
  const double square = exact_square(x, i);
  const double rounding = distance_rounding<T>(x.cols()) * (square + largest_square);
  const Index k = std::ssize(smallest);
  const T limit = kth_smallest(values, anchors.count, k, smallest.data()) + static_cast<T>(3 * rounding);
  candidates.clear();
  for (Index j = 0; j < anchors.count; ++j)
    if (!(values[j] > limit))  // also when one of them overflowed to NaN
      candidates.push_back({square + static_cast<double>(values[j]), static_cast<std::int32_t>(j)});
  std::sort(candidates.begin(), candidates.end());
  if (settled(candidates, k, rounding, kernel)) return;
  for (Neighbour& candidate : candidates) candidate.distance = exact_distance(x, i, square, anchors, candidate.anchor);
  std::partial_sort(candidates.begin(), candidates.begin() + k, candidates.end());
}

// As find_neighbours().
template <class T>
void find_among(const Points<T>& anchors, const Matrix& x, Index begin, Index end, Index k, Kernel kernel,
                std::int32_t* neighbours, float* gammas) {
  const double largest_square = *std::max_element(anchors.squares.begin(), anchors.squares.end());
  const std::vector<T> squares(anchors.squares.begin(), anchors.squares.end());
  std::vector<T> products(at(kRowsPerBlock * anchors.count)), smallest(at(k));
  std::vector<double> distances(at(k));
  std::vector<Neighbour> candidates;
  for (Index block = begin; block < end; block += kRowsPerBlock) {
    const Index block_end = std::min(end, block + kRowsPerBlock);
    row_products(x, block, block_end, anchors, products.data());
    for (Index i = block; i < block_end; ++i, neighbours += k, gammas += k) {
      T* values = products.data() + (i - block) * anchors.count;
      for (Index j = 0; j < anchors.count; ++j) values[j] = squares[at(j)] - 2 * values[j];
      rank_anchors(x, i, anchors, largest_square, kernel, values, smallest, candidates);
      for (Index j = 0; j < k; ++j) {
        neighbours[j] = candidates[at(j)].anchor;
        distances[at(j)] = candidates[at(j)].distance;
      }
      kernel_weights(kernel, distances, gammas);
    }
  }
}

}  // namespace

template <class T>
Points<T>::Points(std::vector<T> point_rows, Index point_count, Index dimension)
    : count(point_count), dim(dimension), rows(std::move(point_rows)), squares(at(count)) {
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const auto value = static_cast<double>(rows[k]);
    squares[k / at(dim)] += value * value;
  }
  columns.resize(rows.size());
  transpose(rows.data(), count, dim, columns.data());
}

template <class T>
void row_products(const Matrix& x, Index begin, Index end, const Points<T>& points, T* out) {
  with_view<T>(x, [&, out](const auto& view) {
    if constexpr (is_dense_view<std::decay_t<decltype(view)>>)
      blas::gemm(blas::Op::plain, blas::Op::transposed, end - begin, points.count, view.cols, T(1), view.row(begin),
                 view.stride, points.rows.data(), points.dim, T(0), out, points.count);
    else
      for (Index i = begin; i < end; ++i)
        kernel::gather_rows(view.values + view.starts[i], view.columns + view.starts[i], view.row_nonzeros(i),
                            points.columns.data(), points.count, out + (i - begin) * points.count);
  });
}

double exact_square(const Matrix& x, Index i) {
  return x.visit([&](const auto& view) {
    if constexpr (is_dense_view<std::decay_t<decltype(view)>>)
      return row_square(view, i);
    else
      return square_of(row_values(view, i));
  });
}

template <class T>
double exact_distance(const Matrix& x, Index i, double square, const Points<T>& points, Index j) {
  return with_view<T>(x, [&](const auto& view) {
    if constexpr (is_dense_view<std::decay_t<decltype(view)>>) {
      return kernel::squared_distance(view.row(i), points.row(j), view.cols);
    } else {
      const auto start = view.starts[i];
      const double product =
          kernel::sparse_dot(view.values + start, view.columns + start, view.row_nonzeros(i), points.row(j));
      const double size = square + points.squares[at(j)];
      const double distance = size - 2 * product;
      constexpr double kCancelled = 1e-6;  // keeps ten digits of the distance in double
      return distance > kCancelled * size ? distance : spelled_out_distance(view, i, points, j);
    }
  });
}

template <class T>
double distance_rounding(Index dim) {
  return static_cast<double>(std::numeric_limits<T>::epsilon()) * (8 + std::sqrt(static_cast<double>(dim)));
}

#define S3GD_INSTANTIATE(T)                                                              \
  template struct Points<T>;                                                             \
  template void row_products(const Matrix&, Index, Index, const Points<T>&, T*);         \
  template double exact_distance(const Matrix&, Index, double, const Points<T>&, Index); \
  template double distance_rounding<T>(Index);
S3GD_INSTANTIATE(float)
S3GD_INSTANTIATE(double)
#undef S3GD_INSTANTIATE

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

AnyPoints points_of(const Matrix& x, const std::vector<Index>& rows) {
  if (x.precision() == Precision::float32) return Points<float>(dense_rows<float>(x, rows), std::ssize(rows), x.cols());
  return Points<double>(dense_rows<double>(x, rows), std::ssize(rows), x.cols());
}

void find_neighbours(const Matrix& x, Index begin, Index end, const AnyPoints& anchors, Index k, Kernel kernel,
                     std::int32_t* neighbours, float* gammas) {
  std::visit([&](const auto& points) { find_among(points, x, begin, end, k, kernel, neighbours, gammas); }, anchors);
}

NeighbourLists find_all_neighbours(const Matrix& x, const std::vector<Index>& anchor_rows, Index k, Kernel kernel,
                                   int threads) {
  NeighbourLists lists;
  lists.neighbours.resize(at(x.rows() * k));
  lists.gammas.resize(lists.neighbours.size());
  const AnyPoints anchors = points_of(x, anchor_rows);
  parallel_ranges(x.rows(), 16 * kRowsPerBlock, threads, [&](Index begin, Index end, Index) {
    find_neighbours(x, begin, end, anchors, k, kernel, lists.neighbours.data() + begin * k,
                    lists.gammas.data() + begin * k);
  });
  return lists;
}

}  // namespace s3gd
