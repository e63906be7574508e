// For each of m centres the few rows nearest to it, without multiplying all rows with all centres.
//
// With an orthonormal basis Q of r directions along which the centres differ most, P = Q'Q:
//
//     ||x - c||^2  >=  ||x||^2 + ||c||^2 - 2 (Qx . Qc + ||x - Px|| ||c - Pc||)
//
// (Cauchy-Schwarz across the rest). A row is compared with a centre in full only where this bound does not rule it
// out, so the answer is exact. Cost O(r) per stored entry and O(r m) per row, plus the pairs that are left.
#pragma once

#include <vector>

#include "anchor/kmeans.hpp"
#include "s3gd/matrix.hpp"

namespace s3gd {

// One list for each centre: at most `wanted` rows by (distance, row number).
std::vector<std::vector<Index>> nearest_rows(const Matrix& x, const Centres& centres, Index wanted, int threads);

}  // namespace s3gd
