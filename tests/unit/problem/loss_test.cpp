#include "problem/loss.hpp"

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
                                       {LossKind::smooth_hinge, 1.0},
                                       {.kind = LossKind::huber, .knee = 0.5},
                                       {.kind = LossKind::huber, .knee = 20.0},
                                       {.kind = LossKind::poisson}};

double random_label(const Loss& loss, Rng& rng) {
  switch (loss.traits().targets) {
    case TargetKind::classes:
      return rng.below(2) == 0 ? -1.0 : 1.0;
    case TargetKind::reals:
      return 3.0 * rng.normal();
    case TargetKind::counts:
      return static_cast<double>(rng.below(6)) * 0.75;
  }
  return 0;
}

// Whether a slope has a corner within h of u.
bool is_corner(const LossSpec& spec, double u, double y, double h) {
  if (spec.kind == LossKind::squared_hinge) return std::abs(1.0 - y * u) < h;
  return spec.kind == LossKind::huber && std::abs(std::abs(u - y) - spec.knee) < h;
}

TEST(Loss, SlopeIsTheDerivativeOfTheValueAndCurvatureThatOfTheSlope) {
  Rng rng(1);
  for (const auto& spec : kLosses) {
    const Loss loss(spec);
    for (int repeat = 0; repeat < 500; ++repeat) {
      const double u = 2.0 * rng.normal(), y = random_label(loss, rng), h = 1e-5;
      if (is_corner(spec, u, y, 2 * h)) continue;
      const double size = 1 + loss.curvature(u, y);  // Poisson's higher derivatives are as large as this one
      EXPECT_NEAR(loss.slope(u, y), (loss.value(u + h, y) - loss.value(u - h, y)) / (2 * h), 1e-7 * size);
      EXPECT_NEAR(loss.curvature(u, y), (loss.slope(u + h, y) - loss.slope(u - h, y)) / (2 * h), 1e-6 * size);
      EXPECT_LE(loss.curvature(u, y), loss.curvature_bound());
      EXPECT_DOUBLE_EQ(loss.derivatives(u, y).slope, loss.slope(u, y));
      EXPECT_NEAR(loss.derivatives(u, y).curvature, loss.curvature(u, y), 1e-15 * size);
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
    if (spec.kind == LossKind::huber) {
      EXPECT_TRUE(std::isinf(loss.conjugate(2.001 * spec.knee, 1.0)));
      EXPECT_TRUE(std::isinf(loss.conjugate(-2.001 * spec.knee, 1.0)));
      EXPECT_TRUE(std::isfinite(loss.conjugate(2 * spec.knee, 1.0)));
    }
    if (spec.kind == LossKind::poisson) {
      EXPECT_TRUE(std::isinf(loss.conjugate(-3.001, 3.0))) << "a prediction below zero";
      EXPECT_NEAR(loss.conjugate(-3.0, 3.0), 3 - 3 * std::log(3.0), 1e-14);
      EXPECT_EQ(loss.conjugate(0.0, 3.0), 0.0);
    }
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
    const bool counts = loss.traits().targets == TargetKind::counts;
    const std::vector<double> labels = counts ? std::vector<double>{0.0, 1.0, 1e100} : std::vector<double>{-1.0, 1.0};
    for (const double size : {0.0, 1e-308, 1.0, 745.0, 1e10, 1e154, 1e308})
      for (const double u : {size, -size})
        for (const double y : labels) {
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

TEST(Loss, PoissonIsFiniteConvexAndGrowsBeyondEveryCountItTakes) {
  const Loss poisson({.kind = LossKind::poisson});
  for (const double y : {0.0, 1.0, 1e100}) {
    double slope = -std::numeric_limits<double>::infinity();
    for (const double u : {-1e300, -800.0, 0.0, 200.0, 299.0, 301.0, 710.0, 1e6, 1e140}) {
      EXPECT_TRUE(std::isfinite(poisson.value(u, y))) << u;
      EXPECT_GE(poisson.slope(u, y), slope) << u;
      slope = poisson.slope(u, y);
    }
    EXPECT_GT(slope, 0) << "no count is so large that a margin without end would fit it";
    EXPECT_GT(poisson.value(710.0, y), poisson.value(301.0, y));
  }
}

TEST(Loss, HuberIsTheSquaredLossUpToItsKneeAndALineBeyond) {
  const Loss huber({.kind = LossKind::huber, .knee = 0.5}), squared({.kind = LossKind::squared});
  EXPECT_EQ(huber.value(1.4, 1.0), squared.value(1.4, 1.0));
  EXPECT_DOUBLE_EQ(huber.value(5.0, 1.0), 2 * 0.5 * 4.0 - 0.25);
  EXPECT_DOUBLE_EQ(huber.value(-3.0, 1.0), 2 * 0.5 * 4.0 - 0.25);
}

// What a free intercept asks of a dual point.
TEST(Loss, BalancedSlopesHaveNoMeanAndStayInTheConjugatesDomain) {
  Rng rng(5);
  for (const auto& spec : kLosses) {
    const Loss loss(spec);
    if (loss.classifies() || !loss.balance(0, 1)) continue;
    std::vector<double> v, y;
    double mean = 0, target = 0, balanced = 0;
    for (int i = 0; i < 200; ++i) {
      y.push_back(random_label(loss, rng));
      v.push_back(loss.slope(0.5 + rng.normal(), y.back()));
      mean += v.back() / 200;
      target += y.back() / 200;
    }
    const Balance balance = *loss.balance(mean, target);
    for (std::size_t i = 0; i < v.size(); ++i) {
      const double moved = balance.scale * (v[i] + balance.shift) + balance.tilt * y[i];
      EXPECT_TRUE(std::isfinite(loss.conjugate(moved, y[i]))) << moved << " " << y[i];
      balanced += moved / 200;
    }
    EXPECT_NEAR(balanced, 0, 1e-13);
  }
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
