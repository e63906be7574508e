// The best model without features: b that minimises sum_i q_i psi(b, y_i) + l2 b^2, or 0 where there is no intercept.
#pragma once

#include "s3gd/problem.hpp"

namespace s3gd {

struct ConstantModel {
  double b, loss, curvature;  // sum_i q_i psi(b, y_i), sum_i q_i psi''(b, y_i)
};
ConstantModel best_constant(const Problem& problem, double l2);

}  // namespace s3gd
