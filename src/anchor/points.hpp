// A few points z_1 .. z_m (centres or anchors) that many rows are compared with, and the comparison itself:
//
//     ||x - z||^2 = ||x||^2 - 2 x.z + ||z||^2
//
// for a block of rows at once: one matrix product, or one m-wide addition per non-zero where rows are mostly zeros.
// The rounding of that form is bounded (see distance_rounding), so that callers can tell which of the results have to
// be redone by exact_distance. Cost O(m) per stored entry; memory 2 m d numbers.
#pragma once

#include "anchor/rows.hpp"

namespace s3gd {

template <class T>
struct Points {
  Points(std::vector<T> point_rows, Index point_count, Index dimension);  // m rows of d numbers

  Index count = 0;
  Index dim = 0;
  std::vector<T> rows;          // point j, column c: rows[j * dim + c]
  std::vector<T> columns;       // the same at columns[c * count + j]
  std::vector<double> squares;  // ||z_j||^2

  const T* row(Index j) const { return rows.data() + j * dim; }
};

// Rows of x, which holds numbers of type T. out[(i - begin) * m + j] = x_i . z_j for i in [begin, end).
template <class T>
void row_products(const Matrix& x, Index begin, Index end, const Points<T>& points, T* out);

// ||x_i||^2, and ||x_i - z_j||^2 to the last few bits of T, however close the two are, which takes the former.
double exact_square(const Matrix& x, Index i);
template <class T>
double exact_distance(const Matrix& x, Index i, double square, const Points<T>& points, Index j);

// How far ||x||^2 - 2 x.z + ||z||^2 in precision T can be off, in units of ||x||^2 + ||z||^2.
template <class T>
double distance_rounding(Index dim);

}  // namespace s3gd
