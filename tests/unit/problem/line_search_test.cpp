#include "problem/optimality.hpp"

#include <gtest/gtest.h>

namespace s3gd {
namespace {

TEST(LineSearch, AStepBackGoesToWhereTheParabolaIsLeast) {
  // 2 - t + 2 t^2 is least at 1/4.
  const LineSearch line{2, -1, 0};
  EXPECT_DOUBLE_EQ(line.shorter(1, 3), 0.25);
  EXPECT_DOUBLE_EQ(line.shorter(0.5, 2), 0.25);
}

TEST(LineSearch, AStepBackIsNeitherTooShortNorTooTimid) {
  const LineSearch line{0, -1, 0};
  EXPECT_DOUBLE_EQ(line.shorter(1, 1e9), 0.1);
  EXPECT_DOUBLE_EQ(line.shorter(1, -0.99), 0.5);
  EXPECT_DOUBLE_EQ(line.shorter(1, std::numeric_limits<double>::infinity()), 0.1);
  EXPECT_DOUBLE_EQ(line.shorter(1, std::nan("")), 0.1);
}

TEST(LineSearch, RoundingIsForgivenAndNothingElse) {
  const LineSearch line{1, -1e-3, 1e-6};
  EXPECT_TRUE(line.enough(1, 1 - 1e-3));
  EXPECT_TRUE(line.enough(1, 1 + 5e-7));
  EXPECT_FALSE(line.enough(1, 1 + 2e-6));
  EXPECT_FALSE(line.enough(1, std::nan("")));
}

TEST(LineSearch, TheChangeOfAnAbsoluteValueKeepsItsLastDigits) {
  EXPECT_EQ(absolute_change(1, 1e-20), 1e-20);
  EXPECT_EQ(absolute_change(-1, 1e-20), -1e-20);
  EXPECT_EQ(absolute_change(1, -3), 1);
  EXPECT_EQ(absolute_change(0, -2), 2);
}

}  // namespace
}  // namespace s3gd
