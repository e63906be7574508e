// The slopes of all rows at one point and the gradient they make: what SVRG, SAGA and GD start from. One pass.
#pragma once

#include <vector>

#include "model/full_pass.hpp"
#include "model/loss.hpp"

namespace s3gd {

struct FullGradient {
  std::vector<double> slopes;    // psi'(w.x_i), one per row
  std::vector<double> gradient;  // sum_i q_i slope_i x_i

  void evaluate(const Problem& problem, std::span<const double> w) {
    slopes.resize(static_cast<std::size_t>(problem.rows()));
    gradient.resize(static_cast<std::size_t>(problem.dim()));
    loss_and_gradient(problem, w, gradient, slopes);  // margins, at first
    const Loss loss(problem.spec().loss);
    for (std::size_t i = 0; i < slopes.size(); ++i) slopes[i] = loss.slope(slopes[i], problem.targets()[i]);
  }
};

}  // namespace s3gd
