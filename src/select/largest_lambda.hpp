// The largest lambda of use, from the slopes of the loss at the model without penalised features.
#pragma once

#include "select/null_model.hpp"

namespace s3gd {

bool is_penalised(const Problem& problem);  // whether lambda multiplies anything
bool is_kinked(const Problem& problem);     // whether it holds weights at zero
double largest_lambda_from(const Problem& problem, const NullModel& null);

// Of F0, what l2 may gain at its largest lambda. With sum_j g_j^2 / (4 f_j) over the slopes:
//     F >= F0 + g.w + lambda sum_j f_j w_j^2 >= F0 - ridge / lambda, by convexity.
inline double largest_l2_lambda(double ridge, double null_loss) { return ridge / (0.01 * null_loss); }

}  // namespace s3gd
