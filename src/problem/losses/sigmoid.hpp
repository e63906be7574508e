// What logistic loss and smooth hinge are made of, stable at both ends.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

namespace s3gd {

// 1 / (1 + exp(-t)): exact to rounding at both ends, since exp overflows to infinity and that gives 0.
inline double sigmoid(double t) { return 1.0 / (1.0 + std::exp(-t)); }

// log(1 + exp(t)) without overflow.
inline double softplus(double t) { return std::max(t, 0.0) + std::log1p(std::exp(-std::abs(t))); }

// Derivative of the sigmoid.
inline double bell(double t) {
  const double e = std::exp(-std::abs(t));
  return e / ((1.0 + e) * (1.0 + e));
}

// a log a + (1-a) log(1-a) on [0, 1], 0 at its ends.
inline double negative_entropy(double a) {
  if (!(a >= 0.0 && a <= 1.0)) return std::numeric_limits<double>::infinity();
  const double left = a > 0.0 ? a * std::log(a) : 0.0;
  const double right = a < 1.0 ? (1.0 - a) * std::log1p(-a) : 0.0;
  return left + right;
}

}  // namespace s3gd
