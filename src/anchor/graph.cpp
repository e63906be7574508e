#include "s3gd/graph.hpp"

#include <algorithm>
#include <limits>
#include <new>

#include "anchor/anchors.hpp"
#include "anchor/comparison.hpp"
#include "anchor/neighbours.hpp"
#include "base/clock.hpp"
#include "s3gd/error.hpp"

namespace s3gd {
namespace {

void require(bool fine, const std::string& what, Index found, const std::string& remedy) {
  if (!fine) throw Error("the graph was asked for " + std::to_string(found) + " " + what, remedy);
}

}  // namespace

void check_graph_options(const Matrix& x, const GraphOptions& options) {
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

Graph build_graph(const Matrix& rows, const GraphOptions& options) try {
  const double start = wall_now();
  check_graph_options(rows, options);
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
