// The model without penalised features: what a path starts from.
#pragma once

#include <vector>

#include "s3gd/problem.hpp"

namespace s3gd {

struct NullModel {
  std::vector<double> w;         // zero but for a free intercept and features without a penalty
  std::vector<double> gradient;  // of the loss part there; zero in those, to rounding
  double loss = 0;
};
NullModel fit_null_model(const Problem& problem);

}  // namespace s3gd
