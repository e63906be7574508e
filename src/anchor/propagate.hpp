// Sums over all rows that the graph and the labels need, each one pass over the data:
//
//     X M    row j = sum_i q_i gamma_ij x_i        (m x dim; the transpose of the paper's d x m)
//     cbar         = sum_i q_i c_i x_i             (the label term)
//
// With an intercept every x_i ends in a 1, so the last component is the mass sum_i q_i gamma_ij (or sum_i q_i c_i).
// q empty means 1/n for every row. Double sums in row order within parts whose borders depend on the sizes alone, so
// the bits do not depend on the threads. Cost O(k) per stored entry; memory m * dim doubles for each part.
#pragma once

#include "s3gd/graph.hpp"

namespace s3gd {

template <class T>
struct PropagatedSums {
  Index anchors = 0;
  Index dim = 0;
  std::vector<T> xm;  // anchors x dim

  const T* row(Index j) const { return xm.data() + j * dim; }
};

// Rows to take: all of them, or those whose value is `wanted` (the label, for losses with one X M per label).
struct RowGroup {
  std::span<const double> values;
  double wanted = 0;

  bool holds(Index i) const { return values.empty() || values[static_cast<std::size_t>(i)] == wanted; }
};

template <class T>
PropagatedSums<T> propagate(const Matrix& x, const Graph& graph, std::span<const double> q, bool has_intercept,
                            int threads = 0, const RowGroup& group = {});

// The edges of rows of x: row i's anchors and weights are the k numbers from i * k on. k = 0: one anchor, to which
// every row is tied.
struct Edges {
  const std::int32_t* neighbours = nullptr;
  const float* gammas = nullptr;
  Index per_row = 0;
};

// Adds the given rows to sums that grow row by row: xm (anchors x dim) += their part of X M, in their order.
void add_to_propagation(const Matrix& x, std::span<const Index> rows, const Edges& edges, Index anchors,
                        std::span<const double> q, bool has_intercept, int threads, const RowGroup& group,
                        std::span<double> xm);

// sum += sum_r coefficients[r] x_rows[r], in their order.
void add_weighted_rows(const Matrix& x, std::span<const Index> rows, std::span<const double> coefficients,
                       bool has_intercept, std::span<double> sum);

// sum_i q_i c_i x_i: cols (+ 1 with an intercept) numbers.
std::vector<double> weighted_row_sum(const Matrix& x, std::span<const double> q, std::span<const double> c,
                                     bool has_intercept, int threads = 0);

}  // namespace s3gd
