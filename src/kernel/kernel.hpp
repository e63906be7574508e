// The arithmetic of the inner loops. SIMD lives here and nowhere else: the best instruction set of the machine is
// chosen at run time. T is the data's type; sums of float rows against float vectors are kept in float lanes and
// returned as double, those against double vectors are done in double throughout.
#pragma once

#include <cstdint>

#include "s3gd/matrix.hpp"

namespace s3gd::kernel {

// sum_j x_j w_j
double dot(const float* x, const float* w, Index n);
double dot(const double* x, const double* w, Index n);
double dot(const float* x, const double* w, Index n);

// y_j += a x_j
void axpy(double a, const float* x, float* y, Index n);
void axpy(double a, const double* x, double* y, Index n);
void axpy(double a, const float* x, double* y, Index n);

// y_j *= a
void scale(double a, float* y, Index n);
void scale(double a, double* y, Index n);

// out[r] = x_r . w for `count` rows given by pointers (several rows at a time share the loads of w).
void dot_rows(const float* const* rows, Index count, const float* w, Index n, double* out);
void dot_rows(const double* const* rows, Index count, const double* w, Index n, double* out);
void dot_rows(const float* const* rows, Index count, const double* w, Index n, double* out);

// y += sum_r coefficients[r] * x_r (several rows at a time share the loads and stores of y).
void axpy_rows(const double* coefficients, const float* const* rows, Index count, float* y, Index n);
void axpy_rows(const double* coefficients, const double* const* rows, Index count, double* y, Index n);
void axpy_rows(const double* coefficients, const float* const* rows, Index count, double* y, Index n);

// y = sum_k values[k] * (row places[k] of a table with rows of n): a sparse row times a matrix. The sums stay in
// registers while the rows go by.
void gather_rows(const float* values, const std::int32_t* places, Index count, const float* table, Index n, float* y);
void gather_rows(const float* values, const std::int64_t* places, Index count, const float* table, Index n, float* y);
void gather_rows(const double* values, const std::int32_t* places, Index count, const double* table, Index n,
                 double* y);
void gather_rows(const double* values, const std::int64_t* places, Index count, const double* table, Index n,
                 double* y);

// The entries of a dense row that are not zero, in order; returns how many. There must be room for n of each.
Index find_nonzeros(const float* row, Index n, std::int32_t* places, float* values);
Index find_nonzeros(const double* row, Index n, std::int32_t* places, double* values);

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

const char* instruction_set();  // for the version of the program and run.json

}  // namespace s3gd::kernel
