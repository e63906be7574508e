// Squared Euclidean distance sum_j (x_j - z_j)^2: no cancellation, whatever the length of the rows. Float rows are
// summed in float lanes over stretches of at most 1024 numbers, and the stretches in double. Cost O(n).
#pragma once

#include "s3gd/matrix.hpp"

namespace s3gd::kernel {

double squared_distance(const float* x, const float* z, Index n);
double squared_distance(const double* x, const double* z, Index n);

}  // namespace s3gd::kernel
