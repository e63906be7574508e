// Losses: value, slope, curvature and conjugate of psi(u, y), stable for every margin u.
//
// A slope of the form phi(u) - c(y) is "separable": the graph propagates phi alone and the label term is exact.
#pragma once

#include "s3gd/problem.hpp"

namespace s3gd {

class Loss {
 public:
  explicit Loss(const LossSpec& spec) : kind_(spec.kind), beta_(spec.beta) {}

  LossKind kind() const { return kind_; }
  double value(double u, double y) const;
  double slope(double u, double y) const;      // d psi / d u
  double curvature(double u, double y) const;  // d^2 psi / d u^2 (a generalised one where there is none)
  double curvature_bound() const;              // its largest value
  double conjugate(double v, double y) const;  // psi*(v) = sup_u (u v - psi(u, y)); infinity outside its domain

  bool separable() const { return kind_ == LossKind::logistic || kind_ == LossKind::squared; }
  double phi(double u) const;    // slope(u, y) = phi(u) - label(y); separable losses only
  double label(double y) const;

  bool classifies() const { return kind_ != LossKind::squared; }

 private:
  LossKind kind_;
  double beta_;
};

}  // namespace s3gd
