// Small random problems for tests: the same numbers in any layout and precision.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "s3gd/problem.hpp"

namespace s3gd::testing {

struct SmallData {
  Index rows = 60;
  Index cols = 7;
  double density = 0.5;
  bool regression = false;
  bool weighted = false;
  std::uint64_t seed = 1;
};

template <class T>
Matrix small_matrix(const SmallData& shape, bool sparse) {
  Rng rng(shape.seed, 3);
  std::vector<T> dense, values;
  std::vector<std::int32_t> columns;
  std::vector<std::int64_t> starts{0};
  for (Index i = 0; i < shape.rows; ++i) {
    for (Index j = 0; j < shape.cols; ++j) {
      // Rounded to float, so that float and double problems hold the same numbers.
      const double value = rng.uniform() < shape.density ? static_cast<float>(rng.normal()) : 0.0;
      dense.push_back(static_cast<T>(value));
      if (value == 0.0) continue;
      values.push_back(static_cast<T>(value));
      columns.push_back(static_cast<std::int32_t>(j));
    }
    starts.push_back(static_cast<std::int64_t>(values.size()));
  }
  if (!sparse) return Matrix::own_dense(std::move(dense), shape.rows, shape.cols);
  return Matrix::own_csr(std::move(values), std::move(columns), std::move(starts), shape.cols);
}

template <class T>
Dataset small_data(const SmallData& shape, bool sparse) {
  Dataset data;
  data.x = small_matrix<T>(shape, sparse);
  data.source = "a small random problem";
  Rng rng(shape.seed, 4);
  std::vector<double> truth(static_cast<std::size_t>(shape.cols)), labels, weights;
  for (double& value : truth) value = rng.normal();
  const Matrix plain = small_matrix<double>(shape, false);
  const auto& view = std::get<DenseView<double>>(plain.view());
  for (Index i = 0; i < shape.rows; ++i) {
    double u = 0.3;
    for (Index j = 0; j < shape.cols; ++j) u += view.row(i)[j] * truth[static_cast<std::size_t>(j)];
    const double noisy = u + rng.normal();
    labels.push_back(shape.regression ? noisy : (noisy > 0 ? 1.0 : -1.0));
    weights.push_back(shape.weighted ? 0.1 + rng.uniform() : 1.0);
  }
  if (!shape.regression) {  // both classes, whatever the seed
    labels[0] = 1;
    labels[1] = -1;
  }
  data.y.kind = shape.regression ? LabelKind::real : LabelKind::classes;
  data.y.values = Array<double>(std::move(labels));
  if (shape.weighted) data.weights = Array<double>(std::move(weights));
  return data;
}

inline std::vector<double> random_point(Index dim, std::uint64_t seed, double size = 0.5) {
  Rng rng(seed, 5);
  std::vector<double> w(static_cast<std::size_t>(dim));
  for (double& value : w) value = size * rng.normal();
  return w;
}

// x_i with the intercept's 1 appended, as plain doubles.
inline std::vector<double> full_row(const Problem& problem, Index i) {
  std::vector<double> row(static_cast<std::size_t>(problem.dim()), 0.0);
  problem.x().visit([&](const auto& view) {
    if constexpr (requires { view.stride; }) {
      for (Index j = 0; j < view.cols; ++j) row[static_cast<std::size_t>(j)] = static_cast<double>(view.row(i)[j]);
    } else {
      for (auto k = view.starts[i]; k < view.starts[i + 1]; ++k)
        row[static_cast<std::size_t>(view.columns[k])] = static_cast<double>(view.values[k]);
    }
  });
  if (problem.has_intercept()) row.back() = 1.0;
  return row;
}

inline double naive_margin(const Problem& problem, Index i, const std::vector<double>& w) {
  const auto row = full_row(problem, i);
  double sum = 0;
  for (std::size_t j = 0; j < row.size(); ++j) sum += row[j] * w[j];
  return sum;
}

inline double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double largest = a.size() == b.size() ? 0.0 : INFINITY;
  for (std::size_t j = 0; j < std::min(a.size(), b.size()); ++j) largest = std::max(largest, std::abs(a[j] - b[j]));
  return largest;
}

}  // namespace s3gd::testing
