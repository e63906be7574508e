// Finishers of softmax problems: from wherever W is to the tolerance, exactly. As finish/finisher.hpp for one output.
#pragma once

#include "finish/finisher.hpp"
#include "s3gd/softmax.hpp"

namespace s3gd {

struct SoftmaxFinishInput {
  const SoftmaxProblem& problem;
  double tol = 1e-4;  // relative gap, as in Certificate
  std::uint64_t seed = 0;
  Index max_iterations = std::numeric_limits<Index>::max();
};

// Quasi-Newton in the metric of a sampled Hessian: l2 or no penalty.
Finish finish_by_quasi_newton(const SoftmaxFinishInput& input, std::vector<double> start, Progress& progress);

// Proximal quasi-Newton: any penalty.
Finish finish_by_prox_newton(const SoftmaxFinishInput& input, std::vector<double> start, Progress& progress);

}  // namespace s3gd
