#include <gtest/gtest.h>

#include <set>

#include "anchor/points.hpp"
#include "reference.hpp"
#include "s3gd/error.hpp"

namespace s3gd {
namespace {

using namespace reference;

GraphOptions small_options(Index anchors = 20, Index neighbours = 4) {
  GraphOptions options;
  options.anchors = anchors;
  options.neighbours = neighbours;
  options.threads = 2;
  return options;
}

void expect_same_bits(const Graph& a, const Graph& b) {
  EXPECT_EQ(a.anchor_rows, b.anchor_rows);
  EXPECT_TRUE(std::equal(a.neighbours.begin(), a.neighbours.end(), b.neighbours.begin(), b.neighbours.end()));
  EXPECT_TRUE(std::equal(a.gammas.begin(), a.gammas.end(), b.gammas.begin(), b.gammas.end()));
}

void expect_matches_reference(const Table& table, const Graph& graph, double tolerance) {
  const Index k = graph.neighbours_per_row();
  ASSERT_EQ(graph.rows(), static_cast<Index>(table.size()));
  for (std::size_t i = 0; i < table.size(); ++i) {
    const auto expected = nearest_anchors(table, i, graph.anchor_rows, k, graph.options.kernel);
    double sum = 0;
    for (Index j = 0; j < k; ++j) {
      const auto at = static_cast<Index>(i) * k + j;
      ASSERT_EQ(graph.neighbours[at], expected.anchors[static_cast<std::size_t>(j)]) << "row " << i;
      ASSERT_NEAR(graph.gammas[at], expected.gammas[static_cast<std::size_t>(j)], tolerance) << "row " << i;
      sum += static_cast<double>(graph.gammas[at]);
    }
    ASSERT_NEAR(sum, 1.0, 1e-6);
  }
}

TEST(Graph, EqualsTheNaiveOneInEveryLayoutAndPrecision) {
  const auto table = clumped_rows(700, 33, 1);
  for (const auto kernel : {Kernel::paper, Kernel::scaled})
    for (const auto& [name, x] : every_layout(table)) {
      SCOPED_TRACE(name);
      auto options = small_options();
      options.kernel = kernel;
      const auto graph = build_graph(x, options);
      EXPECT_EQ(graph.anchors(), 20);
      expect_matches_reference(table, graph, 2e-6);
    }
}

TEST(Graph, EqualsTheNaiveOneWhereRowsAreMostlyZeros) {
  const auto table = clumped_rows(700, 61, 2, 1.0, 0.85);
  for (const auto& [name, x] : every_layout(table)) {
    SCOPED_TRACE(name);
    expect_matches_reference(table, build_graph(x, small_options()), 2e-6);
  }
}

TEST(Graph, AnchorsAreTheRowsNearestToTheirCentres) {
  // Three tight clumps far apart, and one row of each exactly in the middle of its clump.
  Table table;
  for (const double place : {-100.0, 0.0, 100.0})
    for (const double offset : {-1.0, 0.0, 1.0}) table.push_back({place + offset, place});
  const auto graph = build_graph(dense<float>(table), small_options(3, 1));
  const std::set<Index> rows(graph.anchor_rows.begin(), graph.anchor_rows.end());
  EXPECT_EQ(rows, (std::set<Index>{1, 4, 7}));
}

TEST(Graph, DuplicateRowsAreAnchorsOnce) {
  auto table = clumped_rows(40, 8, 3);
  const auto distinct = table;
  for (int copy = 0; copy < 9; ++copy) table.insert(table.end(), distinct.begin(), distinct.end());
  for (const auto& [name, x] : every_layout(table)) {
    SCOPED_TRACE(name);
    const auto graph = build_graph(x, small_options(30, 5));
    EXPECT_EQ(graph.anchors(), 30);
    std::set<std::vector<double>> contents;
    for (const Index row : graph.anchor_rows) contents.insert(table[static_cast<std::size_t>(row)]);
    EXPECT_EQ(contents.size(), 30U);
    expect_matches_reference(table, graph, 2e-6);
  }
}

TEST(Graph, HasNoMoreAnchorsThanDistinctRowsAndNoMoreNeighboursThanAnchors) {
  auto table = clumped_rows(6, 5, 4);
  for (int i = 0; i < 300; ++i) table.push_back(table[static_cast<std::size_t>(i % 6)]);
  for (const auto& [name, x] : every_layout(table)) {
    SCOPED_TRACE(name);
    const auto graph = build_graph(x, small_options(100, 50));
    EXPECT_EQ(graph.anchors(), 6);
    EXPECT_EQ(graph.options.anchors, 6);
    EXPECT_EQ(graph.options.neighbours, 6);
    expect_matches_reference(table, graph, 2e-6);
  }
}

TEST(Graph, RareDistinctRowsAreStillFound) {
  Table table(5000, std::vector<double>{1, 0, 2});
  for (int i = 0; i < 10; ++i) table[static_cast<std::size_t>(400 * i + 7)] = {1.0 + i, 3, 0};
  auto options = small_options(11, 2);
  options.sample_per_anchor = 2;
  EXPECT_EQ(build_graph(dense<float>(table), options).anchors(), 11);
  EXPECT_EQ((build_graph(csr<double, std::int32_t>(table), options).anchors()), 11);
}

TEST(Graph, OneRowIsItsOwnAnchor) {
  for (const auto& [name, x] : every_layout({{0.5, 0, -3}})) {
    SCOPED_TRACE(name);
    const auto graph = build_graph(x);
    EXPECT_EQ(graph.anchor_rows, std::vector<Index>{0});
    EXPECT_EQ(graph.neighbours_per_row(), 1);
    EXPECT_EQ(graph.gammas[0], 1.0F);
  }
}

TEST(Graph, RowsOfZerosAreRowsLikeOthers) {
  const Table table{{0, 0}, {0, 0}, {1, 0}};
  for (const auto& [name, x] : every_layout(table)) {
    SCOPED_TRACE(name);
    expect_matches_reference(table, build_graph(x, small_options(5, 2)), 1e-6);
  }
}

TEST(Graph, IsFiniteAtEveryScale) {
  for (const double scale : {1e-25, 1e-6, 1e-3, 1e3, 1e6, 1e25})
    for (const auto kernel : {Kernel::paper, Kernel::scaled}) {
      const auto table = clumped_rows(300, 12, 5, scale);
      auto options = small_options();
      options.kernel = kernel;
      for (const auto& [name, x] : every_layout(table)) {
        SCOPED_TRACE(name + " at scale " + std::to_string(scale));
        expect_matches_reference(table, build_graph(x, options), 2e-6);
      }
    }
}

TEST(Graph, NeighboursAreRightWhereTheProductFormCancels) {
  auto table = clumped_rows(300, 10, 6);
  for (auto& row : table)
    for (auto& value : row) value = static_cast<double>(static_cast<float>(value + 30000));
  for (const auto& [name, x] : every_layout(table)) {
    SCOPED_TRACE(name);
    expect_matches_reference(table, build_graph(x, small_options()), 1e-5);
  }
}

TEST(Graph, HasTheSameBitsAtAnyNumberOfThreads) {
  const auto table = clumped_rows(3000, 20, 7);
  for (const auto& [name, x] : every_layout(table)) {
    SCOPED_TRACE(name);
    auto options = small_options(40, 5);
    options.threads = 1;
    const auto one = build_graph(x, options);
    for (const int threads : {2, 7}) {
      options.threads = threads;
      expect_same_bits(one, build_graph(x, options));
    }
  }
}

TEST(Graph, AnotherSeedTakesOtherAnchors) {
  const auto x = dense<float>(clumped_rows(2000, 20, 8));
  auto options = small_options(40, 5);
  const auto first = build_graph(x, options).anchor_rows;
  options.seed = 1;
  EXPECT_NE(first, build_graph(x, options).anchor_rows);
}

TEST(Graph, WrongOptionsAreOneClearError) {
  const auto x = dense<float>({{1.0}, {2.0}});
  const auto message = [&](auto change) {
    GraphOptions options;
    change(options);
    try {
      build_graph(x, options);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_NE(message([](auto& o) { o.anchors = 0; }).find("0 anchors"), std::string::npos);
  EXPECT_NE(message([](auto& o) { o.anchors = -3; }).find("-3 anchors"), std::string::npos);
  EXPECT_NE(message([](auto& o) { o.neighbours = 0; }).find("0 neighbours"), std::string::npos);
  EXPECT_NE(message([](auto& o) { o.neighbours = -1; }).find("-1 neighbours"), std::string::npos);
  EXPECT_NE(message([](auto& o) { o.rounds = -1; }).find("-1 rounds"), std::string::npos);
  EXPECT_NE(message([](auto& o) { o.sample_per_anchor = -1; }).find("-1 rows per anchor"), std::string::npos);
  EXPECT_NE(message([](auto& o) { o.threads = -1; }).find("threads"), std::string::npos);
  EXPECT_THROW(build_graph(Matrix::own_dense(std::vector<float>{}, 0, 3)), Error);
}

TEST(KernelWeights, TheRowThatIsAnAnchorHasNoNaN) {
  for (const auto kernel : {Kernel::paper, Kernel::scaled}) {
    float gammas[3];
    kernel_weights(kernel, std::vector<double>{0, 0.5, 2}, gammas);
    EXPECT_EQ(gammas[0], 1.0F);
    EXPECT_EQ(gammas[1], 0.0F);
    EXPECT_EQ(gammas[2], 0.0F);
  }
}

TEST(KernelWeights, AreWhatTheFormulaSaysWhereItDoesNotUnderflow) {
  const std::vector<double> distances{4, 5, 9};  // squared: sigma^2 is 2 (paper) or 4 (scaled)
  for (const auto& [kernel, width] : {std::pair{Kernel::paper, 2.0}, std::pair{Kernel::scaled, 4.0}}) {
    float gammas[3];
    kernel_weights(kernel, distances, gammas);
    double sum = 0;
    for (const double distance : distances) sum += std::exp(-distance / width);
    for (std::size_t j = 0; j < 3; ++j) EXPECT_NEAR(gammas[j], std::exp(-distances[j] / width) / sum, 1e-7);
  }
}

}  // namespace
}  // namespace s3gd
