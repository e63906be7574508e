// Rows as wholes: equality and gathering.
#pragma once

#include <span>
#include <vector>

#include "data/row_access.hpp"

namespace s3gd {

// The same numbers in both rows (stored zeros count as absent).
bool rows_equal(const Matrix& x, Index a, Index b);

// A copy of the given rows, in their order and in the layout of x. Parallel.
Matrix gather_rows(const Matrix& x, std::span<const Index> rows, int threads);

}  // namespace s3gd
