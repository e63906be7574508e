// A certificate from what a pass over the rows has found already: O(n + d) instead of a pass and a half.
#pragma once

#include <span>
#include <vector>

#include "s3gd/problem.hpp"

namespace s3gd {

struct RowsSeen {
  double loss = 0;                         // sum_i q_i psi(u_i, y_i)
  std::span<const double> margins;         // u_i
  std::span<const double> gradient;        // sum_i q_i psi'(u_i, y_i) x_i
  std::span<const double> from_positives;  // what rows with a target above zero add to it: see below
  std::span<const double> mean_row = {};   // Problem::mean_row(), where it is known already
};

// Whether a certificate needs RowsSeen::from_positives: a free intercept asks for both classes to pull alike.
bool certificate_needs_positives(const Problem& problem);
// Those, or the other rows, whichever are fewer, are summed once more: half a pass at most.
std::vector<double> gradient_of_positives(const Problem& problem, std::span<const double> w,
                                          std::span<const double> gradient);

Certificate certify_seen(const Problem& problem, std::span<const double> w, const RowsSeen& seen);

}  // namespace s3gd
