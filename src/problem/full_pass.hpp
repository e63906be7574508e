// Passes over all rows or some of them, on all threads, each block of rows read from memory once. Sums have a fixed order:
// chunk borders depend on the sizes alone.
//
// Sums of rows go to one accumulator for each chunk of rows, so many as fit in a bounded memory; data too wide for
// that is cut by columns instead, where nothing has to be added up.
#pragma once

#include <span>

#include "problem/loss.hpp"
#include "s3gd/problem.hpp"

namespace s3gd {

// data:  margins and block sums in the precision of the rows, block sums added up in double. Relative error of a margin
//        about 1e-7 on float rows: enough to move on, not to certify the last digits.
// exact: double throughout. The same as `data` for sparse rows and rows in double.
enum class Arithmetic : std::uint8_t { data, exact };

struct RowSums {
  double loss = 0;           // sum_i q_i psi(u_i, y_i) over the rows asked for
  double weight = 0;         // sum_i q_i over them
  double positive_loss = 0;  // of those with a target above zero; only where their gradient is asked for
};

// What a pass leaves for each row, in the order of the rows asked for; empty spans are left out.
struct PerRow {
  std::span<double> margins;
  std::span<double> curvatures;  // q_i psi''(u_i, y_i)
  // Not for each row: the gradient of those with a target above zero; in double whatever is asked for.
  std::span<double> positive_gradient = {};
};

// `rows` empty = all. gradient = sum_i q_i psi'(u_i, y_i) x_i, the intercept's component last.
RowSums sum_rows(const Problem& problem, std::span<const Index> rows, std::span<const double> w, Arithmetic arithmetic,
                 std::span<double> gradient, const PerRow& keep = {});

// The rest in double.

// out_i = w.x_i (+ b)
void margins(const Problem& problem, std::span<const double> w, std::span<double> out);

// out = sum_i c_i x_i; the intercept's component, if there is one, is sum_i c_i.
void transpose_times(const Problem& problem, std::span<const double> coefficients, std::span<double> out);

// Both in one pass over memory: the margins of some rows at a time, then out += c_i x_i with the c_i that `fill` makes
// of them. Rows whose c_i is zero cost nothing.
using Fill = std::function<void(Index first_row, std::span<const double> margins, std::span<double> coefficients)>;
void margins_then_sum(const Problem& problem, std::span<const double> w, const Fill& fill, std::span<double> out);

// Value of the loss part and its gradient; the margins too when there is room given for them.
double loss_and_gradient(const Problem& problem, std::span<const double> w, std::span<double> gradient,
                         std::span<double> margins = {});

// ||x_i||^2, plus 1 with an intercept.
std::vector<double> squared_row_norms(const Problem& problem);

// A sum in four chains, so that the additions overlap.
template <class Term>
double sum_of(Index count, const Term& term) {
  double s[4] = {0, 0, 0, 0};
  Index r = 0;
  for (; r + 3 < count; r += 4)
    for (Index k = 0; k < 4; ++k) s[k] += term(r + k);
  for (; r < count; ++r) s[0] += term(r);
  return (s[0] + s[1]) + (s[2] + s[3]);
}
inline double sum_of(std::span<const double> values) {
  return sum_of(std::ssize(values), [&](Index r) { return values[static_cast<std::size_t>(r)]; });
}

// What rows contribute at given margins, their weights included.
class WeighedLoss {
 public:
  static constexpr Index kMost = 256;  // rows at once

  explicit WeighedLoss(const Problem& problem);
  // q psi, q psi' and q psi'' of `count` rows: those from `first` on, or those at `places`. Outputs that are null are left
  // out. Returns the sum of their q.
  double operator()(Index first, Index count, const Index* places, const double* u,
                    const kernel::SoftplusTerms& out) const;

 private:
  Loss loss_;
  std::span<const double> targets_, weights_;
  double even_;
};

// Of all rows: one exponential a row.
struct RowTerms {
  double loss = 0;                 // sum_i q_i psi(u_i)
  std::vector<double> slopes;      // q_i psi'(u_i)
  std::vector<double> curvatures;  // q_i psi''(u_i)
};
void evaluate_rows(const Problem& problem, std::span<const double> margins, RowTerms& terms);
// The loss alone.
double loss_at(const Problem& problem, std::span<const double> margins);

}  // namespace s3gd
