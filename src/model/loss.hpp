// Losses: value, slope, curvature and conjugate of psi(u, y), stable for every margin u.
//
// A slope of the form phi(u) - c(y) is "separable": the graph propagates phi alone and the label term is exact.
// Labels are -1 or +1 except for `squared`. A slope costs one exponential at most and is inlined into the loops.
#pragma once

#include <algorithm>
#include <cmath>

#include "kernel/softplus.hpp"
#include "s3gd/problem.hpp"

namespace s3gd {

class Loss {
 public:
  explicit Loss(const LossSpec& spec) : kind_(spec.kind), beta_(spec.beta) {}

  LossKind kind() const { return kind_; }
  double value(double u, double y) const;
  double slope(double u, double y) const;      // d psi / d u
  double curvature(double u, double y) const;  // d^2 psi / d u^2 (a generalised one where there is none)
  struct Derivatives {
    double slope, curvature;
  };
  Derivatives derivatives(double u, double y) const;  // both for the price of one exponential
  double curvature_bound() const;                     // the largest curvature
  double conjugate(double v, double y) const;         // psi*(v) = sup_u (u v - psi(u, y)); infinity outside its domain

  void conjugates(const double* v, const double* y, Index n, double* out) const;  // many at once; in place is allowed
  // Many margins at once; outputs that are null are left out.
  void terms(const double* u, const double* y, Index n, const kernel::SoftplusTerms& out) const;

  bool separable() const { return kind_ == LossKind::logistic || kind_ == LossKind::squared; }
  double phi(double u) const;  // slope(u, y) = phi(u) - label(y); separable losses only
  double label(double y) const;

  bool classifies() const { return kind_ != LossKind::squared; }

 private:
  LossKind kind_;
  double beta_;
};

// 1 / (1 + exp(-t)): exact to rounding at both ends, since exp overflows to infinity and that gives 0.
inline double sigmoid(double t) { return 1.0 / (1.0 + std::exp(-t)); }

inline double Loss::slope(double u, double y) const {
  switch (kind_) {
    case LossKind::logistic:
      return -y * sigmoid(-y * u);
    case LossKind::squared:
      return 2.0 * (u - y);
    case LossKind::squared_hinge:
      return -y * std::max(0.0, 1.0 - y * u);
    case LossKind::smooth_hinge:
      return -y * sigmoid(beta_ * (1.0 - y * u));
  }
  return 0;
}

inline Loss::Derivatives Loss::derivatives(double u, double y) const {
  switch (kind_) {
    case LossKind::logistic:
    case LossKind::smooth_hinge: {
      const double sharpness = kind_ == LossKind::logistic ? 1.0 : beta_;
      const double t = kind_ == LossKind::logistic ? -y * u : beta_ * (1.0 - y * u);
      const double e = std::exp(-std::abs(t)), whole = 1.0 / (1.0 + e);
      return {-y * (t > 0 ? whole : e * whole), sharpness * e * whole * whole};
    }
    case LossKind::squared:
      return {2.0 * (u - y), 2.0};
    case LossKind::squared_hinge:
      return {-y * std::max(0.0, 1.0 - y * u), y * u < 1.0 ? 1.0 : 0.0};
  }
  return {0, 0};
}

inline double Loss::phi(double u) const { return kind_ == LossKind::logistic ? sigmoid(u) : 2.0 * u; }

inline double Loss::label(double y) const { return kind_ == LossKind::logistic ? (y > 0 ? 1.0 : 0.0) : 2.0 * y; }

}  // namespace s3gd
