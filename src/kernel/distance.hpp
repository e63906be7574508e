// Squared Euclidean distance sum_j (x_j - z_j)^2, in double whatever the rows hold: no cancellation, no overflow of
// floats, however close or far the two are. Cost O(n).
#pragma once

#include "s3gd/matrix.hpp"

namespace s3gd::kernel {

double squared_distance(const float* x, const float* z, Index n);
double squared_distance(const double* x, const double* z, Index n);

}  // namespace s3gd::kernel
