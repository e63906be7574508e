// Finishers of softmax problems: from wherever W is to the tolerance, exactly. As exact/finisher.hpp for one output.
#pragma once

#include "exact/finisher.hpp"
#include "s3gd/softmax.hpp"

namespace s3gd {

using SoftmaxFinishInput = FinishInputOf<SoftmaxProblem>;
using SoftmaxFinisher = FinisherOf<SoftmaxProblem>;

// Quasi-Newton in the metric of a sampled Hessian: l2 or no penalty.
Finish finish_by_quasi_newton(const SoftmaxFinishInput& input, std::vector<double> start, Progress& progress);

// Proximal quasi-Newton: any penalty.
Finish finish_by_prox_newton(const SoftmaxFinishInput& input, std::vector<double> start, Progress& progress);

// In the order of preference among those that suit; the last suits everything.
const std::vector<SoftmaxFinisher>& softmax_finisher_table();
const SoftmaxFinisher* find_softmax_finisher(const std::string& name);

}  // namespace s3gd
