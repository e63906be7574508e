#include "anchor/propagate.hpp"

#include "anchor/rows.hpp"
#include "base/index.hpp"
#include "base/threads.hpp"
#include "s3gd/error.hpp"

namespace s3gd {
namespace {

constexpr Index kMostParts = 16;                   // sums at most; more cost more to add than threads gain
constexpr Index kNumbersInParts = Index{1} << 22;  // 32 MB of sums, so that large problems are cut into fewer parts
constexpr Index kNumbersInCache = Index{1} << 15;  // sums that a row of blocks works on: half a second-level cache
constexpr Index kAnchorRanges = 8;                 // units of work for threads

// Rows [0, rows) cut into a few parts with a sum of `size` numbers each.
class PartialSums {
 public:
  PartialSums(Index rows, Index size) : rows_(rows), size_(size) {
    parts_ = std::clamp(kNumbersInParts / std::max<Index>(1, size), Index{1},
                        std::min(kMostParts, std::max<Index>(1, rows)));
    values_.assign(at(parts_ * size), 0.0);
  }
  Index parts() const { return parts_; }
  Index begin(Index part) const { return rows_ / parts_ * part + std::min(part, rows_ % parts_); }
  Index end(Index part) const { return begin(part + 1); }
  double* of(Index part) { return values_.data() + part * size_; }

  template <class T>
  std::vector<T> total(int threads) const {
    std::vector<T> sum(at(size_));
    parallel_ranges(size_, 4096, threads, [&](Index from, Index to, Index) {
      for (Index c = from; c < to; ++c) {
        double value = values_[at(c)];
        for (Index part = 1; part < parts_; ++part) value += values_[at(part * size_ + c)];
        sum[at(c)] = static_cast<T>(value);
      }
    });
    return sum;
  }

 private:
  Index rows_, size_, parts_ = 1;
  std::vector<double> values_;
};

double weight_of(std::span<const double> q, Index i, Index rows) {
  return q.empty() ? 1.0 / static_cast<double>(rows) : q[at(i)];
}

void check_length(std::span<const double> values, Index rows, const char* name) {
  if (static_cast<Index>(values.size()) != rows)
    throw Error("there are " + std::to_string(values.size()) + " " + name + " for " + std::to_string(rows) + " rows");
}

// Several sums (anchors x dim), one after the other in memory: each_edge(part, add) calls add(i, anchor, coefficient)
// for the edges of a part's rows.
//
// Tiles of dense rows are blocks of columns, so that the sums of all anchors stay in cache while the rows stream by; of
// CSR rows, ranges of anchors with all columns, since a row's entries cannot be cut without a search.
template <class Each>
void propagate_all(const Matrix& x, Index anchors, Index parts, bool has_intercept, int threads, double* sums,
                   const Each& each_edge) {
  x.visit([&](const auto& view) {
    constexpr bool kDense = is_dense_view<std::decay_t<decltype(view)>>;
    const Index dim = view.cols + (has_intercept ? 1 : 0);
    const Index in_cache = std::clamp<Index>(kNumbersInCache / anchors / 64 * 64, 64, std::max<Index>(64, view.cols));
    const Index width = kDense ? in_cache : (anchors + kAnchorRanges - 1) / kAnchorRanges;
    const Index tiles = std::max<Index>(1, ((kDense ? view.cols : anchors) + width - 1) / width);
    parallel_for(parts * tiles, threads, [&](Index task) {
      const Index part = task / tiles, tile = task % tiles;
      double* const sum = sums + part * anchors * dim;
      each_edge(part, [&](Index i, Index anchor, double coefficient) {
        double* const row = sum + anchor * dim;
        if constexpr (kDense) {
          const Index from = tile * width;
          kernel::axpy(coefficient, view.row(i) + from, row + from, std::min(width, view.cols - from));
        } else {
          if (anchor / width != tile) return;
          add_row(coefficient, view, i, row);
        }
        if (has_intercept && (!kDense || tile == 0)) row[dim - 1] += coefficient;
      });
    });
  });
}

// The edges of row i, if the group holds it: add(i, anchor, q_i gamma_ij).
template <class Add>
void for_each_edge(Index i, Index rows, const Edges& edges, std::span<const double> q, const RowGroup& group,
                   Add&& add) {
  if (!group.holds(i)) return;
  const double weight = weight_of(q, i, rows);
  for (Index j = i * edges.per_row; j < (i + 1) * edges.per_row; ++j)
    if (edges.gammas[j] != 0.0F) add(i, edges.neighbours[j], weight * static_cast<double>(edges.gammas[j]));
}

}  // namespace

void add_to_propagation(const Matrix& x, std::span<const Index> rows, const Edges& edges, Index anchors,
                        std::span<const double> q, bool has_intercept, int threads, const RowGroup& group,
                        std::span<double> xm) {
  if (edges.per_row == 0) {
    std::vector<double> weights(rows.size());
    for (std::size_t r = 0; r < rows.size(); ++r)
      weights[r] = group.holds(rows[r]) ? weight_of(q, rows[r], x.rows()) : 0.0;
    return add_weighted_rows(x, rows, weights, has_intercept, xm);
  }
  propagate_all(x, anchors, 1, has_intercept, threads, xm.data(), [&, n = x.rows()](Index, auto&& add) {
    for (const Index i : rows) for_each_edge(i, n, edges, q, group, add);
  });
}

void add_weighted_rows(const Matrix& x, std::span<const Index> rows, std::span<const double> coefficients,
                       bool has_intercept, std::span<double> sum) {
  x.visit([&](const auto& view) {
    if constexpr (is_dense_view<std::decay_t<decltype(view)>>) {
      std::vector<decltype(view.values)> pointers;
      for (const Index i : rows) pointers.push_back(view.row(i));
      kernel::axpy_rows(coefficients.data(), pointers.data(), std::ssize(rows), sum.data(), view.cols);
    } else {
      for (std::size_t r = 0; r < rows.size(); ++r)
        if (coefficients[r] != 0) add_row(coefficients[r], view, rows[r], sum.data());
    }
  });
  if (has_intercept)
    for (const double coefficient : coefficients) sum.back() += coefficient;
}

template <class T>
PropagatedSums<T> propagate(const Matrix& x, const Graph& graph, std::span<const double> q, bool has_intercept,
                            int threads, const RowGroup& group) {
  if (graph.rows() != x.rows())
    throw Error("the graph has " + std::to_string(graph.rows()) + " rows, the data " + std::to_string(x.rows()),
                "build the graph from these rows");
  if (!q.empty()) check_length(q, x.rows(), "weights");
  if (!group.values.empty()) check_length(group.values, x.rows(), "group values");
  PropagatedSums<T> result;
  result.anchors = graph.anchors();
  result.dim = x.cols() + (has_intercept ? 1 : 0);
  PartialSums sums(x.rows(), result.anchors * result.dim);
  const Edges edges{graph.neighbours.data(), graph.gammas.data(), graph.neighbours_per_row()};
  propagate_all(x, graph.anchors(), sums.parts(), has_intercept, threads, sums.of(0), [&](Index part, auto&& add) {
    for (Index i = sums.begin(part); i < sums.end(part); ++i) for_each_edge(i, graph.rows(), edges, q, group, add);
  });
  result.xm = sums.total<T>(threads);
  return result;
}

std::vector<double> weighted_row_sum(const Matrix& x, std::span<const double> q, std::span<const double> c,
                                     bool has_intercept, int threads) {
  check_length(c, x.rows(), "coefficients");
  if (!q.empty()) check_length(q, x.rows(), "weights");
  PartialSums sums(x.rows(), x.cols() + (has_intercept ? 1 : 0));
  x.visit([&](const auto& view) {
    parallel_for(sums.parts(), threads, [&](Index part) {
      double* sum = sums.of(part);
      for (Index i = sums.begin(part); i < sums.end(part); ++i) {
        const double coefficient = weight_of(q, i, view.rows) * c[at(i)];
        if (coefficient == 0) continue;
        add_row(coefficient, view, i, sum);
        if (has_intercept) sum[view.cols] += coefficient;
      }
    });
  });
  return sums.total<double>(threads);
}

template PropagatedSums<float> propagate(const Matrix&, const Graph&, std::span<const double>, bool, int,
                                         const RowGroup&);
template PropagatedSums<double> propagate(const Matrix&, const Graph&, std::span<const double>, bool, int,
                                          const RowGroup&);

}  // namespace s3gd
