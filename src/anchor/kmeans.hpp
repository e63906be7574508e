// k-means: centres c_1 .. c_m that make  sum_i min_j ||x_i - c_j||^2  small.
//
// k-means++ seeding on a small sample, then Lloyd rounds on a larger one; a cluster that loses all its rows is moved
// to the row farthest from its centre. Sums are taken in row order, so the result depends on the seed and not on the
// number of threads. Cost O(rounds * sample * m * d), and d * m doubles.
#pragma once

#include "s3gd/matrix.hpp"

namespace s3gd {

struct KmeansOptions {
  Index clusters = 10;
  Index sample = 0;  // rows that take part, drawn at random; 0 = all
  Index rounds = 10;
  std::uint64_t seed = 0;
  int threads = 0;
};

struct Centres {
  Index count = 0;  // fewer than asked for when the sample has fewer distinct rows
  Index dim = 0;
  std::vector<double> values;  // count x dim

  double* row(Index j) { return values.data() + j * dim; }
  const double* row(Index j) const { return values.data() + j * dim; }
};

Centres kmeans(const Matrix& x, const KmeansOptions& options);

// Lloyd rounds from given centres (at least one); those without rows in the end are left out.
Centres improve_centres(const Matrix& x, Centres centres, Index rounds, int threads = 0);

// For every row of x the nearest centre (the first of several equally near).
std::vector<std::int32_t> assign_clusters(const Matrix& x, const Centres& centres, int threads = 0);

// For each of m centres the few rows nearest to it, without multiplying all rows with all centres.
//
// With an orthonormal basis Q of r directions along which the centres differ most, P = Q'Q:
//
//     ||x - c||^2  >=  ||x||^2 + ||c||^2 - 2 (Qx . Qc + ||x - Px|| ||c - Pc||)
//
// (Cauchy-Schwarz across the rest). A row is compared with a centre in full only where this bound does not rule it
// out, so the answer is exact. Cost O(r) per stored entry and O(r m) per row, plus the pairs that are left.
// One list for each centre: at most `wanted` rows by (distance, row number).
std::vector<std::vector<Index>> nearest_rows(const Matrix& x, const Centres& centres, Index wanted, int threads);

}  // namespace s3gd
