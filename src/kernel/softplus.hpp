// Value, slope and curvature of the losses made of exponentials, many margins at once.
#pragma once

#include "s3gd/matrix.hpp"

namespace s3gd::kernel {

// For psi(u, y) = softplus(t) / beta with t = beta (shift - y u), y = -1 or +1:
//
//     value = softplus(t) / beta      slope = -y sigmoid(t)      curvature = beta sigmoid(t) (1 - sigmoid(t))
//
// Logistic: beta 1, shift 0. Smooth hinge: shift 1. Outputs that are null are left out. In place is allowed.
struct SoftplusTerms {
  double* value = nullptr;
  double* slope = nullptr;
  double* curvature = nullptr;
};
void softplus_terms(double beta, double shift, const double* u, const double* y, Index n, const SoftplusTerms& out);

// out = a log a + (1-a) log(1-a) for a in [0, 1], 0 at both ends; infinity outside. In place is allowed.
void negative_entropy(const double* a, Index n, double* out);

}  // namespace s3gd::kernel
