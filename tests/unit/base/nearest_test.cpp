#include "base/nearest.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "base/memory.hpp"

namespace s3gd {
namespace {

const std::vector<std::string> kLosses{"logistic", "squared", "squared-hinge", "smooth-hinge"};

TEST(Nearest, ASlipOfOneLetterOrASwapIsDistanceOne) {
  EXPECT_EQ(edit_distance("logistic", "logistic"), 0);
  EXPECT_EQ(edit_distance("logistc", "logistic"), 1);
  EXPECT_EQ(edit_distance("loigstic", "logistic"), 1);
  EXPECT_EQ(edit_distance("LOGISTIC", "logistic"), 0);
  EXPECT_EQ(edit_distance("", "abc"), 3);
  EXPECT_EQ(edit_distance("abc", ""), 3);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3);
}

TEST(Nearest, FindsTheWordThatWasMeant) {
  EXPECT_EQ(nearest("logisitc", kLosses), "logistic");
  EXPECT_EQ(nearest("squared_hinge", kLosses), "squared-hinge");
  EXPECT_EQ(nearest("log", kLosses), "logistic");
  EXPECT_EQ(nearest("SQUARED", kLosses), "squared");
}

TEST(Nearest, SaysNothingWhenNothingIsClose) {
  EXPECT_EQ(nearest("banana", kLosses), "");
  EXPECT_EQ(nearest("", kLosses), "");
  EXPECT_EQ(nearest(std::string(100000, 'x'), kLosses), "");
  EXPECT_EQ(nearest("x", std::vector<std::string>{"y"}), "");
  EXPECT_EQ(nearest("logistic", {}), "");
}

TEST(Nearest, ASuggestionListsEverythingWhenNothingIsClose) {
  EXPECT_EQ(suggestion("squard", kLosses), "did you mean 'squared'?");
  EXPECT_EQ(suggestion("banana", kLosses), "one of logistic, squared, squared-hinge, smooth-hinge");
}

TEST(PeakMemory, GrowsWhenMemoryIsTouched) {
  const auto before = peak_memory_bytes();
  ASSERT_GT(before, 0U);
  std::vector<char> block(64 << 20, 'x');
  EXPECT_EQ(block[12345], 'x');
  EXPECT_GE(peak_memory_bytes(), before + (32U << 20));
}

}  // namespace
}  // namespace s3gd
