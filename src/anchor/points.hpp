// A few points z_1 .. z_m (centres or anchors) that many rows are compared with, and the comparison itself:
//
//     ||x - z||^2 = ||x||^2 - 2 x.z + ||z||^2
//
// for a block of rows at once: one matrix product for dense rows, one m-wide addition per stored entry for CSR rows.
// The rounding of that form is bounded (see distance_rounding), so that callers can tell which of the results have to
// be redone by exact_distance. Cost O(m) per stored entry; memory m * d numbers.
#pragma once

#include <span>
#include <vector>

#include "anchor/rows.hpp"

namespace s3gd {

template <class T>
struct Points {
  // From m rows of d numbers. Dense rows want them by row, CSR rows by column.
  Points(std::span<const T> rows, Index point_count, Index dimension, bool want_by_column);

  Index count = 0;
  Index dim = 0;
  bool by_column = false;
  std::vector<T> values;        // point j, column c: values[j * dim + c], or values[c * count + j] when by_column
  std::vector<double> squares;  // ||z_j||^2

  T at(Index j, Index c) const { return values[static_cast<std::size_t>(by_column ? c * count + j : j * dim + c)]; }
};

// out[(i - begin) * m + j] = x_i . z_j for i in [begin, end).
template <class T>
void row_products(const DenseView<T>& x, Index begin, Index end, const Points<T>& points, T* out);
template <class T, class I>
void row_products(const CsrView<T, I>& x, Index begin, Index end, const Points<T>& points, T* out);

// ||x_i - z_j||^2 to the last few bits of T, however close the two are.
template <class T>
double exact_distance(const DenseView<T>& x, Index i, const Points<T>& points, Index j);
template <class T, class I>
double exact_distance(const CsrView<T, I>& x, Index i, const Points<T>& points, Index j);

// How far ||x||^2 - 2 x.z + ||z||^2 in precision T can be off, in units of ||x||^2 + ||z||^2.
template <class T>
double distance_rounding(Index dim);

}  // namespace s3gd
