// The arithmetic of the inner loops. SIMD lives here and nowhere else: the best instruction set of the machine is
// chosen at run time. T is the data's type; sums of float rows against float vectors are kept in float lanes and
// returned as double, those against double vectors are done in double throughout.
#pragma once

#include "s3gd/matrix.hpp"

namespace s3gd::kernel {

// Of rows of X and vectors of W: X = W = float or double, or X = float and W = double.
//
// sum_j x_j w_j
template <class X, class W>
double dot(const X* x, const W* w, Index n);
// y_j += a x_j
template <class X, class W>
void axpy(double a, const X* x, W* y, Index n);
// out[r] = x_r . w for `count` rows given by pointers (several rows at a time share the loads of w).
template <class X, class W>
void dot_rows(const X* const* rows, Index count, const W* w, Index n, double* out);
// y += sum_r coefficients[r] * x_r (several rows at a time share the loads and stores of y).
template <class X, class W>
void axpy_rows(const double* coefficients, const X* const* rows, Index count, W* y, Index n);

// y_j *= a
template <class W>
void scale(double a, W* y, Index n);
// sum_j (x_j - z_j)^2, in double whatever the rows hold: no cancellation, no overflow of floats.
template <class W>
double squared_distance(const W* x, const W* z, Index n);
// y = sum_k values[k] * (row places[k] of a table with rows of n): a sparse row times a matrix. The sums stay in
// registers while the rows go by. I = int32|int64.
template <class W, class I>
void gather_rows(const W* values, const I* places, Index count, const W* table, Index n, W* y);
// The entries of a dense row that are not zero, in order; returns how many. There must be room for n of each.
template <class W>
Index find_nonzeros(const W* row, Index n, std::int32_t* places, W* values);

// Sparse rows: values and columns of one row against a dense vector. T = float|double, I = int32|int64, W =
// float|double.
template <class T, class I, class W>
inline double sparse_dot(const T* values, const I* columns, Index count, const W* w) {
  const auto term = [&](Index k) { return static_cast<double>(values[k]) * static_cast<double>(w[columns[k]]); };
  double s0 = 0, s1 = 0, s2 = 0, s3 = 0;  // four chains, so that the additions overlap
  Index k = 0;
  for (; k + 3 < count; k += 4) {
    s0 += term(k);
    s1 += term(k + 1);
    s2 += term(k + 2);
    s3 += term(k + 3);
  }
  for (; k < count; ++k) s0 += term(k);
  return (s0 + s1) + (s2 + s3);
}

template <class T, class I, class W>
inline void sparse_axpy(double a, const T* values, const I* columns, Index count, W* w) {
  const W factor = static_cast<W>(a);
  for (Index k = 0; k < count; ++k) w[columns[k]] += factor * static_cast<W>(values[k]);
}

// Sparse rows against a table that holds several numbers for each column: one load of an entry serves them all.
//
// Tables have rows of `width` numbers, a multiple of kTableUnit; X is the type of the entries, W that of the table and
// of the arithmetic. X = float|double, W = float|double but not X = double with W = float; I = int32|int64.
inline constexpr Index kTableUnit = 8;
inline Index table_width(Index numbers) { return (numbers + kTableUnit - 1) / kTableUnit * kTableUnit; }

// y = sum_k values[k] * (row places[k] of the table)
template <class X, class I, class W>
void times_table(const X* values, const I* places, Index count, const W* table, Index width, W* y);

// row places[k] of the table += values[k] * c, for all k
template <class X, class I, class W>
void add_to_table(const X* values, const I* places, Index count, const W* c, Index width, W* table);

// Each row of u (count x width, the first `classes` of them meant) becomes the probabilities exp(u_k) / sum_l exp(u_l),
// zero behind them. log_sums = log sum_k exp(u_k), no overflow; not a number where a margin is not finite.
void softmax_rows(Index count, Index classes, Index width, float* u, double* log_sums);
void softmax_rows(Index count, Index classes, Index width, double* u, double* log_sums);

// Losses made of exponentials, many margins at once.
//
// For psi(u, y) = softplus(t) / beta with t = beta (shift - y u), y = -1 or +1:
//
//     value = softplus(t) / beta      slope = -y sigmoid(t)      curvature = beta sigmoid(t) (1 - sigmoid(t))
//
// Logistic: beta 1, shift 0. Smooth hinge: shift 1. Outputs that are null are left out. In place is allowed.
struct SoftplusTerms {
  double* value = nullptr;
  double* slope = nullptr;
  double* curvature = nullptr;
};
void softplus_terms(double beta, double shift, const double* u, const double* y, Index n, const SoftplusTerms& out);

// out = a log a + (1-a) log(1-a) for a in [0, 1], 0 at both ends; infinity outside. In place is allowed.
void negative_entropy(const double* a, Index n, double* out);

const char* instruction_set();  // for the version of the program and run.json

}  // namespace s3gd::kernel
