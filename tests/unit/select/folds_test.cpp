#include "select/folds.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "s3gd/error.hpp"
#include "s3gd/problem.hpp"
#include "support/random_problem.hpp"

namespace s3gd {
namespace {

Dataset three_classes(Index rows) {
  Dataset data;
  std::vector<double> x, y;
  for (Index i = 0; i < rows; ++i) {
    x.push_back(static_cast<double>(i));
    y.push_back(i % 7 == 0 ? 2 : (i % 3 == 0 ? 1 : 0));
  }
  data.x = Matrix::own_dense(std::move(x), rows, 1);
  data.y = {Array<double>(std::move(y)), LabelKind::classes, {}};
  return data;
}

TEST(DealFolds, EveryRowIsInOneFold) {
  for (const Index rows : {5, 17, 100})
    for (const Index count : {2, 3, 5}) {
      std::set<Index> seen;
      for (const auto& fold : deal_folds(three_classes(rows), count, 3))
        for (const Index row : fold) EXPECT_TRUE(seen.insert(row).second);
      EXPECT_EQ(static_cast<Index>(seen.size()), rows);
      EXPECT_EQ(*seen.begin(), 0);
      EXPECT_EQ(*seen.rbegin(), rows - 1);
    }
}

TEST(DealFolds, SizesAndClassesDifferByOneAtMost) {
  const Dataset data = three_classes(101);
  for (const Index count : {2, 4, 7}) {
    const auto folds = deal_folds(data, count, 5);
    std::size_t least = 1000, most = 0;
    std::map<double, std::pair<Index, Index>> by_class;
    for (const auto& fold : folds) {
      least = std::min(least, fold.size());
      most = std::max(most, fold.size());
      std::map<double, Index> counts{{0, 0}, {1, 0}, {2, 0}};
      for (const Index row : fold) ++counts[data.y.values[row]];
      for (const auto& [label, number] : counts) {
        auto& range = by_class.try_emplace(label, 1000, 0).first->second;
        range.first = std::min(range.first, number);
        range.second = std::max(range.second, number);
      }
    }
    EXPECT_LE(most - least, 1U);
    for (const auto& [label, range] : by_class) EXPECT_LE(range.second - range.first, 1) << label;
  }
}

TEST(DealFolds, RowsWithoutWeightDoNotCount) {
  Dataset data = three_classes(30);
  std::vector<double> weights(30, 0.0);
  for (std::size_t i = 0; i < 30; i += 6) weights[i] = 1;  // five rows
  data.weights = Array<double>(weights);
  for (std::uint64_t seed = 0; seed < 5; ++seed)
    for (const auto& fold : deal_folds(data, 5, seed)) {
      EXPECT_EQ(fold.size(), 6U);
      EXPECT_EQ(std::count_if(fold.begin(), fold.end(), [&](Index row) { return data.weights[row] > 0; }), 1);
    }
  EXPECT_THROW(deal_folds(data, 6, 1), Error);
}

TEST(DealFolds, TheSeedDecides) {
  const Dataset data = three_classes(60);
  EXPECT_EQ(deal_folds(data, 5, 1), deal_folds(data, 5, 1));
  EXPECT_NE(deal_folds(data, 5, 1), deal_folds(data, 5, 2));
  EXPECT_THROW(deal_folds(data, 1, 1), Error);
  EXPECT_THROW(deal_folds(data, 61, 1), Error);
}

TEST(Folds, AreTheRowsThatWereDealtInEveryLayout) {
  const testing::Sample sample = testing::random_sample(53, 6, 31);
  for (const Matrix& x : sample.table.layouts()) {
    const Dataset data = sample.data(x, {}, true);
    const auto dealt = deal_folds(data, 5, 9);
    const Folds folds(data, 5, 9);
    ASSERT_EQ(folds.count(), 5);
    for (Index fold = 0; fold < 5; ++fold) {
      std::vector<Index> training;
      for (Index k = fold + 1; k < fold + 5; ++k)
        training.insert(training.end(), dealt[static_cast<std::size_t>(k % 5)].begin(),
                        dealt[static_cast<std::size_t>(k % 5)].end());
      const auto check = [&](const Dataset& part, const std::vector<Index>& rows) {
        const Dataset copy = take_rows(data, rows);
        ASSERT_EQ(part.rows(), copy.rows());
        part.x.check();
        EXPECT_EQ(part.x.stored(), copy.x.stored());
        EXPECT_TRUE(std::equal(part.y.values.begin(), part.y.values.end(), copy.y.values.begin()));
        EXPECT_TRUE(std::equal(part.weights.begin(), part.weights.end(), copy.weights.begin()));
        const ProblemSpec spec;
        const Problem viewed(part, spec), copied(copy, spec);
        const auto w = testing::random_vector(viewed.dim(), 2);
        std::vector<double> a(w.size()), b(w.size());
        EXPECT_EQ(smooth_gradient(viewed, w, a), smooth_gradient(copied, w, b));
        EXPECT_EQ(a, b);
      };
      check(folds.training(fold), training);
      check(folds.held_out(fold), dealt[static_cast<std::size_t>(fold)]);
    }
  }
}

TEST(Folds, GivenRowsAreTakenAsTheyAreGiven) {
  const Dataset data = three_classes(20);
  const std::vector<Split> splits{{{3, 1, 2, 3}, {0, 19}}, {{5, 6}, {6, 7, 8}}};  // twice, out of order, in both
  const Folds folds(data, splits);
  ASSERT_EQ(folds.count(), 2);
  for (Index k = 0; k < 2; ++k) {
    const Split& split = splits[static_cast<std::size_t>(k)];
    for (const auto& [part, rows] :
         {std::pair(folds.training(k), split.train), std::pair(folds.held_out(k), split.test)}) {
      ASSERT_EQ(part.rows(), static_cast<Index>(rows.size()));
      for (std::size_t r = 0; r < rows.size(); ++r) {
        EXPECT_EQ(std::get<DenseView<double>>(part.x.view()).values[r], static_cast<double>(rows[r]));
        EXPECT_EQ(part.y.values[static_cast<Index>(r)], data.y.values[rows[r]]);
      }
    }
  }
}

TEST(Folds, GivenRowsMustExist) {
  const Dataset data = three_classes(20);
  for (const Split& split : {Split{{0, 20}, {1}}, Split{{0}, {-1}}, Split{{}, {1}}, Split{{0}, {}}})
    EXPECT_THROW(Folds(data, std::vector<Split>{split}), Error);
}

}  // namespace
}  // namespace s3gd
