// Rows that a fit is judged by: they may have classes that the training rows lack, and lack some that those have.
#pragma once

#include <string>
#include <vector>

#include "s3gd/problem.hpp"

namespace s3gd {

// As in Model::classes. Empty where every label means something: a regression, or one class against all the rest.
std::vector<std::string> class_names(const Problem& problem);

struct JudgedRows {
  Dataset rows;
  Index left_out = 0;  // rows of other classes
};
// The rows of these classes; all of them where there are none. Throws where no row is left.
JudgedRows rows_of_classes(Dataset rows, const std::vector<std::string>& classes);

// The problem on further rows, all of classes it knows; they need not have both.
Problem on_rows(const Problem& problem, Dataset rows);

}  // namespace s3gd
