// Anchor selection (first half of Algorithm 2): the training row nearest to each k-means centre.
//
// Anchors differ from each other in content, not only in index: where the nearest row is taken already, the next
// nearest follows. Cost: k-means, and one (rows x centres) product.
#pragma once

#include "s3gd/graph.hpp"

namespace s3gd {

// Throws unless the options can be met for these rows.
void check_graph_options(const Matrix& x, const GraphOptions& options);

// Rows that are mostly zeros (by a few of them) are compared with anchors as sparse ones: the copy costs less than the
// zeros do.
bool compares_as_sparse(const Matrix& x);
Matrix as_sparse(const Matrix& x, int threads);

// At most options.anchors rows; fewer only when there are not that many distinct rows.
std::vector<Index> choose_anchors(const Matrix& x, const GraphOptions& options);

// The given rows as points, row-major: rows.size() x cols.
template <class T>
std::vector<T> dense_rows(const Matrix& x, const std::vector<Index>& rows);

// The graph as bytes (little-endian; docs/graph.md has the table of fields): a header, the anchors' row numbers, the
// neighbours, their weights, and a checksum of everything before it.
std::vector<std::byte> graph_to_bytes(const Graph& graph, const Matrix& x);

// Throws one Error naming the file for anything but an intact graph of exactly these rows. Allocates no more than
// the bytes it is given.
Graph graph_from_bytes(std::span<const std::byte> bytes, const std::string& name, const Matrix& x);

}  // namespace s3gd
