// log(1 + exp(t)) and its first two derivatives for many t at once, by the best instruction set of the machine. Right to
// a few units in the last place for every finite t: nothing overflows.
#pragma once

#include "s3gd/matrix.hpp"

namespace s3gd::kernel {

// value = log(1 + exp(t)), slope = 1 / (1 + exp(-t)), curvature = slope (1 - slope); any may be t itself.
void softplus(const double* t, Index n, double* value, double* slope, double* curvature);

}  // namespace s3gd::kernel
