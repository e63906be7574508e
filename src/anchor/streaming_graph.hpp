// The graph that grows as rows are visited: anchors from a small sample, a row's neighbours when it is first asked for.
//
// With the same anchors it has the neighbours and weights that build_graph would find: only the order of the work
// differs. Cost: k-means on a few rows for each anchor, then O(m) per stored entry of the rows added. With one anchor
// there is nothing to find: every row is tied to it with weight 1, and no memory is used.
#pragma once

#include "anchor/points.hpp"
#include "anchor/propagate.hpp"
#include "base/archive.hpp"

namespace s3gd {

class StreamingGraph {
 public:
  StreamingGraph(const Matrix& x, const GraphOptions& options);

  // Rows of the sample wanted for so many anchors.
  Index sample_size(Index anchors) const;
  // Takes new anchors from among these rows; no row has neighbours then.
  void choose(std::span<const Index> sample, Index anchors);
  // Finds the neighbours of these rows.
  void add(std::span<const Index> rows);

  Index anchors() const { return static_cast<Index>(anchor_rows_.size()); }
  const std::vector<Index>& anchor_rows() const { return anchor_rows_; }
  // Of all rows; those of rows never added are zero. Without pointers (per_row 0) when there is one anchor.
  Edges edges() const;
  void state(Archive& a);  // anchors and neighbours, for a checkpoint
  // A copy, as build_graph would give it once all rows are added.
  Graph graph() const;

 private:
  void place_anchors();

  Matrix x_;
  GraphOptions options_;
  bool mostly_zeros_ = false;
  std::vector<Index> anchor_rows_;
  std::optional<AnyPoints> points_;  // the anchors; none when there is one
  Index per_row_ = 0;
  GrowBuffer<std::int32_t> neighbours_;  // rows x per_row, zero pages until added
  GrowBuffer<float> gammas_;
};

}  // namespace s3gd
