#include "anchor/propagate.hpp"

#include "anchor/anchors.hpp"
#include "anchor/rows.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "reference.hpp"
#include "s3gd/error.hpp"

namespace s3gd {
namespace {

using namespace reference;

struct Setting {
  Table table = clumped_rows(900, 150, 11);
  std::vector<double> q, c, labels;

  Setting() {
    Rng rng(5);
    for (std::size_t i = 0; i < table.size(); ++i) {
      q.push_back(rng.uniform() / 450);
      c.push_back(rng.normal());
      labels.push_back(rng.uniform() < 0.3 ? 1 : -1);
    }
  }
};

GraphOptions few_anchors() {
  GraphOptions options;
  options.anchors = 25;
  options.neighbours = 3;
  return options;
}

// X M by its definition; the last column is the mass.
Table naive_xm(const Table& table, const Graph& graph, const std::vector<double>& q, const RowGroup& group) {
  const auto cols = table[0].size();
  Table xm(static_cast<std::size_t>(graph.anchors()), std::vector<double>(cols + 1, 0.0));
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (!group.holds(static_cast<Index>(i))) continue;
    const double weight = q.empty() ? 1.0 / static_cast<double>(table.size()) : q[i];
    for (Index j = 0; j < graph.neighbours_per_row(); ++j) {
      const auto edge = static_cast<Index>(i) * graph.neighbours_per_row() + j;
      auto& row = xm[static_cast<std::size_t>(graph.neighbours[edge])];
      const double coefficient = weight * static_cast<double>(graph.gammas[edge]);
      for (std::size_t column = 0; column < cols; ++column) row[column] += coefficient * table[i][column];
      row[cols] += coefficient;
    }
  }
  return xm;
}

template <class T>
void expect_xm(const PropagatedSums<T>& found, const Table& expected, bool has_intercept, double tolerance) {
  ASSERT_EQ(found.anchors, static_cast<Index>(expected.size()));
  ASSERT_EQ(found.dim, static_cast<Index>(expected[0].size()) - (has_intercept ? 0 : 1));
  double largest = 0;
  for (const auto& row : expected)
    for (const double value : row) largest = std::max(largest, std::abs(value));
  for (Index j = 0; j < found.anchors; ++j)
    for (Index column = 0; column < found.dim; ++column)
      ASSERT_NEAR(static_cast<double>(found.row(j)[column]),
                  expected[static_cast<std::size_t>(j)][static_cast<std::size_t>(column)], tolerance * largest);
}

TEST(Propagate, EqualsTheDefinitionForEveryLayoutWeightAndIntercept) {
  const Setting setting;
  for (const auto& [name, x] : every_layout(setting.table)) {
    SCOPED_TRACE(name);
    const auto graph = build_graph(x, few_anchors());
    for (const auto& q : {std::vector<double>{}, setting.q})
      for (const bool has_intercept : {false, true}) {
        const auto expected = naive_xm(setting.table, graph, q, {});
        expect_xm(propagate<double>(x, graph, q, has_intercept), expected, has_intercept, 1e-14);
        expect_xm(propagate<float>(x, graph, q, has_intercept), expected, has_intercept, 1e-7);
      }
  }
}

TEST(Propagate, GroupsAddUpToTheWhole) {
  const Setting setting;
  for (const auto& [name, x] : every_layout(setting.table)) {
    SCOPED_TRACE(name);
    const auto graph = build_graph(x, few_anchors());
    const auto whole = propagate<double>(x, graph, setting.q, true);
    auto sum = std::vector<double>(whole.xm.size(), 0.0);
    for (const double label : {-1.0, 1.0}) {
      const RowGroup group{setting.labels, label};
      const auto part = propagate<double>(x, graph, setting.q, true, 0, group);
      expect_xm(part, naive_xm(setting.table, graph, setting.q, group), true, 1e-14);
      std::transform(sum.begin(), sum.end(), part.xm.begin(), sum.begin(), std::plus<>());
    }
    for (std::size_t i = 0; i < sum.size(); ++i) ASSERT_NEAR(sum[i], whole.xm[i], 1e-14);
  }
}

TEST(Propagate, MassIsTheTotalWeight) {
  const Setting setting;
  const auto x = csr<float, std::int32_t>(setting.table);
  const auto xm = propagate<double>(x, build_graph(x, few_anchors()), setting.q, true);
  double mass = 0;
  for (Index j = 0; j < xm.anchors; ++j) mass += xm.row(j)[xm.dim - 1];
  EXPECT_NEAR(mass, std::accumulate(setting.q.begin(), setting.q.end(), 0.0), 1e-6);  // gammas are floats
}

TEST(Propagate, HasTheSameBitsAtAnyNumberOfThreads) {
  const Setting setting;
  for (const auto& [name, x] : every_layout(setting.table)) {
    SCOPED_TRACE(name);
    const auto graph = build_graph(x, few_anchors());
    const auto one = propagate<double>(x, graph, setting.q, true, 1);
    const auto sum = weighted_row_sum(x, setting.q, setting.c, true, 1);
    for (const int threads : {2, 7}) {
      EXPECT_EQ(one.xm, propagate<double>(x, graph, setting.q, true, threads).xm);
      EXPECT_EQ(sum, weighted_row_sum(x, setting.q, setting.c, true, threads));
    }
  }
}

TEST(Propagate, AGraphOfOtherRowsOrWeightsOfAnotherLengthAreRefused) {
  const auto x = dense<float>(clumped_rows(50, 3, 1));
  const auto graph = build_graph(x, few_anchors());
  const std::vector<double> short_weights(49, 1.0);
  EXPECT_THROW(propagate<float>(dense<float>(clumped_rows(51, 3, 1)), graph, {}, true), Error);
  EXPECT_THROW(propagate<float>(x, graph, short_weights, true), Error);
  EXPECT_THROW(propagate<float>(x, graph, {}, true, 0, {short_weights, 1}), Error);
  EXPECT_THROW(weighted_row_sum(x, {}, short_weights, true), Error);
}

TEST(WeightedRowSum, EqualsTheDefinition) {
  const Setting setting;
  for (const auto& [name, x] : every_layout(setting.table)) {
    SCOPED_TRACE(name);
    std::vector<double> expected(151, 0.0);
    for (std::size_t i = 0; i < setting.table.size(); ++i) {
      for (std::size_t j = 0; j < 150; ++j) expected[j] += setting.q[i] * setting.c[i] * setting.table[i][j];
      expected[150] += setting.q[i] * setting.c[i];
    }
    const auto with = weighted_row_sum(x, setting.q, setting.c, true);
    const auto without = weighted_row_sum(x, setting.q, setting.c, false);
    ASSERT_EQ(with.size(), 151U);
    ASSERT_EQ(without.size(), 150U);
    for (std::size_t j = 0; j < 151; ++j) EXPECT_NEAR(with[j], expected[j], 1e-13);
    EXPECT_TRUE(std::equal(without.begin(), without.end(), with.begin()));
  }
}

TEST(AnchorMatrix, HoldsTheAnchorsRows) {
  const Setting setting;
  for (const auto& [name, x] : every_layout(setting.table)) {
    SCOPED_TRACE(name);
    const auto graph = build_graph(x, few_anchors());
    const auto values = dense_rows<double>(x, graph.anchor_rows);
    const auto rows = gather_rows(x, graph.anchor_rows, 1);
    EXPECT_EQ(rows.is_dense(), x.is_dense());
    ASSERT_EQ(rows.rows(), graph.anchors());
    Graph all = graph;
    for (Index j = 0; j < graph.anchors(); ++j) all.anchor_rows[static_cast<std::size_t>(j)] = j;
    EXPECT_EQ(values, dense_rows<double>(rows, all.anchor_rows));
    for (std::size_t j = 0; j < graph.anchor_rows.size(); ++j)
      for (std::size_t column = 0; column < 150; ++column)
        ASSERT_EQ(values[j * 150 + column], setting.table[static_cast<std::size_t>(graph.anchor_rows[j])][column]);
  }
}

}  // namespace
}  // namespace s3gd
