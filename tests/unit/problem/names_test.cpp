#include "problem/names.hpp"

#include <gtest/gtest.h>

#include <set>

#include "s3gd/error.hpp"

namespace s3gd {
namespace {

template <class E>
class Names : public ::testing::Test {};
using Enums = ::testing::Types<LossKind, PenaltyKind, Intercept, ClassWeight, Scale, Kernel, Precision, Layout,
                               LabelKind, Missing, IndexBase, IndexOrder>;
TYPED_TEST_SUITE(Names, Enums);

TYPED_TEST(Names, EveryValueHasItsOwnNameAndASummaryAndReadsBack) {
  std::set<std::string> seen;
  for (const auto& entry : names<TypeParam>()) {
    EXPECT_TRUE(seen.insert(std::string(entry.name)).second) << entry.name;
    EXPECT_FALSE(entry.summary.empty()) << entry.name;
    EXPECT_EQ(parse_name<TypeParam>("choice", entry.name), entry.value);
    EXPECT_EQ(name_of(entry.value), entry.name);
  }
  EXPECT_EQ(all_names<TypeParam>().size(), seen.size());
}

TYPED_TEST(Names, ThereIsNoValueWithoutAName) {
  // Enums count up from 0 without gaps: the one after the last named has no name, all before it have.
  const auto count = static_cast<int>(names<TypeParam>().size());
  for (int value = 0; value < count; ++value) EXPECT_NE(name_of(static_cast<TypeParam>(value)), "") << value;
  EXPECT_EQ(name_of(static_cast<TypeParam>(count)), "");
}

TEST(ParseName, AnUnknownNameSuggestsTheNearest) {
  try {
    parse_name<LossKind>("loss", "logistc");
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "unknown loss 'logistc' (did you mean 'logistic'?)");
  }
  EXPECT_THROW(parse_name<Scale>("scale", ""), Error);
}

}  // namespace
}  // namespace s3gd
