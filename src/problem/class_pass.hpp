// One pass over the rows for several problems over the same rows, which differ in their targets and weights alone.
//
// Every row is read once for all of them: dense rows through matrix products, sparse ones against a table with the weights of
// all problems side by side for each column. What sum_rows() (problem/row_sums.hpp) finds for one, to rounding; same
// bits at any number of threads.
#pragma once

#include <span>

#include "problem/row_sums.hpp"
#include "s3gd/problem.hpp"

namespace s3gd {

// One of the problems: where it is looked at, and what is found there.
struct ClassPass {
  const Problem* problem = nullptr;
  std::span<const double> w;
  std::span<double> gradient;  // sum_i q_i psi'(u_i, y_i) x_i, the intercept's component last
  PerRow keep = {};
  RowSums sums = {};
};

// `rows` empty = all. The problems must have the same rows, loss and intercept; they share the first one's threads.
void sum_rows_together(std::span<ClassPass> classes, std::span<const Index> rows, Arithmetic arithmetic);

}  // namespace s3gd
