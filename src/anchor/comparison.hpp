// The layout in which rows are compared with anchors: dense rows that are mostly zeros as sparse ones, because the copy
// costs less than the zeros do.
#pragma once

#include "s3gd/graph.hpp"

namespace s3gd {

bool compares_as_sparse(const Matrix& x);  // from a few of the rows
Matrix for_comparison(const Matrix& x, int threads);

// Throws unless the options can be met for these rows.
void check_graph_options(const Matrix& x, const GraphOptions& options);

}  // namespace s3gd
