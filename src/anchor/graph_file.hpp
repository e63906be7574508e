// The graph as bytes (little-endian; docs/graph.md has the table of fields): a header, the anchors' row numbers, the
// neighbours, their weights, and a checksum of everything before it.
#pragma once

#include "s3gd/graph.hpp"

namespace s3gd {

std::vector<std::byte> graph_to_bytes(const Graph& graph, const Matrix& x);

// Throws one Error naming the file for anything but an intact graph of exactly these rows. Allocates no more than
// the bytes it is given.
Graph graph_from_bytes(std::span<const std::byte> bytes, const std::string& name, const Matrix& x);

}  // namespace s3gd
