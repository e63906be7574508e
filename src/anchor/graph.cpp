#include <array>
#include <limits>
#include <new>
#include <numeric>
#include <unordered_set>

#include "anchor/anchors.hpp"
#include "anchor/kmeans.hpp"
#include "anchor/points.hpp"
#include "base/clock.hpp"
#include "base/index.hpp"
#include "s3gd/error.hpp"

namespace s3gd {
namespace {

// Nearest rows looked at for each centre, should the first be taken: few for all, then many for those left over.
constexpr std::array<Index, 2> kCandidates{2, 64};

Centres chosen_centres(const Centres& centres, const std::vector<Index>& chosen) {
  Centres some;
  some.count = static_cast<Index>(chosen.size());
  some.dim = centres.dim;
  for (const Index j : chosen) some.values.insert(some.values.end(), centres.row(j), centres.row(j) + centres.dim);
  return some;
}

std::vector<Index> nearest_distinct_rows(const Matrix& x, const Centres& centres, Index wanted, int threads) {
  const auto content = [&](Index i) { return row_checksum(x, i); };
  const auto same = [&](Index a, Index b) { return rows_equal(x, a, b); };
  std::unordered_set<Index, decltype(content), decltype(same)> distinct(at(wanted), content, same);
  const auto take = [&](Index i) { return distinct.insert(i).second; };  // false: one like it is taken
  std::vector<Index> anchors;
  std::vector<Index> open(at(centres.count));  // centres that have no anchor yet
  std::iota(open.begin(), open.end(), Index{0});
  for (const Index candidates : kCandidates) {
    if (open.empty()) break;
    std::vector<Index> still_open;
    const auto nearest = nearest_rows(x, chosen_centres(centres, open), candidates, threads);
    for (std::size_t j = 0; j < open.size(); ++j) {
      const auto row = std::find_if(nearest[j].begin(), nearest[j].end(), take);
      if (row != nearest[j].end())
        anchors.push_back(*row);
      else
        still_open.push_back(open[j]);
    }
    open = std::move(still_open);
  }
  // Centres crowded out by many duplicates, or never found because distinct rows are rare: any new row will do.
  for (Index i = 0; i < x.rows() && static_cast<Index>(anchors.size()) < wanted; ++i)
    if (take(i)) anchors.push_back(i);
  return anchors;
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

void require(bool fine, const std::string& what, Index found, const std::string& remedy) {
  if (!fine) throw Error("the graph was asked for " + std::to_string(found) + " " + what, remedy);
}

}  // namespace

std::vector<Index> choose_anchors(const Matrix& x, const GraphOptions& options) {
  const Index wanted = std::min(options.anchors, x.rows());
  const bool all = options.sample_per_anchor > x.rows() / wanted;
  const Centres centres = kmeans(x, {.clusters = wanted,
                                     .sample = all ? 0 : options.sample_per_anchor * wanted,
                                     .rounds = options.rounds,
                                     .seed = options.seed,
                                     .threads = options.threads});
  return nearest_distinct_rows(x, centres, wanted, options.threads);
}

template <class T>
std::vector<T> dense_rows(const Matrix& x, const std::vector<Index>& rows) {
  std::vector<T> values(rows.size() * at(x.cols()));
  x.visit([&](const auto& view) {
    for (std::size_t j = 0; j < rows.size(); ++j) expand_row(view, rows[j], values.data() + j * at(view.cols));
  });
  return values;
}

template std::vector<float> dense_rows<float>(const Matrix&, const std::vector<Index>&);
template std::vector<double> dense_rows<double>(const Matrix&, const std::vector<Index>&);

bool compares_as_sparse(const Matrix& x) {
  constexpr double kMostlyZeros = 0.3;  // share of non-zeros below which that holds
  return x.is_dense() && nonzero_share(x) <= kMostlyZeros;
}

Matrix as_sparse(const Matrix& x, int threads) { return with_layout(x, Layout::sparse, x.precision(), threads); }

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
  const Matrix x = compares_as_sparse(rows) ? as_sparse(rows, options.threads) : rows;
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
  throw Error(ErrorCode::out_of_memory, {}, "out of memory while building the graph",
              "ask for fewer anchors or neighbours");
}

}  // namespace s3gd
