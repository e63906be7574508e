#include "finish/outlook.hpp"

#include <gtest/gtest.h>

namespace s3gd {
namespace {

TEST(Outlook, CertifiesWhenTheTrendReachesTheTolerance) {
  Outlook outlook(1e-6, 2.0);
  int epochs = 0;
  for (double distance = 1; !outlook.worth_certifying(); distance *= 0.1, ++epochs) {
    outlook.epoch(distance);
    EXPECT_FALSE(outlook.slow());
  }
  // The gap after an epoch that saw d at a rate of 0.1 is guessed as 10 * 0.1 d, relative to 2.
  EXPECT_EQ(epochs, 7);
}

TEST(Outlook, AFailedCertificateSetsTheScale) {
  Outlook outlook(1e-6, 2.0);
  for (const double distance : {1e-1, 1e-3, 1e-5}) outlook.epoch(distance);
  ASSERT_TRUE(outlook.worth_certifying());
  outlook.certified({.primal = 1.0, .relative_gap = 1e-4});
  EXPECT_FALSE(outlook.worth_certifying());
  EXPECT_NEAR(outlook.gap(), 1e-4, 1e-12);
  outlook.epoch(2e-7);  // fifty times less: 2e-6
  EXPECT_FALSE(outlook.worth_certifying());
  outlook.epoch(0.9e-7);
  EXPECT_TRUE(outlook.worth_certifying());
}

TEST(Outlook, IsSlowWhereTheRateIsPoorOrNothingMovesOrNumbersEnd) {
  Outlook steady(1e-9, 1.0), poor(1e-9, 1.0), back_and_forth(1e-9, 1.0), still(1e-9, 1.0), broken(1e-9, 1.0);
  for (int k = 0; k < 8; ++k) {
    steady.epoch(std::pow(0.3, k));
    poor.epoch(std::pow(0.95, k));
    back_and_forth.epoch(k % 2 == 0 ? 1e-3 : 0.5e-3);
  }
  EXPECT_FALSE(steady.slow());
  EXPECT_TRUE(poor.slow());
  EXPECT_TRUE(back_and_forth.slow());
  still.epoch(1e-4);
  EXPECT_FALSE(still.slow());
  still.epoch(0);
  EXPECT_TRUE(still.slow());
  broken.epoch(std::numeric_limits<double>::quiet_NaN());
  EXPECT_TRUE(broken.slow());
}

}  // namespace
}  // namespace s3gd
