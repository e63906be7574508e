// A few points z_1 .. z_m (centres or anchors) that many rows are compared with, and the comparison itself:
//
//     ||x - z||^2 = ||x||^2 - 2 x.z + ||z||^2
//
// for a block of rows at once: one matrix product, or one m-wide addition per non-zero where rows are mostly zeros.
// The rounding of that form is bounded (see distance_rounding), so that callers can tell which of the results have to
// be redone by exact_distance. Cost O(m) per stored entry; memory 2 m d numbers.
#pragma once

#include "anchor/rows.hpp"
#include "s3gd/graph.hpp"

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

// The sparse anchor-sample graph (second half of Algorithm 2): for a row x its k nearest anchors z_j, and
//
//     gamma_j = exp(-||x - z_j||^2 / sigma^2) / sum,   sigma as the kernel says.
//
// Nearest means nearest: the block product that finds candidates is redone exactly where rounding could matter, and
// ties go to the anchor of lower index. Cost O(m) per stored entry of the row.
// Turns squared distances, nearest first, into weights that sum to 1.
void kernel_weights(Kernel kernel, std::span<const double> distances, float* gammas);

// The given rows of x as points, of its precision.
using AnyPoints = std::variant<Points<float>, Points<double>>;
AnyPoints points_of(const Matrix& x, const std::vector<Index>& rows);

// For rows [begin, end) of x: k anchors and weights each, written to neighbours and gammas from their start.
void find_neighbours(const Matrix& x, Index begin, Index end, const AnyPoints& anchors, Index k, Kernel kernel,
                     std::int32_t* neighbours, float* gammas);

// The same for all rows of x, in parallel.
struct NeighbourLists {
  std::vector<std::int32_t> neighbours;
  std::vector<float> gammas;
};
NeighbourLists find_all_neighbours(const Matrix& x, const std::vector<Index>& anchor_rows, Index k, Kernel kernel,
                                   int threads);

}  // namespace s3gd
