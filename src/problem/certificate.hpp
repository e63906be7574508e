// A certificate from what a pass over the rows has found already: O(n + d) instead of a pass and a half.
#pragma once

#include "s3gd/matrix.hpp"
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

// Of several problems over the same rows, each at its own w: one pass, and half a one for each that needs its positives.
struct PlaceOfClass {
  const Problem* problem = nullptr;
  std::span<const double> w;
};
std::vector<Certificate> certify_together(std::span<const PlaceOfClass> classes);

// Scales that turn flows between classes into a circulation.

// For flows m_kl >= 0 from k to l (K x K, the diagonal left aside): scales t_k in [0, 1], the largest 1, such that t_k m_kl
// flows into every l as much as t_l m_lk flows out of it: the stationary distribution of a Markov chain, found without a
// subtraction (Grassmann, Taksar and Heyman, 1985). All zero where the classes fall apart. O(K^3).
std::vector<double> balancing_scales(std::span<const double> flows, Index classes);

// What the number of a certificate is called.
inline const char* name_of_gap(const Certificate& certificate) {
  return certificate.kind == Certificate::Kind::duality_gap ? "relative gap" : "prox-gradient norm";
}

}  // namespace s3gd
