// Rows that a fit is judged by: they may have classes that the training rows lack, and lack some that those have.
// See Task::judged().
#pragma once

#include <cmath>

#include "s3gd/problem.hpp"
#include "s3gd/task.hpp"

namespace s3gd {

// The rows of these classes; all of them where there are none. Throws where no row is left.
JudgedRows rows_of_classes(Dataset rows, const std::vector<std::string>& classes);

// The problem on further rows, all of classes it knows; they need not have both.
Problem on_rows(const Problem& problem, Dataset rows);

// The same problem on other rows.

// The class that was positive stays so, whichever classes the other rows have.
inline ProblemSpec same_problem(const Problem& problem) {
  ProblemSpec spec = problem.spec();
  if (!std::isnan(problem.positive_class())) spec.positive = problem.data().y.name_of(problem.positive_class());
  return spec;
}

}  // namespace s3gd
