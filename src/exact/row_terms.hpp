// What the rows contribute at given margins: loss, slopes and curvatures together, one exponential a row.
#pragma once

#include <span>
#include <vector>

#include "s3gd/problem.hpp"

namespace s3gd {

struct RowTerms {
  double loss = 0;                 // sum_i q_i psi(u_i)
  std::vector<double> slopes;      // q_i psi'(u_i)
  std::vector<double> curvatures;  // q_i psi''(u_i)
};

// Same bits at any number of threads.
void evaluate_rows(const Problem& problem, std::span<const double> margins, RowTerms& terms);

}  // namespace s3gd
