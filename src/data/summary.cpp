#include "data/summary.hpp"

#include <map>

#include "data/assemble.hpp"
#include "data/row_access.hpp"

namespace s3gd {
namespace {

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

std::vector<ColumnRange> scan(const Matrix& x, std::vector<double>& norms, int threads) {
  auto columns = per_column<ColumnRange>(
      x, threads,
      [&](const auto& view, Index i, ColumnRange* seen) {
        for_each_entry(view, i, [&](Index j, double value) { seen[j].add(value); });
        const RowLength length = row_length(view, i);
        norms[at(i)] = length.largest * length.rest;
      },
      [](ColumnRange& total, const ColumnRange& part) { total.add(part); });
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
    result.push_back(numbers[at(std::llround(q * static_cast<double>(numbers.size() - 1)))]);
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
  std::vector<double> norms(at(data.rows()));
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
