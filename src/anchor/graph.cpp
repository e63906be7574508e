#include "s3gd/graph.hpp"

#include <algorithm>
#include <limits>
#include <new>

#include "anchor/anchors.hpp"
#include "anchor/neighbours.hpp"
#include "anchor/rows.hpp"
#include "base/clock.hpp"
#include "data/convert.hpp"
#include "s3gd/error.hpp"

namespace s3gd {
namespace {

void require(bool fine, const std::string& what, Index found, const std::string& remedy) {
  if (!fine) throw Error("the graph was asked for " + std::to_string(found) + " " + what, remedy);
}

void check(const Matrix& x, const GraphOptions& options) {
  require(options.anchors > 0, "anchors", options.anchors, "ask for at least 1");
  require(options.neighbours > 0, "neighbours per row", options.neighbours, "ask for at least 1");
  require(options.sample_per_anchor >= 0, "rows per anchor in k-means", options.sample_per_anchor,
          "give 0 for all rows, or a positive number");
  require(options.rounds >= 0, "rounds of k-means", options.rounds, "give 0 or more");
  if (x.rows() == 0) throw Error("a graph needs at least one row, and there is none");
  const Index anchors = std::min(options.anchors, x.rows());
  constexpr Index kMost = std::numeric_limits<std::int32_t>::max();
  require(anchors <= kMost, "anchors", anchors, "ask for at most " + std::to_string(kMost));
}

// Share of non-zeros in a few of the rows.
double nonzero_share(const Matrix& x) {
  const Index step = std::max<Index>(1, x.rows() / 1000);
  Index count = 0, looked_at = 0;
  x.visit([&](const auto& view) {
    for (Index i = 0; i < view.rows; i += step, looked_at += view.cols)
      for_each_nonzero(view, i, [&](Index, auto) { ++count; });
  });
  return looked_at == 0 ? 1.0 : static_cast<double>(count) / static_cast<double>(looked_at);
}

// Dense rows that are mostly zeros are compared as sparse ones: the copy costs less than the zeros do.
Matrix for_comparison(const Matrix& x, int threads) {
  constexpr double kMostlyZeros = 0.3;  // share of non-zeros below which that holds
  if (!x.is_dense() || nonzero_share(x) > kMostlyZeros) return x;
  return with_layout(x, Layout::sparse, x.precision(), threads);
}

}  // namespace

Graph build_graph(const Matrix& rows, const GraphOptions& options) try {
  const double start = wall_now();
  check(rows, options);
  const Matrix x = for_comparison(rows, options.threads);
  Graph graph;
  graph.options = options;
  graph.anchor_rows = choose_anchors(x, options);
  graph.options.anchors = graph.anchors();
  graph.options.neighbours = std::min(options.neighbours, graph.anchors());
  auto lists = find_all_neighbours(x, graph.anchor_rows, graph.options.neighbours, options.kernel, options.threads);
  graph.neighbours = Array<std::int32_t>(std::move(lists.neighbours));
  graph.gammas = Array<float>(std::move(lists.gammas));
  graph.seconds = wall_now() - start;
  return graph;
} catch (const std::bad_alloc&) {
  throw Error("out of memory while building the graph", "ask for fewer anchors or neighbours");
}

}  // namespace s3gd
