// Passes over all rows, on all threads, in double. Sums have a fixed order: chunk borders depend on the sizes alone.
//
// Sums of rows go to one accumulator for each chunk of rows, so many as fit in a bounded memory; data too wide for
// that is cut by columns instead, where nothing has to be added up.
#pragma once

#include <span>

#include "s3gd/problem.hpp"

namespace s3gd {

// out_i = w.x_i (+ b)
void margins(const Problem& problem, std::span<const double> w, std::span<double> out);

// out = sum_i c_i x_i; the intercept's component, if there is one, is sum_i c_i.
void transpose_times(const Problem& problem, std::span<const double> coefficients, std::span<double> out);

// Both in one pass over memory: the margins of a few rows at a time, then out += c_i x_i with the c_i that `fill` makes
// of them. Rows whose c_i is zero cost nothing. The margins are stored in `kept` unless it is empty.
using Fill = std::function<void(Index first_row, std::span<const double> margins, std::span<double> coefficients)>;
void margins_then_sum(const Problem& problem, std::span<const double> w, const Fill& fill, std::span<double> out,
                      std::span<double> kept = {});

// Value of the loss part and its gradient; the margins too when there is room given for them.
double loss_and_gradient(const Problem& problem, std::span<const double> w, std::span<double> gradient,
                         std::span<double> margins = {});

// ||x_i||^2, plus 1 with an intercept.
std::vector<double> squared_row_norms(const Problem& problem);

// sum_i term(i) in fixed order on all threads.
double sum_over_rows(const Problem& problem, const std::function<double(Index row)>& term);

// What the rows contribute at given margins: one exponential a row.
struct RowTerms {
  double loss = 0;                 // sum_i q_i psi(u_i)
  std::vector<double> slopes;      // q_i psi'(u_i)
  std::vector<double> curvatures;  // q_i psi''(u_i)
};
void evaluate_rows(const Problem& problem, std::span<const double> margins, RowTerms& terms);
// The loss alone.
double loss_at(const Problem& problem, std::span<const double> margins);

}  // namespace s3gd
