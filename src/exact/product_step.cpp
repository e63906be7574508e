#include "exact/product_step.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace s3gd {
namespace {

constexpr int kMostProducts = 300;  // that a step is worth

}  // namespace

std::vector<double> steepness(std::vector<double> lengths, const MatrixPenalty& penalty, Index classes) {
  const std::size_t together = penalty.couples_features() ? lengths.size() : static_cast<std::size_t>(classes);
  for (std::size_t first = 0; first < lengths.size() && penalty.couples_classes(); first += together) {
    const auto begin = lengths.begin() + static_cast<std::ptrdiff_t>(first);
    const auto end = begin + static_cast<std::ptrdiff_t>(together);
    std::fill(begin, end, *std::max_element(begin, end));
  }
  return lengths;
}

std::vector<double> minimise(const InnerProblem& inner, Index classes, double accuracy, double& curvature,
                             const Progress& progress) {
  const std::size_t n = inner.w.size();
  std::vector<double> x(inner.w.begin(), inner.w.end()), bx(n, 0.0), y = x, by = bx, next(n), bnext(n), moved(n);
  const std::vector<double> lengths = steepness(inner.quadratic.diagonal(), inner.penalty, classes);
  std::vector<double> etas(n);
  double momentum = 1, first = -1;
  curvature *= 0.5;  // it may have fallen since
  for (int step = 0; step < kMostProducts && !progress.must_stop(); ++step) {
    double size = 0;
    for (;;) {
      for (std::size_t c = 0; c < n; ++c) {
        etas[c] = 1 / (curvature * lengths[c]);
        next[c] = y[c] - (inner.gradient[c] + by[c]) * etas[c];
      }
      if (inner.penalty.couples_features())
        inner.penalty.prox(etas[0], next);
      else
        inner.penalty.prox(etas, next);
      for (std::size_t c = 0; c < n; ++c) moved[c] = next[c] - inner.w[c];
      inner.quadratic.times(moved, bnext);
      double bent = 0;
      size = 0;
      for (std::size_t c = 0; c < n; ++c) {
        const double d = next[c] - y[c];
        bent += d * (bnext[c] - by[c]);
        size += lengths[c] * d * d;
      }
      if (!std::isfinite(bent) || !std::isfinite(size)) {  // values beyond what their squares can be: no step at all
        curvature = 1;
        return {inner.w.begin(), inner.w.end()};
      }
      if (bent <= curvature * size * (1 + 1e-9) || size == 0) break;
      curvature = std::max(1.2 * curvature, 1.05 * bent / size);
    }
    double uphill = 0;
    for (std::size_t c = 0; c < n; ++c) uphill += lengths[c] * (y[c] - next[c]) * (next[c] - x[c]);
    const double following = 0.5 * (1 + std::sqrt(1 + 4 * momentum * momentum));
    const double carry = uphill > 0 ? 0.0 : (momentum - 1) / following;
    momentum = uphill > 0 ? 1.0 : following;
    for (std::size_t c = 0; c < n; ++c) {
      y[c] = next[c] + carry * (next[c] - x[c]);
      by[c] = bnext[c] + carry * (bnext[c] - bx[c]);
    }
    std::swap(x, next);
    std::swap(bx, bnext);
    if (first < 0) first = size;
    if (size <= accuracy * accuracy * first) break;
  }
  return x;
}

}  // namespace s3gd
