#include "model/loss.hpp"

#include <limits>

namespace s3gd {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// log(1 + exp(t)) without overflow.
double softplus(double t) { return std::max(t, 0.0) + std::log1p(std::exp(-std::abs(t))); }

// Derivative of the sigmoid.
double bell(double t) {
  const double e = std::exp(-std::abs(t));
  return e / ((1.0 + e) * (1.0 + e));
}

// a log a + (1-a) log(1-a) on [0, 1], 0 at its ends.
double negative_entropy(double a) {
  if (!(a >= 0.0 && a <= 1.0)) return kInfinity;
  const double left = a > 0.0 ? a * std::log(a) : 0.0;
  const double right = a < 1.0 ? (1.0 - a) * std::log1p(-a) : 0.0;
  return left + right;
}

}  // namespace

double Loss::value(double u, double y) const {
  switch (kind_) {
    case LossKind::logistic:
      return softplus(-y * u);
    case LossKind::squared:
      return (u - y) * (u - y);
    case LossKind::squared_hinge: {
      const double short_of_one = std::max(0.0, 1.0 - y * u);
      return 0.5 * short_of_one * short_of_one;
    }
    case LossKind::smooth_hinge: {
      // softplus(beta m) / beta with the division done first: beta m may overflow where m does not.
      const double m = 1.0 - y * u;
      return std::max(m, 0.0) + std::log1p(std::exp(-beta_ * std::abs(m))) / beta_;
    }
  }
  return 0;
}

double Loss::curvature(double u, double y) const {
  switch (kind_) {
    case LossKind::logistic:
      return bell(u);
    case LossKind::squared:
      return 2.0;
    case LossKind::squared_hinge:
      return y * u < 1.0 ? 1.0 : 0.0;
    case LossKind::smooth_hinge:
      return beta_ * bell(beta_ * (1.0 - y * u));
  }
  return 0;
}

void Loss::terms(const double* u, const double* y, Index n, const kernel::SoftplusTerms& out) const {
  if (kind_ == LossKind::logistic) return kernel::softplus_terms(1.0, 0.0, u, y, n, out);
  if (kind_ == LossKind::smooth_hinge) return kernel::softplus_terms(beta_, 1.0, u, y, n, out);
  for (Index i = 0; i < n; ++i) {
    if (out.value != nullptr) out.value[i] = value(u[i], y[i]);
    if (out.slope != nullptr) out.slope[i] = slope(u[i], y[i]);
    if (out.curvature != nullptr) out.curvature[i] = curvature(u[i], y[i]);
  }
}

void Loss::conjugates(const double* v, const double* y, Index n, double* out) const {
  if (kind_ != LossKind::logistic && kind_ != LossKind::smooth_hinge) {
    for (Index i = 0; i < n; ++i) out[i] = conjugate(v[i], y[i]);
    return;
  }
  constexpr Index kBlock = 256;
  double a[kBlock], entropy[kBlock];
  for (Index first = 0; first < n; first += kBlock) {
    const Index count = std::min(kBlock, n - first);
    for (Index r = 0; r < count; ++r) a[r] = -v[first + r] * y[first + r];
    kernel::negative_entropy(a, count, entropy);
    for (Index r = 0; r < count; ++r)
      out[first + r] = kind_ == LossKind::logistic ? entropy[r] : entropy[r] / beta_ - a[r];
  }
}

double Loss::curvature_bound() const {
  switch (kind_) {
    case LossKind::logistic:
      return 0.25;
    case LossKind::squared:
      return 2.0;
    case LossKind::squared_hinge:
      return 1.0;
    case LossKind::smooth_hinge:
      return 0.25 * beta_;
  }
  return 0;
}

double Loss::conjugate(double v, double y) const {
  if (kind_ == LossKind::squared) return v * y + 0.25 * v * v;
  const double a = -v * y;  // the dual variable: how far the row still pulls, in units of its label
  switch (kind_) {
    case LossKind::squared_hinge:
      return a >= 0.0 ? -a + 0.5 * a * a : kInfinity;
    case LossKind::smooth_hinge:
      return -a + negative_entropy(a) / beta_;
    default:
      return negative_entropy(a);
  }
}

}  // namespace s3gd
