// What a sample of the rows, spread evenly over all of them, shows at parameters w: for advice. Rows of no weight are
// left out. Costs the entries of the sample, two million at most or those of 200 rows.
#pragma once

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
};

SampleReport report_sample(const Problem& problem);
RowReport report_rows(const Problem& problem, const std::vector<double>& w, const SampleReport& sample);

}  // namespace s3gd
