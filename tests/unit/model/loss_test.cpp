#include "model/loss.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "base/random.hpp"

namespace s3gd {
namespace {

const std::vector<LossSpec> kLosses = {{LossKind::logistic, 10.0},
                                       {LossKind::squared, 10.0},
                                       {LossKind::squared_hinge, 10.0},
                                       {LossKind::smooth_hinge, 10.0},
                                       {LossKind::smooth_hinge, 1.0}};

double random_label(const Loss& loss, Rng& rng) {
  return loss.classifies() ? (rng.below(2) == 0 ? -1.0 : 1.0) : 3.0 * rng.normal();
}

TEST(Loss, SlopeIsTheDerivativeOfTheValueAndCurvatureThatOfTheSlope) {
  Rng rng(1);
  for (const auto& spec : kLosses) {
    const Loss loss(spec);
    for (int repeat = 0; repeat < 500; ++repeat) {
      const double u = 2.0 * rng.normal(), y = random_label(loss, rng), h = 1e-5;
      if (spec.kind == LossKind::squared_hinge && std::abs(1.0 - y * u) < 2 * h) continue;  // the kink of its slope
      EXPECT_NEAR(loss.slope(u, y), (loss.value(u + h, y) - loss.value(u - h, y)) / (2 * h), 1e-7);
      EXPECT_NEAR(loss.curvature(u, y), (loss.slope(u + h, y) - loss.slope(u - h, y)) / (2 * h), 1e-6);
      EXPECT_LE(loss.curvature(u, y), loss.curvature_bound());
      EXPECT_DOUBLE_EQ(loss.derivatives(u, y).slope, loss.slope(u, y));
      EXPECT_NEAR(loss.derivatives(u, y).curvature, loss.curvature(u, y), 1e-15 * loss.curvature_bound());
    }
  }
}

TEST(Loss, FenchelYoungHoldsWithEqualityAtTheSlope) {
  Rng rng(2);
  for (const auto& spec : kLosses) {
    const Loss loss(spec);
    for (int repeat = 0; repeat < 500; ++repeat) {
      const double u = 3.0 * rng.normal(), other = 3.0 * rng.normal(), y = random_label(loss, rng);
      const double v = loss.slope(u, y);
      EXPECT_NEAR(loss.value(u, y) + loss.conjugate(v, y), u * v, 1e-11 * (1 + std::abs(u * v)));
      EXPECT_GE(loss.value(other, y) + loss.conjugate(v, y), other * v - 1e-11 * (1 + std::abs(other * v)));
    }
  }
}

TEST(Loss, TheConjugateIsInfiniteOutsideItsDomain) {
  for (const auto& spec : kLosses) {
    const Loss loss(spec);
    if (!loss.classifies()) continue;
    EXPECT_TRUE(std::isinf(loss.conjugate(0.25, 1.0))) << "a slope that pulls away from the label";
    if (spec.kind != LossKind::squared_hinge) {
      EXPECT_TRUE(std::isinf(loss.conjugate(-1.25, 1.0)));
    }
  }
}

TEST(Loss, NoMarginGivesNotANumber) {
  for (const auto& spec : kLosses) {
    const Loss loss(spec);
    for (const double size : {0.0, 1e-308, 1.0, 745.0, 1e10, 1e154, 1e308})
      for (const double u : {size, -size})
        for (const double y : {-1.0, 1.0}) {
          EXPECT_FALSE(std::isnan(loss.value(u, y))) << u;
          EXPECT_TRUE(std::isfinite(loss.slope(u, y)) || !loss.classifies() || spec.kind == LossKind::squared_hinge);
          EXPECT_FALSE(std::isnan(loss.slope(u, y))) << u;
          EXPECT_FALSE(std::isnan(loss.curvature(u, y))) << u;
          EXPECT_FALSE(std::isnan(loss.derivatives(u, y).curvature)) << u;
          EXPECT_DOUBLE_EQ(loss.derivatives(u, y).slope, loss.slope(u, y)) << u;
          EXPECT_GE(loss.value(u, y), 0.0);
        }
  }
  EXPECT_DOUBLE_EQ(Loss({LossKind::logistic, 0}).value(-1e308, 1.0), 1e308);
  EXPECT_DOUBLE_EQ(Loss({LossKind::smooth_hinge, 1e6}).value(-1e308, 1.0), 1e308);
}

TEST(Loss, SmallSlopesKeepTheirRelativeAccuracy) {
  const Loss logistic({LossKind::logistic, 0});
  EXPECT_NEAR(logistic.slope(50.0, 1.0) / -std::exp(-50.0), 1.0, 1e-14);
  EXPECT_NEAR(logistic.slope(-50.0, -1.0) / std::exp(-50.0), 1.0, 1e-14);
}

TEST(Loss, SeparableSlopesSplitIntoMarginAndLabel) {
  Rng rng(3);
  for (const auto& spec : kLosses) {
    const Loss loss(spec);
    if (!loss.separable()) continue;
    for (int repeat = 0; repeat < 100; ++repeat) {
      const double u = rng.normal(), y = random_label(loss, rng);
      EXPECT_NEAR(loss.slope(u, y), loss.phi(u) - loss.label(y), 1e-14);
    }
  }
}

}  // namespace
}  // namespace s3gd
