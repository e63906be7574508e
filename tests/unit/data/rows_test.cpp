#include <map>
#include <numeric>
#include <set>

#include "binary_support.hpp"
#include "data/convert.hpp"

namespace s3gd {
namespace {

using namespace testing_support;

std::vector<Index> joined(const Split& split) {
  auto all = split.train;
  all.insert(all.end(), split.test.begin(), split.test.end());
  std::sort(all.begin(), all.end());
  return all;
}

std::vector<Index> up_to(Index count) {
  std::vector<Index> all(static_cast<std::size_t>(count));
  std::iota(all.begin(), all.end(), Index{0});
  return all;
}

TEST(TakeRows, RowsLabelsWeightsAndNamesFollow) {
  const std::vector<Index> wanted{4, 0, 4, 9};
  for (const auto& x : all_types(10, 5)) {
    const auto data = decorated(x);
    const auto part = take_rows(data, wanted);
    ASSERT_EQ(part.rows(), 4);
    EXPECT_NO_THROW(part.x.check());
    const auto all = with_layout(data.x, Layout::dense, Precision::float64, 1);
    const auto some = with_layout(part.x, Layout::dense, Precision::float64, 1);
    for (Index i = 0; i < 4; ++i) {
      const Index from = wanted[static_cast<std::size_t>(i)];
      EXPECT_TRUE(same_bits(std::get<DenseView<double>>(some.view()).row(i),
                            std::get<DenseView<double>>(all.view()).row(from), 5));
      EXPECT_EQ(part.y.values[i], data.y.values[from]);
      EXPECT_EQ(part.weights[i], data.weights[from]);
    }
    EXPECT_EQ(part.feature_names, data.feature_names);
    EXPECT_EQ(part.y.class_names, data.y.class_names);
  }
}

TEST(TakeRows, AllInOrderIsTheSame) {
  for (const auto& x : all_types(10, 5)) EXPECT_TRUE(same_data(take_rows(decorated(x), up_to(10)), decorated(x)));
}

TEST(TakeRows, ARowThatDoesNotExistIsRefused) {
  const auto data = decorated(small_dense<float>(3, 2));
  EXPECT_THROW(take_rows(data, std::vector<Index>{3}), Error);
  EXPECT_THROW(take_rows(data, std::vector<Index>{-1}), Error);
}

TEST(SplitRows, IsAPartitionOfTheSizeAskedFor) {
  for (const bool stratified : {true, false})
    for (const double fraction : {0.01, 0.25, 0.5, 0.9}) {
      const auto data = decorated(small_dense<float>(101, 2));
      const auto split = split_rows(data, fraction, 3, stratified);
      EXPECT_EQ(joined(split), up_to(101));
      EXPECT_EQ(static_cast<Index>(split.test.size()), std::llround(fraction * 101));
    }
}

TEST(SplitRows, StratifiedKeepsTheShareOfEveryClass) {
  auto data = decorated(small_dense<float>(1000, 1));
  std::vector<double> labels;
  for (Index i = 0; i < 1000; ++i) labels.push_back(i < 37 ? 2 : i < 300 ? 1 : 0);
  data.y.values = Array<double>(labels);
  const auto split = split_rows(data, 0.2, 1);
  std::map<double, Index> counts;
  for (const Index i : split.test) ++counts[data.y.values[i]];
  EXPECT_NEAR(static_cast<double>(counts[2]), 7.4, 1);
  EXPECT_NEAR(static_cast<double>(counts[1]), 52.6, 1);
  EXPECT_NEAR(static_cast<double>(counts[0]), 140, 1);
}

TEST(SplitRows, TheLastRowOfAClassStaysInTraining) {
  auto data = decorated(small_dense<float>(10, 1));
  data.y.values = Array<double>(std::vector<double>{0, 0, 0, 0, 0, 0, 1, 2, 3, 3});
  for (const double fraction : {0.1, 0.3, 0.5, 0.6}) {
    const auto split = split_rows(data, fraction, 1);
    std::set<double> left;
    for (const Index i : split.train) left.insert(data.y.values[i]);
    EXPECT_EQ(left.size(), 4U) << fraction;
    EXPECT_EQ(static_cast<Index>(split.test.size()), std::llround(fraction * 10));
  }
  EXPECT_EQ(split_rows(data, 0.9, 1).test.size(), 9U);  // more than can be had that way
}

TEST(SplitRows, SeededAndUniform) {
  const auto data = decorated(small_dense<float>(30, 1));
  EXPECT_EQ(split_rows(data, 0.3, 5).test, split_rows(data, 0.3, 5).test);
  EXPECT_NE(split_rows(data, 0.3, 5).test, split_rows(data, 0.3, 6).test);
  std::vector<int> times(30);
  for (std::uint64_t seed = 0; seed < 2000; ++seed)
    for (const Index i : split_rows(data, 0.3, seed).test) ++times[static_cast<std::size_t>(i)];
  for (const int count : times) EXPECT_NEAR(count, 600, 110);  // five standard deviations
}

TEST(SplitRows, BothPartsHaveARowAndWrongSharesAreRefused) {
  const auto data = decorated(small_dense<float>(3, 1));
  EXPECT_EQ(split_rows(data, 0.0001, 1).test.size(), 1U);
  EXPECT_EQ(split_rows(data, 0.9999, 1).train.size(), 1U);
  for (const double fraction : {0.0, 1.0, -0.5, 2.0, std::nan("")}) EXPECT_THROW(split_rows(data, fraction, 1), Error);
  EXPECT_THROW(split_rows(decorated(small_dense<float>(1, 1)), 0.5, 1), Error);
}

TEST(WithLayout, EveryTypeToEveryOtherAndBackKeepsTheNumbers) {
  for (const auto& x : all_types(30, 8))
    for (const auto layout : {Layout::dense, Layout::sparse})
      for (const int threads : {1, 7}) {
        const auto changed = with_layout(x, layout, Precision::float64, threads);
        EXPECT_NO_THROW(changed.check());
        EXPECT_EQ(changed.is_dense(), layout == Layout::dense);
        const auto there = with_layout(changed, Layout::dense, Precision::float64, 1);
        EXPECT_TRUE(same_matrix(there, with_layout(x, Layout::dense, Precision::float64, 1)));
      }
}

TEST(WithLayout, DenseWhenMoreThanAThirdIsNotZero) {
  const auto third = Matrix::own_dense<float>({1, 0, 0, 0, 2, 0}, 2, 3);
  const auto more = Matrix::own_dense<float>({1, 0, 1, 0, 2, 0}, 2, 3);
  EXPECT_FALSE(with_layout(third, Layout::automatic, Precision::float32, 1).is_dense());
  EXPECT_TRUE(with_layout(more, Layout::automatic, Precision::float32, 1).is_dense());
}

TEST(WithLayout, WhatIsThereAlreadyIsNotCopied) {
  for (const auto& x : all_types(4, 3))
    EXPECT_EQ(with_layout(x, x.is_dense() ? Layout::dense : Layout::sparse, x.precision(), 1).owner(), x.owner());
}

TEST(WithCols, NewColumnsHoldZeros) {
  for (const auto& x : all_types(4, 3)) {
    const auto wide = with_cols(x, 5, 1);
    EXPECT_EQ(wide.cols(), 5);
    EXPECT_NO_THROW(wide.check());
    EXPECT_EQ(count_nonzeros(wide, 1), count_nonzeros(x, 1));
  }
}

}  // namespace
}  // namespace s3gd
