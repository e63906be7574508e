#include "finish/optimality.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include "kernel/kernel.hpp"

namespace s3gd {
namespace {

std::size_t at(Index j) { return static_cast<std::size_t>(j); }

}  // namespace

Optimality::Optimality(const Problem& problem)
    : penalty_(problem.spec().penalty, problem.cols(), problem.spec().intercept),
      cols_(problem.cols()),
      free_intercept_(problem.spec().intercept == Intercept::free),
      has_dual_(penalty_.prox_is_exact() && penalty_.on_every_feature()) {}

double Optimality::relative_gap(std::span<const double> w, std::span<const double> gradient, double objective) const {
  if (!has_dual_) return prox_gradient(w, gradient);
  std::vector<double> z(gradient.begin(), gradient.end());
  double unbalanced = 0;  // a free intercept's slope must vanish in the dual: one class less by a share, squared
  if (free_intercept_) {
    unbalanced = z.back() * z.back() / std::max(std::abs(objective), std::numeric_limits<double>::min());
    z.back() = 0;
  }
  const auto size = static_cast<Index>(z.size());
  const double product = kernel::dot(w.data(), z.data(), size);
  const double scale = penalty_.feasible_scale(z);  // of -z as well: a penalty knows no signs
  if (scale < 1) kernel::scale(scale, z.data(), size);
  const double distant = (1 - scale) * (1 - scale) * std::abs(objective);  // stands for the term left out
  const double gap = penalty_.value(w) + penalty_.conjugate(z) + scale * product + unbalanced + distant;
  return std::max(gap, 0.0) / std::max(std::abs(objective), std::numeric_limits<double>::min());
}

double Optimality::prox_gradient(std::span<const double> w, std::span<const double> gradient) const {
  std::vector<double> moved(w.begin(), w.end());
  for (std::size_t j = 0; j < moved.size(); ++j) moved[j] -= gradient[j];
  penalty_.prox(1.0, std::span<double>(moved));
  double step = 0, length = 0;
  for (Index j = 0; j < penalty_.dim(); ++j) {
    step += (moved[at(j)] - w[at(j)]) * (moved[at(j)] - w[at(j)]);
    length += w[at(j)] * w[at(j)];
  }
  return std::sqrt(step) / std::max(1.0, std::sqrt(length));
}

}  // namespace s3gd
