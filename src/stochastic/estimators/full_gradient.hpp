// The slopes of all rows at one point and the gradient they make: what SVRG, SAGA and GD start from. One pass.
#pragma once

#include <algorithm>
#include <vector>

#include "stochastic/outputs.hpp"

namespace s3gd {

struct FullGradient {
  std::vector<double> slopes;    // psi'(u_i), rows x K
  std::vector<double> gradient;  // sum_i q_i x_i psi'(u_i)'

  void evaluate(const StochasticProblem& problem, std::span<const double> w) {
    slopes.resize(static_cast<std::size_t>(problem->rows() * problem->outputs()));
    gradient.resize(static_cast<std::size_t>(problem->dim()));
    problem->gradient(w, gradient, slopes);
  }

  // Those of some rows.
  void slopes_of(std::span<const Index> rows, Index outputs, double* out) const {
    for (const Index row : rows) out = std::copy_n(slopes.data() + row * outputs, outputs, out);
  }
};

}  // namespace s3gd
