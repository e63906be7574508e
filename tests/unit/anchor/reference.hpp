// Slow, obvious counterparts of the anchor layer, and small generated data in every layout.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "base/random.hpp"
#include "s3gd/graph.hpp"

namespace s3gd::reference {

using Table = std::vector<std::vector<double>>;

// Rows in a few clumps, a share of the entries zero, every number exactly a float.
inline Table clumped_rows(Index rows, Index cols, std::uint64_t seed, double scale = 1.0, double zero_share = 0.4) {
  Rng rng(seed);
  Table centres(7, std::vector<double>(static_cast<std::size_t>(cols)));
  for (auto& centre : centres)
    for (auto& value : centre) value = 2 * rng.normal();
  Table table;
  for (Index i = 0; i < rows; ++i) {
    auto row = centres[static_cast<std::size_t>(rng.below(7))];
    for (auto& value : row)
      value =
          rng.uniform() < zero_share ? 0.0 : static_cast<double>(static_cast<float>(scale * (value + rng.normal())));
    table.push_back(row);
  }
  return table;
}

template <class T>
Matrix dense(const Table& table) {
  std::vector<T> values;
  for (const auto& row : table)
    for (const double value : row) values.push_back(static_cast<T>(value));
  return Matrix::own_dense(std::move(values), static_cast<Index>(table.size()), static_cast<Index>(table[0].size()));
}

template <class T, class I>
Matrix csr(const Table& table) {
  std::vector<T> values;
  std::vector<I> columns;
  std::vector<std::int64_t> starts{0};
  for (const auto& row : table) {
    for (std::size_t j = 0; j < row.size(); ++j)
      if (row[j] != 0) {
        values.push_back(static_cast<T>(row[j]));
        columns.push_back(static_cast<I>(j));
      }
    starts.push_back(static_cast<std::int64_t>(values.size()));
  }
  return Matrix::own_csr(std::move(values), std::move(columns), std::move(starts), static_cast<Index>(table[0].size()));
}

struct Named {
  std::string name;
  Matrix x;
};
inline std::vector<Named> every_layout(const Table& table) {
  return {{"dense float", dense<float>(table)},
          {"dense double", dense<double>(table)},
          {"CSR float 32", csr<float, std::int32_t>(table)},
          {"CSR float 64", csr<float, std::int64_t>(table)},
          {"CSR double 32", csr<double, std::int32_t>(table)},
          {"CSR double 64", csr<double, std::int64_t>(table)}};
}

inline double squared_distance(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t j = 0; j < a.size(); ++j) sum += (a[j] - b[j]) * (a[j] - b[j]);
  return sum;
}

struct Neighbours {
  std::vector<Index> anchors;  // nearest first
  std::vector<double> gammas;
};

inline Neighbours nearest_anchors(const Table& table, std::size_t row, const std::vector<Index>& anchor_rows, Index k,
                                  Kernel kernel) {
  std::vector<std::pair<double, Index>> order;
  for (std::size_t j = 0; j < anchor_rows.size(); ++j)
    order.emplace_back(squared_distance(table[row], table[static_cast<std::size_t>(anchor_rows[j])]),
                       static_cast<Index>(j));
  std::sort(order.begin(), order.end());
  const double nearest = std::sqrt(order[0].first);
  const double sigma = kernel == Kernel::paper ? std::max(1e-4, std::sqrt(nearest)) : nearest;
  Neighbours result;
  double sum = 0;
  for (Index j = 0; j < k; ++j) {
    const auto& [distance, anchor] = order[static_cast<std::size_t>(j)];
    result.anchors.push_back(anchor);
    const double excess = distance - order[0].first;
    result.gammas.push_back(excess == 0 ? 1 : std::exp(-excess / (sigma * sigma)));
    sum += result.gammas.back();
  }
  for (auto& gamma : result.gammas) gamma /= sum;
  return result;
}

}  // namespace s3gd::reference
