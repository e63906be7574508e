#include "softmax/optimality.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include "kernel/kernel.hpp"

namespace s3gd {

double prox_gradient_norm(const MatrixPenalty& penalty, std::span<const double> w, std::span<const double> gradient) {
  std::vector<double> moved(w.begin(), w.end());
  for (std::size_t j = 0; j < moved.size(); ++j) moved[j] -= gradient[j];
  penalty.prox(1.0, moved);
  double step = 0, size = 0;
  for (std::size_t j = 0; j < moved.size(); ++j) {
    step += (moved[j] - w[j]) * (moved[j] - w[j]);
    size += w[j] * w[j];
  }
  return std::sqrt(step) / std::max(1.0, std::sqrt(size));
}

double estimated_gap(const SoftmaxProblem& problem, const MatrixPenalty& penalty, std::span<const double> w,
                     std::span<const double> gradient, double objective) {
  if (!penalty.has_dual()) return prox_gradient_norm(penalty, w, gradient);
  std::vector<double> z(gradient.begin(), gradient.end());
  if (problem.spec().intercept == Intercept::free) std::fill(z.end() - problem.classes(), z.end(), 0.0);
  const double product = kernel::dot(w.data(), z.data(), problem.dim());
  for (double& value : z) value = -value;
  const double scale = penalty.feasible_scale(z);
  for (double& value : z) value *= scale;
  const double distant = (1 - scale) * (1 - scale) * std::abs(objective);  // stands for the term left out
  const double gap = penalty.value(w) + penalty.conjugate(z) + scale * product + distant;
  return std::max(gap, 0.0) / std::max(std::abs(objective), std::numeric_limits<double>::min());
}

}  // namespace s3gd
