// A certificate from what a pass over the rows has found already: O(n + d) instead of a pass and a half.
#pragma once

#include <span>
#include <vector>

#include "s3gd/problem.hpp"

namespace s3gd {

// What rows with a target above zero add to loss and gradient.
struct OfPositives {
  double loss = 0;
  std::vector<double> gradient;
};

struct RowsSeen {
  double loss = 0;                         // sum_i q_i psi(u_i, y_i)
  std::span<const double> margins;         // u_i; not needed with the squared loss where the intercept's slope is zero
  std::span<const double> gradient;        // sum_i q_i psi'(u_i, y_i) x_i
  const OfPositives* positives = nullptr;  // see below
  std::span<const double> mean_row = {};   // Problem::mean_row(), where it is known already
  // A relative gap that is small enough: O(d) where a bound that needs no look at single rows shows it.
  double enough = 0;
};

// Whether a certificate needs RowsSeen::positives: a free intercept asks for both classes to pull alike.
bool certificate_needs_positives(const Problem& problem);

// The rows of one class, the one with fewer of them.
struct SmallerClass {
  explicit SmallerClass(const Problem& problem);
  std::vector<Index> rows;
  bool positive = false;
};
// Sums the smaller class once more, half a pass at most; `loss` and `gradient` are those of all rows.
OfPositives sum_positives(const Problem& problem, std::span<const double> w, double loss,
                          std::span<const double> gradient, const SmallerClass& smaller);

Certificate certify_seen(const Problem& problem, std::span<const double> w, const RowsSeen& seen);

}  // namespace s3gd
