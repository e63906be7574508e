#include "data/summary.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "base/threads.hpp"

namespace s3gd {
namespace {

constexpr Index kRowsPerChunk = 1024;
constexpr Index kColumnsOverAllChunks = Index{1} << 24;  // bounds the memory of the chunks' column tables

struct ColumnRange {
  double least = std::numeric_limits<double>::infinity();
  double largest = -std::numeric_limits<double>::infinity();
  Index nonzeros = 0;

  void add(double value) {
    if (value == 0) return;
    least = std::min(least, value);
    largest = std::max(largest, value);
    ++nonzeros;
  }
  void add(const ColumnRange& other) {
    least = std::min(least, other.least);
    largest = std::max(largest, other.largest);
    nonzeros += other.nonzeros;
  }
  void add_zeros_up_to(Index rows) {
    if (nonzeros == rows) return;
    least = std::min(least, 0.0);
    largest = std::max(largest, 0.0);
  }
};

// Norms that neither overflow nor vanish, whatever the scale of the row.
template <class T>
double norm_of(const T* values, Index count) {
  double largest = 0, sum = 0;
  for (Index k = 0; k < count; ++k) largest = std::max(largest, std::abs(static_cast<double>(values[k])));
  if (largest == 0) return 0;
  for (Index k = 0; k < count; ++k) {
    const double share = static_cast<double>(values[k]) / largest;
    sum += share * share;
  }
  return largest * std::sqrt(sum);
}

template <class View>
double scan_row(const View& view, Index i, std::vector<ColumnRange>& columns) {
  if constexpr (requires { view.stride; }) {
    for (Index j = 0; j < view.cols; ++j) columns[static_cast<std::size_t>(j)].add(static_cast<double>(view.row(i)[j]));
    return norm_of(view.row(i), view.cols);
  } else {
    for (auto k = view.starts[i]; k < view.starts[i + 1]; ++k)
      columns[static_cast<std::size_t>(view.columns[k])].add(static_cast<double>(view.values[k]));
    return norm_of(view.values + view.starts[i], view.row_nonzeros(i));
  }
}

std::vector<ColumnRange> scan(const Matrix& x, std::vector<double>& norms, int threads) {
  const Index most_chunks = std::clamp<Index>(kColumnsOverAllChunks / std::max<Index>(x.cols(), 1), 1, 16);
  const Index chunk_rows = std::max(kRowsPerChunk, (x.rows() + most_chunks - 1) / most_chunks);
  const Index chunks = (x.rows() + chunk_rows - 1) / chunk_rows;
  const auto cols = static_cast<std::size_t>(x.cols());
  std::vector<std::vector<ColumnRange>> parts(static_cast<std::size_t>(chunks));
  parallel_ranges(x.rows(), chunk_rows, threads, [&](Index begin, Index end, Index chunk) {
    std::vector<ColumnRange> part(cols);
    x.visit([&](const auto& view) {
      for (Index i = begin; i < end; ++i) norms[static_cast<std::size_t>(i)] = scan_row(view, i, part);
    });
    parts[static_cast<std::size_t>(chunk)] = std::move(part);
  });
  std::vector<ColumnRange> columns(cols);
  for (const auto& part : parts)
    for (std::size_t j = 0; j < cols; ++j) columns[j].add(part[j]);
  for (ColumnRange& column : columns) column.add_zeros_up_to(x.rows());
  return columns;
}

void add_columns(const std::vector<ColumnRange>& columns, DataSummary& summary) {
  bool first = true;
  for (const ColumnRange& column : columns) {
    const double scale = std::max(std::abs(column.least), std::abs(column.largest));
    summary.nonzeros += column.nonzeros;
    summary.least = first ? column.least : std::min(summary.least, column.least);
    summary.largest = first ? column.largest : std::max(summary.largest, column.largest);
    first = false;
    if (column.nonzeros == 0) {
      ++summary.zero_columns;
      continue;
    }
    if (column.least == column.largest) ++summary.constant_columns;
    const bool first_scale = summary.largest_column_scale == 0;
    summary.least_column_scale = first_scale ? scale : std::min(summary.least_column_scale, scale);
    summary.largest_column_scale = std::max(summary.largest_column_scale, scale);
  }
}

// The value below which a share q of the sorted numbers lies; the nearest of them, none in between.
std::vector<double> quantiles(std::vector<double> numbers) {
  std::vector<double> result;
  if (numbers.empty()) return result;
  std::sort(numbers.begin(), numbers.end());
  for (const double q : kNormQuantiles)
    result.push_back(numbers[static_cast<std::size_t>(std::llround(q * static_cast<double>(numbers.size() - 1)))]);
  return result;
}

std::uint64_t held_bytes(const Dataset& data) {
  const Index matrix = data.x.visit([](const auto& view) -> Index {
    constexpr Index value_bytes = sizeof(*view.values);
    if constexpr (requires { view.stride; })
      return view.rows * view.stride * value_bytes;
    else
      return view.nonzeros() * (value_bytes + static_cast<Index>(sizeof(*view.columns))) + 8 * (view.rows + 1);
  });
  return static_cast<std::uint64_t>(matrix + 8 * (data.y.values.size() + data.weights.size()));
}

void add_labels(const Labels& labels, DataSummary& summary) {
  if (labels.kind == LabelKind::classes) {
    std::map<double, Index> counts;
    for (const double value : labels.values) ++counts[value];
    for (const auto& [value, rows] : counts) summary.classes.push_back({value, labels.name_of(value), rows});
  } else if (!labels.values.empty()) {
    const auto [least, largest] = std::minmax_element(labels.values.begin(), labels.values.end());
    summary.label_least = *least;
    summary.label_largest = *largest;
    for (const double value : labels.values) summary.label_mean += value / static_cast<double>(labels.values.size());
  }
}

}  // namespace

DataSummary summarise(const Dataset& data, int threads) {
  data.verify(threads);
  DataSummary summary;
  std::vector<double> norms(static_cast<std::size_t>(data.rows()));
  add_columns(scan(data.x, norms, threads), summary);
  const double entries = static_cast<double>(data.rows()) * static_cast<double>(data.cols());
  summary.density = entries > 0 ? static_cast<double>(summary.nonzeros) / entries : 0;
  summary.zero_rows = std::count(norms.begin(), norms.end(), 0.0);
  summary.norm_quantiles = quantiles(std::move(norms));
  summary.memory_bytes = held_bytes(data);
  add_labels(data.y, summary);
  return summary;
}

}  // namespace s3gd
