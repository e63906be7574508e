// The sparse anchor-sample graph (second half of Algorithm 2): for a row x its k nearest anchors z_j, and
//
//     gamma_j = exp(-||x - z_j||^2 / sigma^2) / sum,   sigma as the kernel says.
//
// Nearest means nearest: the block product that finds candidates is redone exactly where rounding could matter, and
// ties go to the anchor of lower index. Cost O(m) per stored entry of the row.
#pragma once

#include "anchor/points.hpp"
#include "s3gd/graph.hpp"

namespace s3gd {

// Turns squared distances, nearest first, into weights that sum to 1.
void kernel_weights(Kernel kernel, std::span<const double> distances, float* gammas);

// For rows [begin, end) of x: k anchors and weights each, written to neighbours and gammas from their start.
template <class T>
void find_neighbours(const Matrix& x, Index begin, Index end, const Points<T>& anchors, Index k, Kernel kernel,
                     std::int32_t* neighbours, float* gammas);

// The same for all rows of x, in parallel.
struct NeighbourLists {
  std::vector<std::int32_t> neighbours;
  std::vector<float> gammas;
};
NeighbourLists find_all_neighbours(const Matrix& x, const std::vector<Index>& anchor_rows, Index k, Kernel kernel,
                                   int threads);

}  // namespace s3gd
