#include "anchor/streaming_graph.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "reference.hpp"

namespace s3gd {
namespace {

using namespace reference;

TEST(StreamingGraph, BlocksInAnyOrderGiveTheNeighboursOfTheFullGraph) {
  for (const double zero_share : {0.1, 0.8}) {  // compared as dense and as sparse rows
    const Table table = clumped_rows(300, 40, 5, 1.0, zero_share);
    for (const auto& [name, x] : every_layout(table))
      for (const Kernel kernel : {Kernel::paper, Kernel::scaled}) {
        GraphOptions options;
        options.anchors = 9;
        options.neighbours = 4;
        options.kernel = kernel;
        StreamingGraph growing(x, options);
        std::vector<Index> order(300);
        std::iota(order.begin(), order.end(), Index{0});
        Rng rng(4);
        rng.shuffle(order);
        growing.choose(std::span(order).first(90), 9);
        ASSERT_EQ(growing.anchors(), 9) << name;
        for (const auto& [begin, count] : {std::pair{0, 77}, {77, 1}, {78, 130}, {208, 92}})
          growing.add(std::span(order).subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(count)));
        const Graph graph = growing.graph();
        for (std::size_t i = 0; i < 300; ++i) {
          const Neighbours expected = nearest_anchors(table, i, graph.anchor_rows, 4, kernel);
          for (std::size_t j = 0; j < 4; ++j) {
            const auto e = static_cast<Index>(4 * i + j);
            EXPECT_EQ(graph.neighbours[e], expected.anchors[j]) << name << " row " << i;
            EXPECT_NEAR(graph.gammas[e], expected.gammas[j], 1e-4) << name << " row " << i;
          }
        }
      }
  }
}

TEST(StreamingGraph, AnchorsComeFromTheSampleAndDifferFromEachOther) {
  const Matrix x = dense<float>(clumped_rows(200, 12, 8));
  GraphOptions options;
  StreamingGraph growing(x, options);
  const std::vector<Index> sample{3, 9, 10, 44, 45, 46, 100, 150, 199};
  growing.choose(sample, 5);
  std::vector<Index> anchors = growing.anchor_rows();
  EXPECT_EQ(anchors.size(), 5U);
  std::sort(anchors.begin(), anchors.end());
  EXPECT_TRUE(std::includes(sample.begin(), sample.end(), anchors.begin(), anchors.end()));
  EXPECT_EQ(std::unique(anchors.begin(), anchors.end()), anchors.end());
}

TEST(StreamingGraph, OneAnchorTiesEveryRowToIt) {
  const Matrix x = dense<double>(clumped_rows(30, 5, 8));
  StreamingGraph growing(x, GraphOptions{});
  growing.choose(std::vector<Index>{1, 2, 3}, 1);
  const Graph graph = growing.graph();
  EXPECT_EQ(graph.rows(), 30);
  EXPECT_EQ(graph.neighbours_per_row(), 1);
  for (const float gamma : graph.gammas) EXPECT_EQ(gamma, 1.0F);
  for (const auto anchor : graph.neighbours) EXPECT_EQ(anchor, 0);
}

}  // namespace
}  // namespace s3gd
