#include "select/folds.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace s3gd {
namespace {

CrossValidation judged(const FoldScores& scores, std::size_t lambdas, std::size_t on_all_rows) {
  CrossValidation result;
  for (std::size_t k = 0; k < on_all_rows; ++k) {
    result.path.points.emplace_back();
    result.path.points.back().lambda = 1.0 / static_cast<double>(k + 1);
  }
  judge(scores, lambdas, result);
  return result;
}

bool advises(const CrossValidation& result, const std::string& words) {
  for (const Advice& one : result.advice)
    if (one.sentence().find(words) != std::string::npos) return true;
  return false;
}

TEST(JudgedFolds, AllOfAWholeRun) {
  const CrossValidation result = judged({{3, 1, 2}, {5, 2, 2}}, 3, 3);
  ASSERT_EQ(result.points.size(), 3U);
  EXPECT_EQ(result.points[0].mean, 4);
  EXPECT_EQ(result.points[0].standard_error, 1);  // sqrt(((3-4)^2 + (5-4)^2) / 1 / 2)
  EXPECT_EQ(result.best, 1U);
  EXPECT_EQ(result.one_standard_error, 1U);
  EXPECT_TRUE(result.advice.empty());
}

TEST(JudgedFolds, FinishedFoldsWhereOthersHaveHardlyBegun) {
  const CrossValidation result = judged({{4, 3, 2, 3}, {4, 3, 2, 3}, {9}, {}}, 4, 4);
  ASSERT_EQ(result.points.size(), 4U);
  EXPECT_EQ(result.points[0].mean, 4);  // the 9 is left out
  EXPECT_EQ(result.points[0].scores.size(), 4U);
  EXPECT_TRUE(std::isnan(result.points[0].scores[2]));
  EXPECT_EQ(result.best, 2U);
  EXPECT_TRUE(advises(result, "4 of 4 lambdas are judged, by 2 of 4 folds"));
  EXPECT_FALSE(advises(result, "reached"));
}

TEST(JudgedFolds, AllFoldsWhereTheyAreAboutAsFar) {
  const CrossValidation result = judged({{4, 3, 2, 1, 0}, {4, 3, 2, 1}, {4, 3, 2}}, 9, 5);
  ASSERT_EQ(result.points.size(), 3U);
  EXPECT_EQ(result.best, 2U);
  EXPECT_FALSE(std::isnan(result.points[2].scores[2]));
  EXPECT_TRUE(advises(result, "the last that was reached"));
}

TEST(JudgedFolds, TwoFoldsGoBeforeOne) {
  const CrossValidation result = judged({{4, 3, 2, 1, 0, 0, 0}, {4}, {}}, 7, 7);
  ASSERT_EQ(result.points.size(), 1U);
  EXPECT_TRUE(std::isnan(result.points[0].scores[2]));
}

TEST(JudgedFolds, OneFoldWhereThereIsNoOther) {
  const CrossValidation result = judged({{4, 3, 5}, {}, {}}, 7, 5);
  ASSERT_EQ(result.points.size(), 3U);
  EXPECT_EQ(result.best, 1U);
  EXPECT_EQ(result.one_standard_error, 1U);
  EXPECT_EQ(result.points[1].standard_error, 0);
}

TEST(JudgedFolds, NoMoreThanThePathOnAllRowsHas) {
  EXPECT_EQ(judged({{4, 3, 5}, {4, 3, 5}}, 7, 2).points.size(), 2U);
  EXPECT_TRUE(judged({{4, 3, 5}, {4, 3, 5}}, 7, 0).points.empty());
  EXPECT_TRUE(judged({{}, {}}, 7, 5).points.empty());
}

}  // namespace
}  // namespace s3gd
