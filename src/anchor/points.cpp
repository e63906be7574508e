#include "anchor/points.hpp"

#include <array>
#include <limits>

#include "base/index.hpp"
#include "kernel/blas.hpp"

namespace s3gd {
namespace {

template <class T>
std::vector<T> transposed(std::span<const T> rows, Index count, Index dim) {
  constexpr Index kTile = 32;  // a tile of both layouts fits the first cache
  std::vector<T> columns(rows.size());
  for (Index j0 = 0; j0 < count; j0 += kTile)
    for (Index c0 = 0; c0 < dim; c0 += kTile)
      for (Index j = j0; j < std::min(count, j0 + kTile); ++j)
        for (Index c = c0; c < std::min(dim, c0 + kTile); ++c) columns[at(c * count + j)] = rows[at(j * dim + c)];
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

}  // namespace

template <class T>
Points<T>::Points(std::vector<T> point_rows, Index point_count, Index dimension)
    : count(point_count), dim(dimension), rows(std::move(point_rows)), squares(at(count)) {
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const auto value = static_cast<double>(rows[k]);
    squares[k / at(dim)] += value * value;
  }
  columns = transposed<T>(rows, count, dim);
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

}  // namespace s3gd
