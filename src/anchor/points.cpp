#include "anchor/points.hpp"

#include <array>
#include <cmath>
#include <limits>

#include "kernel/blas.hpp"
#include "kernel/distance.hpp"
#include "kernel/kernel.hpp"

namespace s3gd {
namespace {

template <class T>
std::vector<T> transposed(std::span<const T> rows, Index count, Index dim) {
  constexpr Index kTile = 32;  // a tile of both layouts fits the first cache
  std::vector<T> columns(rows.size());
  for (Index j0 = 0; j0 < count; j0 += kTile)
    for (Index c0 = 0; c0 < dim; c0 += kTile)
      for (Index j = j0; j < std::min(count, j0 + kTile); ++j)
        for (Index c = c0; c < std::min(dim, c0 + kTile); ++c)
          columns[static_cast<std::size_t>(c * count + j)] = rows[static_cast<std::size_t>(j * dim + c)];
  return columns;
}

// The distance written out over all columns, for a CSR row and a point that nearly coincide.
template <class T, class I>
double spelled_out_distance(const CsrView<T, I>& x, Index i, const Points<T>& points, Index j) {
  double sum = 0;
  auto k = x.starts[i];
  for (Index c = 0; c < x.cols; ++c) {
    double difference = -static_cast<double>(points.at(j, c));
    if (k < x.starts[i + 1] && static_cast<Index>(x.columns[k]) == c) difference += static_cast<double>(x.values[k++]);
    sum += difference * difference;
  }
  return sum;
}

}  // namespace

template <class T>
Points<T>::Points(std::span<const T> rows, Index point_count, Index dimension, bool want_by_column)
    : count(point_count), dim(dimension), by_column(want_by_column) {
  squares.assign(static_cast<std::size_t>(count), 0.0);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const auto value = static_cast<double>(rows[k]);
    squares[k / static_cast<std::size_t>(dim)] += value * value;
  }
  values = by_column ? transposed(rows, count, dim) : std::vector<T>(rows.begin(), rows.end());
}

template <class T>
void row_products(const DenseView<T>& x, Index begin, Index end, const Points<T>& points, T* out) {
  blas::gemm(blas::Op::plain, blas::Op::transposed, end - begin, points.count, x.cols, T(1), x.row(begin), x.stride,
             points.values.data(), points.dim, T(0), out, points.count);
}

template <class T, class I>
void row_products(const CsrView<T, I>& x, Index begin, Index end, const Points<T>& points, T* out) {
  constexpr Index kBatch = 64;
  std::array<double, kBatch> coefficients;
  std::array<const T*, kBatch> columns;
  for (Index i = begin; i < end; ++i, out += points.count) {
    std::fill(out, out + points.count, T(0));
    for (auto k = x.starts[i]; k < x.starts[i + 1];) {
      const auto batch = std::min<Index>(kBatch, x.starts[i + 1] - k);
      for (std::size_t b = 0; b < static_cast<std::size_t>(batch); ++b, ++k) {
        coefficients[b] = static_cast<double>(x.values[k]);
        columns[b] = points.values.data() + static_cast<Index>(x.columns[k]) * points.count;
      }
      kernel::axpy_rows(coefficients.data(), columns.data(), batch, out, points.count);
    }
  }
}

template <class T>
double exact_distance(const DenseView<T>& x, Index i, const Points<T>& points, Index j) {
  return kernel::squared_distance(x.row(i), points.values.data() + j * points.dim, x.cols);
}

template <class T, class I>
double exact_distance(const CsrView<T, I>& x, Index i, const Points<T>& points, Index j) {
  double product = 0, square = 0;
  for (auto k = x.starts[i]; k < x.starts[i + 1]; ++k) {
    const auto value = static_cast<double>(x.values[k]);
    product += value * static_cast<double>(points.at(j, static_cast<Index>(x.columns[k])));
    square += value * value;
  }
  const double size = square + points.squares[static_cast<std::size_t>(j)];
  const double distance = size - 2 * product;
  constexpr double kCancelled = 1e-6;  // keeps ten digits of the distance in double
  return distance > kCancelled * size ? distance : spelled_out_distance(x, i, points, j);
}

template <class T>
double distance_rounding(Index dim) {
  return static_cast<double>(std::numeric_limits<T>::epsilon()) * (8 + std::sqrt(static_cast<double>(dim)));
}

#define S3GD_INSTANTIATE(T)                                                                        \
  template struct Points<T>;                                                                       \
  template void row_products(const DenseView<T>&, Index, Index, const Points<T>&, T*);             \
  template void row_products(const CsrView<T, std::int32_t>&, Index, Index, const Points<T>&, T*); \
  template void row_products(const CsrView<T, std::int64_t>&, Index, Index, const Points<T>&, T*); \
  template double exact_distance(const DenseView<T>&, Index, const Points<T>&, Index);             \
  template double exact_distance(const CsrView<T, std::int32_t>&, Index, const Points<T>&, Index); \
  template double exact_distance(const CsrView<T, std::int64_t>&, Index, const Points<T>&, Index); \
  template double distance_rounding<T>(Index);
S3GD_INSTANTIATE(float)
S3GD_INSTANTIATE(double)
#undef S3GD_INSTANTIATE

}  // namespace s3gd
