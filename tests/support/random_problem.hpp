// Small random problems in every layout, and the obvious way to compute things about them.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/random.hpp"
#include "problem/loss.hpp"
#include "problem/penalty.hpp"
#include "s3gd/problem.hpp"

namespace s3gd::testing {

using Vector = std::vector<double>;

// The same numbers, dense or CSR, float or double.
struct Table {
  Index rows = 0, cols = 0;
  Vector values;  // row-major

  double at(Index i, Index j) const { return values[static_cast<std::size_t>(i * cols + j)]; }

  template <class T>
  Matrix dense() const {
    return Matrix::own_dense(std::vector<T>(values.begin(), values.end()), rows, cols);
  }
  template <class T, class I>
  Matrix csr() const {
    std::vector<T> stored;
    std::vector<I> columns;
    std::vector<std::int64_t> starts = {0};
    for (Index i = 0; i < rows; ++i) {
      for (Index j = 0; j < cols; ++j)
        if (at(i, j) != 0) {
          stored.push_back(static_cast<T>(at(i, j)));
          columns.push_back(static_cast<I>(j));
        }
      starts.push_back(static_cast<std::int64_t>(stored.size()));
    }
    return Matrix::own_csr(std::move(stored), std::move(columns), std::move(starts), cols);
  }
  std::vector<Matrix> layouts() const {
    return {dense<float>(), dense<double>(), csr<float, std::int32_t>(), csr<double, std::int64_t>()};
  }
};

// Values are exact in float, so that every layout holds the very same numbers.
inline Table random_table(Index rows, Index cols, double density, Rng& rng) {
  Table table{rows, cols, Vector(static_cast<std::size_t>(rows * cols))};
  for (auto& v : table.values)
    v = rng.uniform() < density ? static_cast<double>(static_cast<float>(rng.normal())) : 0.0;
  return table;
}

struct Sample {
  Table table;
  Vector classes, reals, weights;

  Vector counts() const {
    Vector whole;
    for (const double u : reals) whole.push_back(std::floor(std::exp(std::clamp(u, -2.0, 3.0))));
    return whole;
  }

  Dataset data(const Matrix& x, const LossSpec& loss, bool weighted = false) const {
    const bool regression = !Loss(loss).classifies();
    Dataset data;
    data.x = x;
    data.y = {Array<double>(regression ? reals : classes), regression ? LabelKind::real : LabelKind::classes, {}};
    if (Loss(loss).traits().targets == TargetKind::counts) data.y.values = Array<double>(counts());
    if (weighted) data.weights = Array<double>(weights);
    return data;
  }
};

// Labels follow a random linear model with noise; both classes occur.
inline Sample random_sample(Index rows, Index cols, std::uint64_t seed, double density = 0.5, double noise = 1.0) {
  Rng rng(seed);
  Sample sample{random_table(rows, cols, density, rng), {}, {}, {}};
  Vector truth(static_cast<std::size_t>(cols));
  for (auto& v : truth) v = rng.normal();
  for (Index i = 0; i < rows; ++i) {
    double u = 0.5 + noise * rng.normal();
    for (Index j = 0; j < cols; ++j) u += truth[static_cast<std::size_t>(j)] * sample.table.at(i, j);
    sample.reals.push_back(u);
    sample.classes.push_back(i < 2 ? static_cast<double>(i) : (u > 0.8 ? 1.0 : 0.0));
    sample.weights.push_back(i % 5 == 0 ? 0.0 : rng.uniform() + 0.1);
  }
  return sample;
}

inline Vector random_vector(Index size, std::uint64_t seed, double scale = 1.0) {
  Rng rng(seed);
  Vector v(static_cast<std::size_t>(size));
  for (auto& x : v) x = scale * rng.normal();
  return v;
}

inline Penalty penalty_of(const Problem& problem) { return Penalty(problem); }

inline std::vector<LossSpec> all_losses() {
  return {{LossKind::logistic, 10.0},
          {LossKind::squared, 10.0},
          {LossKind::squared_hinge, 10.0},
          {LossKind::smooth_hinge, 4.0},
          {.kind = LossKind::huber, .knee = 0.7},
          {.kind = LossKind::poisson}};
}

// Those that solvers with steps by the largest curvature take.
inline std::vector<LossSpec> bounded_losses() {
  std::vector<LossSpec> losses;
  for (const LossSpec& one : all_losses())
    if (Loss(one).traits().bounded_curvature) losses.push_back(one);
  return losses;
}

inline constexpr Intercept kIntercepts[] = {Intercept::free, Intercept::regularised, Intercept::none};

}  // namespace s3gd::testing
