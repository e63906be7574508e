// What a softmax run is a function of: see solve/run_identity.hpp.
#pragma once

#include <string>

#include "solve/inputs.hpp"

namespace s3gd {

std::string run_identity(const SoftmaxProblem& problem, const SolveOptions& options, const SoftmaxInput& input);

}  // namespace s3gd
