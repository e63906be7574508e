// Proximal gradient with momentum and restarts, written down plainly and run for long: the optimum others are held to.
#pragma once

#include "problem/full_pass.hpp"
#include "support/random_problem.hpp"

namespace s3gd::testing {

struct SlowOptimum {
  Vector w;
  double objective = 0;
  std::vector<Vector> path;  // a few iterates on the way
};

inline SlowOptimum solve_slowly(const Problem& problem, int iterations = 20000) {
  const Penalty penalty = penalty_of(problem);
  const auto dim = static_cast<std::size_t>(problem.dim());
  double bound = 0;  // curvature times the sum of squared row lengths
  Vector probe(dim, 0.0), column(static_cast<std::size_t>(problem.rows()));
  for (std::size_t j = 0; j < dim; ++j) {
    probe[j] = 1;
    margins(problem, probe, column);
    probe[j] = 0;
    for (std::size_t i = 0; i < column.size(); ++i)
      bound += problem.weight(static_cast<Index>(i)) * column[i] * column[i];
  }
  const Loss loss(problem.spec().loss);
  constexpr double kEnough = 100;  // for counts up to exp(3)
  const double eta = 1.0 / ((loss.traits().bounded_curvature ? loss.curvature_bound() : kEnough) * bound);
  SlowOptimum result;
  Vector w(dim, 0.0), extrapolated = w, gradient(dim);
  double momentum = 1;
  for (int k = 0; k < iterations; ++k) {
    smooth_gradient(problem, extrapolated, gradient);
    Vector next = extrapolated;
    for (std::size_t j = 0; j < dim; ++j) next[j] -= eta * gradient[j];
    penalty.prox(eta, std::span<double>(next));
    double uphill = 0, moved = 0;
    for (std::size_t j = 0; j < dim; ++j) {
      uphill += (extrapolated[j] - next[j]) * (next[j] - w[j]);
      moved = std::max(moved, std::abs(next[j] - extrapolated[j]));
    }
    const double following = 0.5 * (1 + std::sqrt(1 + 4 * momentum * momentum));
    const double carry = uphill > 0 ? 0.0 : (momentum - 1) / following;  // restart when momentum points uphill
    momentum = uphill > 0 ? 1.0 : following;
    for (std::size_t j = 0; j < dim; ++j) extrapolated[j] = next[j] + carry * (next[j] - w[j]);
    w = next;
    if ((k & (k - 1)) == 0) result.path.push_back(w);
    if (moved < 1e-16) break;
  }
  result.objective = objective(problem, w);
  result.w = w;
  return result;
}

}  // namespace s3gd::testing
