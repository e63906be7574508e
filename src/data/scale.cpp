#include "s3gd/scale.hpp"

#include "data/assemble.hpp"
#include "data/convert.hpp"
#include "data/row_access.hpp"

namespace s3gd {
namespace {

// 1 / spread, or 1 for a column that does not vary.
std::vector<double> reciprocals(std::vector<double> spreads) {
  for (auto& spread : spreads) {
    const double factor = 1 / spread;
    spread = spread > 0 && std::isfinite(factor) ? factor : 1.0;
  }
  return spreads;
}

Scaling learn_max_abs(const Matrix& x, int threads) {
  const auto largest = [](double& seen, double value) { seen = std::max(seen, value); };
  const auto take = [&](const auto& view, Index i, double* seen) {
    for_each_entry(view, i, [&](Index j, double value) { largest(seen[j], std::abs(value)); });
  };
  return {Scale::max_abs, reciprocals(per_column<double>(x, threads, take, largest)), {}};
}

Scaling learn_standard(const Matrix& x, int threads) {
  struct Sum {
    double sum = 0, held = 0;  // of the entries, and how many there are
  };
  const auto rows = static_cast<double>(std::max<Index>(x.rows(), 1));
  const auto add = [](Sum& total, const Sum& part) { total = {total.sum + part.sum, total.held + part.held}; };
  const auto sums = per_column<Sum>(
      x, threads,
      [&](const auto& view, Index i, Sum* seen) {
        for_each_entry(view, i, [&](Index j, double value) { add(seen[j], {value, 1}); });
      },
      add);
  std::vector<double> mean;
  for (const Sum& column : sums) mean.push_back(column.sum / rows);
  // In two passes, as sum x^2 - n mean^2 cancels. Entries that are not held are zeros, each mean^2 away from the mean:
  // what they add is counted off the entries that are held.
  auto squares = per_column<double>(
      x, threads,
      [&](const auto& view, Index i, double* seen) {
        for_each_entry(view, i,
                       [&](Index j, double value) { seen[j] += (value - mean[at(j)]) * (value - mean[at(j)]); });
      },
      [](double& total, double part) { total += part; });
  for (std::size_t j = 0; j < squares.size(); ++j) {
    if (!x.is_dense()) squares[j] += (rows - sums[j].held) * mean[j] * mean[j];
    squares[j] = std::sqrt(squares[j] / rows);
  }
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
    View result = view;
    if constexpr (is_dense_view<View>) result.stride = view.cols;
    const auto start = [&](Index i) {
      if constexpr (is_dense_view<View>)
        return i * view.cols;
      else
        return view.rows == 0 ? 0 : view.starts[i];
    };
    const auto [values, kept_values] = room_for<T>(start(view.rows));
    parallel_ranges(view.rows, kRowsPerChunk, threads, [&, to = values](Index begin, Index end, Index) {
      for (Index i = begin; i < end; ++i) {
        T* place = to + start(i);
        const auto transform = value_of(view, i);
        for_each_entry(view, i, [&](Index j, T value) { *place++ = static_cast<T>(transform(j, value)); });
      }
    });
    result.values = values;
    return Matrix(result,
                  std::make_shared<const std::pair<Array<T>, std::shared_ptr<const void>>>(kept_values, x.owner()));
  });
}

Matrix scaled_columns(const Matrix& x, const Scaling& scaling, int threads) {
  if (at(x.cols()) != scaling.factor.size())
    throw Error("the scaling was learnt on " + std::to_string(scaling.factor.size()) + " columns, the data has " +
                    std::to_string(x.cols()),
                "load both with the same number of columns");
  return transformed(x, threads, [&](const auto&, Index) {
    return [&](Index j, double value) {
      const auto column = at(j);
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
