// What a sample of the rows (solve/row_sample.hpp) shows at parameters w: for advice. Rows of no weight are left out.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "s3gd/problem.hpp"

namespace s3gd {

struct ClassReport {
  Index rows = 0;
  double astray = 0;  // share of its rows beyond the other class's median margin
};

// What does not depend on the parameters, nor on which class is positive.
struct SampleReport {
  Index rows = 0;
  Index zero_rows = 0;
  double least_column = 0,
         largest_column = 0;  // largest magnitude in a column: the least and largest of those not zero
};

struct RowReport : SampleReport {
  bool classes = false;  // whether the rows below mean anything
  Index wrong = 0;       // rows on the other class's side, or on neither
  ClassReport positive, negative;
  double by_features = 0;  // largest margin without the intercept
};

SampleReport report_sample(const Matrix& x, const std::function<double(Index)>& weight);
SampleReport report_sample(const Problem& problem);
SampleReport report_sample(const Dataset& data);
// Two classes by the margins of their rows; those of the first should be larger.
std::pair<ClassReport, ClassReport> compare_classes(const std::vector<double>& high, const std::vector<double>& low);
RowReport report_rows(const Problem& problem, const std::vector<double>& w, const SampleReport& sample);

}  // namespace s3gd
