#include "s3gd/scale.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "base/buffer.hpp"
#include "base/threads.hpp"
#include "data/assemble.hpp"
#include "data/convert.hpp"
#include "data/row_length.hpp"
#include "s3gd/error.hpp"

namespace s3gd {
namespace {

constexpr Index kRowsPerChunk = 1024;

template <class View>
constexpr bool kDense = requires(View view) { view.stride; };

// Calls f(column, value) for the entries of row i that are held.
template <class View, class F>
void for_each_entry(const View& view, Index i, F&& f) {
  if constexpr (kDense<View>) {
    for (Index j = 0; j < view.cols; ++j) f(j, static_cast<double>(view.row(i)[j]));
  } else {
    for (auto k = view.starts[i]; k < view.starts[i + 1]; ++k)
      f(static_cast<Index>(view.columns[k]), static_cast<double>(view.values[k]));
  }
}

// One number for each column, gathered over all entries. Every chunk of rows has a full set of its own, so their
// number is kept low for wide data; it depends on the shape alone, and chunks are merged in order.
template <class Take, class Merge>
std::vector<double> per_column(const Matrix& x, int threads, Take take, Merge merge) {
  const Index most_chunks = std::clamp<Index>((Index{1} << 24) / std::max<Index>(x.cols(), 1), 1, 16);
  const Index chunk_rows = std::max(kRowsPerChunk, (x.rows() + most_chunks - 1) / most_chunks);
  const Index chunks = (x.rows() + chunk_rows - 1) / chunk_rows;
  const auto cols = static_cast<std::size_t>(x.cols());
  std::vector<std::vector<double>> parts(static_cast<std::size_t>(chunks));
  parallel_ranges(x.rows(), chunk_rows, threads, [&](Index begin, Index end, Index chunk) {
    std::vector<double> part(cols);
    x.visit([&](const auto& view) {
      for (Index i = begin; i < end; ++i)
        for_each_entry(view, i, [&](Index j, double value) { take(part[static_cast<std::size_t>(j)], j, value); });
    });
    parts[static_cast<std::size_t>(chunk)] = std::move(part);
  });
  std::vector<double> total(cols);
  for (const auto& part : parts)
    for (std::size_t j = 0; j < cols; ++j) total[j] = merge(total[j], part[j]);
  return total;
}

// 1 / spread, or 1 for a column that does not vary.
std::vector<double> reciprocals(std::vector<double> spreads) {
  for (auto& spread : spreads) {
    const double factor = 1 / spread;
    spread = spread > 0 && std::isfinite(factor) ? factor : 1.0;
  }
  return spreads;
}

double sum(double a, double b) { return a + b; }

Scaling learn_max_abs(const Matrix& x, int threads) {
  auto largest = [](double a, double b) { return std::max(a, b); };
  return {Scale::max_abs,
          reciprocals(per_column(
              x, threads, [](double& seen, Index, double value) { seen = std::max(seen, std::abs(value)); }, largest)),
          {}};
}

Scaling learn_standard(const Matrix& x, int threads) {
  const auto rows = static_cast<double>(std::max<Index>(x.rows(), 1));
  auto mean = per_column(
      x, threads, [](double& seen, Index, double value) { seen += value; }, sum);
  for (auto& value : mean) value /= rows;
  // In two passes, as sum x^2 - n mean^2 cancels. Entries that are not held are zeros, each mean^2 away from the mean:
  // what they add is counted off the entries that are held.
  auto squares = per_column(
      x, threads,
      [&](double& seen, Index j, double value) {
        const double from_mean = value - mean[static_cast<std::size_t>(j)];
        seen += from_mean * from_mean;
      },
      sum);
  if (!x.is_dense()) {
    const auto held = per_column(
        x, threads, [](double& seen, Index, double) { seen += 1; }, sum);
    for (std::size_t j = 0; j < squares.size(); ++j) squares[j] += (rows - held[j]) * mean[j] * mean[j];
  }
  for (auto& value : squares) value = std::sqrt(value / rows);
  Scaling scaling{Scale::standard, reciprocals(std::move(squares)), {}};
  if (!x.is_dense()) return scaling;
  scaling.shift = std::move(mean);
  for (std::size_t j = 0; j < scaling.shift.size(); ++j) scaling.shift[j] *= scaling.factor[j];
  return scaling;
}

// A copy with value(i, j, x_ij) in place of every entry that is held.
template <class F>
Matrix transformed(const Matrix& x, int threads, F&& value_of) {
  return x.visit([&](const auto& view) -> Matrix {
    using View = std::decay_t<decltype(view)>;
    using T = typename View::Value;
    GrowBuffer<T> values;
    if constexpr (kDense<View>)
      values.resize(view.rows * view.cols);
    else
      values.resize(view.rows == 0 ? 0 : view.starts[view.rows]);
    parallel_ranges(view.rows, kRowsPerChunk, threads, [&](Index begin, Index end, Index) {
      for (Index i = begin; i < end; ++i) {
        Index at = 0;
        if constexpr (kDense<View>)
          at = i * view.cols;
        else
          at = view.starts[i];
        const auto transform = value_of(view, i);
        for_each_entry(view, i, [&](Index j, double value) { values[at++] = static_cast<T>(transform(j, value)); });
      }
    });
    auto kept =
        std::make_shared<const std::pair<Array<T>, std::shared_ptr<const void>>>(std::move(values).finish(), x.owner());
    View result = view;
    result.values = kept->first.data();
    if constexpr (kDense<View>) result.stride = view.cols;
    return Matrix(result, kept);
  });
}

Matrix scaled_columns(const Matrix& x, const Scaling& scaling, int threads) {
  if (static_cast<std::size_t>(x.cols()) != scaling.factor.size())
    throw Error("the scaling was learnt on " + std::to_string(scaling.factor.size()) + " columns, the data has " +
                    std::to_string(x.cols()),
                "load both with the same number of columns");
  return transformed(x, threads, [&](const auto&, Index) {
    return [&](Index j, double value) {
      const auto column = static_cast<std::size_t>(j);
      return value * scaling.factor[column] - (scaling.shift.empty() ? 0.0 : scaling.shift[column]);
    };
  });
}

Matrix unit_rows(const Matrix& x, int threads) {
  return transformed(x, threads, [](const auto& view, Index i) {
    return [length = row_length(view, i)](Index, double value) { return length.unit(value); };
  });
}

}  // namespace

Scaling learn_scaling(const Dataset& data, Scale kind, int threads) {
  if (kind == Scale::none || kind == Scale::unit_rows) return {kind, {}, {}};
  data.verify(threads);
  return kind == Scale::max_abs ? learn_max_abs(data.x, threads) : learn_standard(data.x, threads);
}

Dataset apply_scaling(const Dataset& data, const Scaling& scaling, int threads) {
  if (scaling.kind == Scale::none) return data;
  data.verify(threads);
  Dataset scaled = data;
  scaled.verifier = nullptr;
  // A shift moves zeros: it was learnt on dense data, and makes these dense too.
  if (!scaling.shift.empty()) scaled.x = with_layout(data.x, Layout::dense, data.x.precision(), threads);
  scaled.x =
      scaling.kind == Scale::unit_rows ? unit_rows(scaled.x, threads) : scaled_columns(scaled.x, scaling, threads);
  return scaled;
}

}  // namespace s3gd
