// S3GD's control for K classes: the probabilities at the anchors, propagated to a row over its edges.
//
//     h_i = a ( sum_j gamma_ij p(W~ z_j) - e_{y_i} ),      drift = a ( (X M) P - cbar ),   cbar = sum_i q_i x_i e_{y_i}'
//
// One graph serves all K slopes; the label term is exact, as the slope of a row is p(u) - e_y. While the graph grows, sums run
// over the rows seen so far (see oracle/streaming.cpp); then they are those of the full graph. The share a is learned
// from past batches, one for all classes (oracle/coefficient.hpp). A snapshot costs m anchor margins and m x dim.
#pragma once

#include <optional>
#include <vector>

#include "anchor/streaming_graph.hpp"
#include "base/archive.hpp"
#include "oracle/coefficient.hpp"
#include "s3gd/softmax.hpp"

namespace s3gd {

class PropagatedClasses {
 public:
  // graph: used as it is, or null: one that grows with the rows announced.
  PropagatedClasses(const SoftmaxProblem& problem, const GraphOptions& options, ControlMode mode, const Graph* graph);

  bool complete() const { return static_cast<Index>(seen_.size()) == problem_.rows(); }
  // Rows the control wants to hear of before the next snapshot, where the loop will visit `until_snapshot`; 0 = none.
  Index rows_wanted(Index until_snapshot) const;
  // The rows that follow; the first `until_snapshot` of them before the snapshot after next.
  void coming(std::span<const Index> rows, Index until_snapshot);

  // A snapshot in two steps: margins of these rows are asked for, anchors x K; then control and drift are new.
  const std::vector<Index>& anchor_rows();
  void snapshot(std::span<const double> anchor_margins);

  std::span<const double> drift() const { return drift_; }  // features x K
  double share() const { return coefficient_.value(); }
  // K numbers: h_i without the share.
  void propagate(Index row, double* out) const;
  bool learns() const { return coefficient_.adaptive(); }
  void learn(double size, const double* slopes, const double* controls);  // of a row of the present batch
  void state(Archive& a);  // between a step and the snapshot that follows
  Index drift_vectors() const { return (anchors() == 0 ? first_anchors_ : anchors()) + 1; }

 private:
  Index anchors() const { return static_cast<Index>(anchor_rows_.size()); }
  void choose_anchors(std::span<const Index> known, Index wanted);
  void add(std::span<const Index> rows);

  SoftmaxProblem problem_;
  Index classes_, features_;
  Coefficient coefficient_;
  std::optional<StreamingGraph> growing_;
  Edges edges_;
  Index most_anchors_ = 0, first_anchors_ = 0;
  std::vector<Index> anchor_rows_;
  std::vector<bool> is_seen_;
  std::vector<Index> seen_;     // in the order they came
  std::vector<double> xm_;      // anchors x features: X M of the rows seen
  std::vector<double> labels_;  // K x features: cbar of the rows seen
  std::vector<double> shares_;  // anchors x K: probabilities at the anchors
  std::vector<double> drift_;
};

}  // namespace s3gd
