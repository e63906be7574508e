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
    double difference = -static_cast<double>(points.row(j)[c]);
    if (k < x.starts[i + 1] && static_cast<Index>(x.columns[k]) == c) difference += static_cast<double>(x.values[k++]);
    sum += difference * difference;
  }
  return sum;
}

}  // namespace

template <class T>
Points<T>::Points(std::vector<T> point_rows, Index point_count, Index dimension)
    : count(point_count), dim(dimension), rows(std::move(point_rows)) {
  squares.assign(static_cast<std::size_t>(count), 0.0);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const auto value = static_cast<double>(rows[k]);
    squares[k / static_cast<std::size_t>(dim)] += value * value;
  }
  columns = transposed<T>(rows, count, dim);
}

template <class T>
void row_products(const DenseView<T>& x, Index begin, Index end, const Points<T>& points, T* out) {
  blas::gemm(blas::Op::plain, blas::Op::transposed, end - begin, points.count, x.cols, T(1), x.row(begin), x.stride,
             points.rows.data(), points.dim, T(0), out, points.count);
}

template <class T, class I>
void row_products(const CsrView<T, I>& x, Index begin, Index end, const Points<T>& points, T* out) {
  for (Index i = begin; i < end; ++i, out += points.count)
    kernel::gather_rows(x.values + x.starts[i], x.columns + x.starts[i], x.row_nonzeros(i), points.columns.data(),
                        points.count, out);
}

template <class T>
double exact_distance(const DenseView<T>& x, Index i, double, const Points<T>& points, Index j) {
  return kernel::squared_distance(x.row(i), points.row(j), x.cols);
}

template <class T>
double exact_square(const DenseView<T>& x, Index i) {
  return kernel::dot(x.row(i), x.row(i), x.cols);
}

template <class T, class I>
double exact_square(const CsrView<T, I>& x, Index i) {
  std::array<double, 4> sums{};  // four chains, so that the additions overlap
  const T* values = x.values + x.starts[i];
  const Index count = x.row_nonzeros(i);
  Index k = 0;
  for (; k + 4 <= count; k += 4)
    for (std::size_t c = 0; c < 4; ++c) {
      const auto value = static_cast<double>(values[k + static_cast<Index>(c)]);
      sums[c] += value * value;
    }
  for (; k < count; ++k) sums[0] += static_cast<double>(values[k]) * static_cast<double>(values[k]);
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

template <class T, class I>
double exact_distance(const CsrView<T, I>& x, Index i, double square, const Points<T>& points, Index j) {
  const auto start = x.starts[i];
  const double product = kernel::sparse_dot(x.values + start, x.columns + start, x.row_nonzeros(i), points.row(j));
  const double size = square + points.squares[static_cast<std::size_t>(j)];
  const double distance = size - 2 * product;
  constexpr double kCancelled = 1e-6;  // keeps ten digits of the distance in double
  return distance > kCancelled * size ? distance : spelled_out_distance(x, i, points, j);
}

template <class T>
double distance_rounding(Index dim) {
  return static_cast<double>(std::numeric_limits<T>::epsilon()) * (8 + std::sqrt(static_cast<double>(dim)));
}

#define S3GD_INSTANTIATE_CSR(T, I)                                                      \
  template void row_products(const CsrView<T, I>&, Index, Index, const Points<T>&, T*); \
  template double exact_square(const CsrView<T, I>&, Index);                            \
  template double exact_distance(const CsrView<T, I>&, Index, double, const Points<T>&, Index);
#define S3GD_INSTANTIATE(T)                                                                    \
  template struct Points<T>;                                                                   \
  template void row_products(const DenseView<T>&, Index, Index, const Points<T>&, T*);         \
  template double exact_square(const DenseView<T>&, Index);                                    \
  template double exact_distance(const DenseView<T>&, Index, double, const Points<T>&, Index); \
  S3GD_INSTANTIATE_CSR(T, std::int32_t)                                                        \
  S3GD_INSTANTIATE_CSR(T, std::int64_t)                                                        \
  template double distance_rounding<T>(Index);
S3GD_INSTANTIATE(float)
S3GD_INSTANTIATE(double)
#undef S3GD_INSTANTIATE
#undef S3GD_INSTANTIATE_CSR

}  // namespace s3gd
