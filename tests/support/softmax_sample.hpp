// Small softmax problems, and the obvious way to compute things about them.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "problem/matrix_penalty.hpp"
#include "s3gd/solve.hpp"
#include "solve/inputs.hpp"
#include "support/random_problem.hpp"

namespace s3gd::testing {

struct SoftmaxSample {
  Table table;
  Vector labels, weights;
  Index classes = 0;

  Dataset data(const Matrix& x, bool weighted = false) const {
    Dataset data;
    data.x = x;
    data.y = {Array<double>(labels), LabelKind::classes, {}};
    if (weighted) data.weights = Array<double>(weights);
    return data;
  }
};

// Labels 0 .. K-1 follow a random softmax model; every class occurs, some rows weigh nothing.
inline SoftmaxSample softmax_sample(Index rows, Index cols, Index classes, std::uint64_t seed, double density = 0.5) {
  Rng rng(seed);
  SoftmaxSample sample{random_table(rows, cols, density, rng), {}, {}, classes};
  const Vector truth = random_vector(cols * classes, seed + 1, 1.5);
  for (Index i = 0; i < rows; ++i) {
    Index best = 0;
    double top = -1e300;
    for (Index k = 0; k < classes; ++k) {
      double u = -std::log(-std::log(rng.uniform() + 1e-12));  // noise that makes it a softmax model
      for (Index j = 0; j < cols; ++j) u += truth[static_cast<std::size_t>(j * classes + k)] * sample.table.at(i, j);
      if (u > top) {
        top = u;
        best = k;
      }
    }
    sample.labels.push_back(static_cast<double>(i < 2 * classes ? i % classes : best));
    sample.weights.push_back(i % 7 == 3 ? 0.0 : rng.uniform() + 0.1);
  }
  return sample;
}

inline std::vector<MatrixPenaltySpec> matrix_penalties() {
  using enum MatrixPenaltyKind;
  return {{l2, 0.01, 0.5, {}},
          {l1, 0.01, 0.5, {}},
          {elastic_net, 0.02, 0.3, {}},
          {group_lasso, 0.02, 0.5, {}},
          {nuclear, 0.02, 0.5, {}}};
}

// Loss part and its gradient by three plain loops.
inline double naive_loss(const SoftmaxProblem& problem, const Table& table, const Vector& w, Vector& gradient) {
  const Index classes = problem.classes(), cols = problem.cols();
  gradient.assign(w.size(), 0.0);
  double sum = 0;
  for (Index i = 0; i < problem.rows(); ++i) {
    Vector u(static_cast<std::size_t>(classes), 0.0);
    for (Index k = 0; k < classes; ++k) {
      double& margin = u[static_cast<std::size_t>(k)];
      for (Index j = 0; j < cols; ++j) margin += w[static_cast<std::size_t>(j * classes + k)] * table.at(i, j);
      if (problem.has_intercept()) margin += w[static_cast<std::size_t>(cols * classes + k)];
    }
    double total = 0;
    for (const double margin : u) total += std::exp(margin);
    const Index own = problem.targets()[static_cast<std::size_t>(i)];
    sum += problem.weight(i) * (std::log(total) - u[static_cast<std::size_t>(own)]);
    for (Index k = 0; k < classes; ++k) {
      const double slope =
          problem.weight(i) * (std::exp(u[static_cast<std::size_t>(k)]) / total - (k == own ? 1.0 : 0.0));
      for (Index j = 0; j < cols; ++j) gradient[static_cast<std::size_t>(j * classes + k)] += slope * table.at(i, j);
      if (problem.has_intercept()) gradient[static_cast<std::size_t>(cols * classes + k)] += slope;
    }
  }
  return sum;
}

// Proximal gradient with momentum and restarts, written down plainly and run for long.
inline Vector solve_softmax_slowly(const SoftmaxProblem& problem, const Table& table, int iterations = 20000) {
  const MatrixPenalty penalty(problem);
  double bound = 0;
  for (Index i = 0; i < problem.rows(); ++i) {
    double square = problem.has_intercept() ? 1.0 : 0.0;
    for (Index j = 0; j < problem.cols(); ++j) square += table.at(i, j) * table.at(i, j);
    bound += 0.5 * problem.weight(i) * square;
  }
  const double eta = 1 / bound;
  Vector w(static_cast<std::size_t>(problem.dim()), 0.0), extrapolated = w, gradient;
  double momentum = 1;
  for (int k = 0; k < iterations; ++k) {
    naive_loss(problem, table, extrapolated, gradient);
    Vector next = extrapolated;
    for (std::size_t j = 0; j < w.size(); ++j) next[j] -= eta * gradient[j];
    penalty.prox(eta, next);
    double uphill = 0, moved = 0;
    for (std::size_t j = 0; j < w.size(); ++j) {
      uphill += (extrapolated[j] - next[j]) * (next[j] - w[j]);
      moved = std::max(moved, std::abs(next[j] - extrapolated[j]));
    }
    const double following = 0.5 * (1 + std::sqrt(1 + 4 * momentum * momentum));
    const double carry = uphill > 0 ? 0.0 : (momentum - 1) / following;
    momentum = uphill > 0 ? 1.0 : following;
    for (std::size_t j = 0; j < w.size(); ++j) extrapolated[j] = next[j] + carry * (next[j] - w[j]);
    w = next;
    if (moved < 1e-15) break;
  }
  return w;
}

}  // namespace s3gd::testing
