// The same problem on other rows.
#pragma once

#include <cmath>

#include "s3gd/problem.hpp"

namespace s3gd {

// The class that was positive stays so, whichever classes the other rows have.
inline ProblemSpec same_problem(const Problem& problem) {
  ProblemSpec spec = problem.spec();
  if (!std::isnan(problem.positive_class())) spec.positive = problem.data().y.name_of(problem.positive_class());
  return spec;
}

}  // namespace s3gd
