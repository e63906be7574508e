#include "exact/dual_ascent.hpp"

#include <gtest/gtest.h>

namespace s3gd {
namespace {

TEST(Forecast, CertifiesWhenTheTrendReachesTheTolerance) {
  Forecast forecast(1e-6, 2.0);
  int epochs = 0;
  for (double distance = 1; !forecast.worth_certifying(); distance *= 0.1, ++epochs) {
    forecast.epoch(distance);
    EXPECT_FALSE(forecast.slow());
  }
  // The gap after an epoch that saw d at a rate of 0.1 is guessed as 10 * 0.1 d, relative to 2.
  EXPECT_EQ(epochs, 7);
}

TEST(Forecast, AFailedCertificateSetsTheScale) {
  Forecast forecast(1e-6, 2.0);
  for (const double distance : {1e-1, 1e-3, 1e-5}) forecast.epoch(distance);
  ASSERT_TRUE(forecast.worth_certifying());
  forecast.certified({.primal = 1.0, .relative_gap = 1e-4});
  EXPECT_FALSE(forecast.worth_certifying());
  EXPECT_NEAR(forecast.gap(), 1e-4, 1e-12);
  forecast.epoch(2e-7);  // fifty times less: 2e-6
  EXPECT_FALSE(forecast.worth_certifying());
  forecast.epoch(0.9e-7);
  EXPECT_TRUE(forecast.worth_certifying());
}

TEST(Forecast, IsSlowWhereTheRateIsPoorOrNothingMovesOrNumbersEnd) {
  Forecast steady(1e-9, 1.0), poor(1e-9, 1.0), back_and_forth(1e-9, 1.0), still(1e-9, 1.0), broken(1e-9, 1.0);
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
