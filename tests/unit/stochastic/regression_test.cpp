// The coefficients of what is subtracted: learned from past batches, safe for any graph.
#include "stochastic/estimators/regression.hpp"

#include <gtest/gtest.h>

#include "base/random.hpp"
#include "s3gd/solve.hpp"

namespace s3gd {
namespace {

struct Sample {
  double size, slope;
  Features f;
};

std::vector<Sample> random_samples(int count, std::uint64_t seed) {
  Rng rng(seed);
  std::vector<Sample> samples;
  for (int i = 0; i < count; ++i) {
    Features f{1.0, rng.normal(), rng.normal()};
    samples.push_back({rng.uniform(), 0.3 * f[0] - 0.2 * f[1] + 0.9 * f[2] + 0.1 * rng.normal(), f});
  }
  return samples;
}

// At the least-squares solution residuals are orthogonal to every feature.
TEST(Regression, IsTheLeastSquaresFitOfPastRowsAndStaysUntilTheNextSnapshot) {
  Regression regression(true, 3);
  const auto samples = random_samples(100, 1);
  for (const Sample& s : samples) {
    regression.add(s.size, s.slope, s.f);
    for (std::size_t l = 0; l < 3; ++l) EXPECT_EQ(regression[l], 1.0);
  }
  regression.begin();
  for (std::size_t l = 0; l < 3; ++l) {
    double product = 0, scale = 0;
    for (const Sample& s : samples) {
      product += s.size * (s.slope - regression.of(s.f)) * s.f[l];
      scale += s.size * s.f[l] * s.f[l];
    }
    EXPECT_LE(std::abs(product), 1e-6 * scale) << l;  // a ridge of 1e-8
  }
}

TEST(Regression, LeavesWhatItSays) {
  Regression regression(true, 3);
  for (const Sample& s : random_samples(200, 2)) regression.add(s.size, s.slope, s.f);
  regression.begin();
  double left = 0, all = 0;
  for (const Sample& s : random_samples(200, 3)) {
    regression.add(s.size, s.slope, s.f);
    left += s.size * (s.slope - regression.of(s.f)) * (s.slope - regression.of(s.f));
    all += s.size * s.slope * s.slope;
  }
  EXPECT_NEAR(regression.left(), left / all, 1e-12);
  EXPECT_LE(regression.left(), 0.05);
}

TEST(Regression, FeaturesThatAreMultiplesOfEachOtherOrZeroDoNoHarm) {
  Regression regression(true, 4);
  Rng rng(4);
  for (int i = 0; i < 50; ++i) {
    const double x = rng.normal();
    regression.add(1.0, 3 * x, {x, 2 * x, 0.0, -x});
  }
  regression.begin();
  EXPECT_NEAR(regression.of({1.0, 2.0, 0.0, -1.0}), 3.0, 1e-6);
  EXPECT_EQ(regression[2], 0.0);
}

TEST(Regression, ThePapersStaysOne) {
  Regression paper(false, 2);
  paper.add(1.0, 0.1, {1.0, 1.0});
  paper.settle();
  EXPECT_EQ(paper[0], 1.0);
  EXPECT_EQ(paper[1], 1.0);
}

// What misled in the batches it was used for is taken back, however well a fit to all of them looks.
TEST(Regression, TakesBackWhatHasMisled) {
  Regression regression(true, 2);
  for (int i = 0; i < 20; ++i) regression.add(1.0, -1.0, {1.0, 1.0});
  regression.settle();
  EXPECT_EQ(regression[0], 0.0);
  EXPECT_EQ(regression[1], 0.0);
}

TEST(Regression, OneCoefficientStaysBetweenPlainSgdAndThePaper) {
  for (const double slope : {-1.0, 0.3, 5.0}) {
    Regression regression(true, 1);
    for (int i = 0; i < 10; ++i) regression.add(1.0, slope, {1.0});
    regression.settle();
    EXPECT_NEAR(regression[0], std::clamp(slope, 0.0, 1.0), 1e-15);
  }
}

TEST(Regression, OldSnapshotsAreForgotten) {
  Regression regression(true, 1);
  for (int i = 0; i < 1000; ++i) regression.add(1.0, 0.9, {1.0});
  regression.settle();
  for (int snapshot = 0; snapshot < 80; ++snapshot) {
    for (int i = 0; i < 100; ++i) regression.add(1.0, 0.2, {1.0});
    regression.settle();
  }
  EXPECT_NEAR(regression[0], 0.2, 0.01);
}

// Two far clusters, well told apart: slopes are nearly zero, but a single anchor propagates the same one to all.
Problem clustered_problem() {
  constexpr Index kRows = 400, kCols = 6;
  Rng rng(3);
  std::vector<double> values, labels;
  for (Index i = 0; i < kRows; ++i) {
    const double side = i % 2 == 0 ? 1.0 : -1.0;
    for (Index j = 0; j < kCols; ++j) values.push_back(2 * side + rng.normal());
    labels.push_back(rng.uniform() < 0.05 ? -side : side);
  }
  Dataset data;
  data.x = Matrix::own_dense(std::move(values), kRows, kCols);
  data.y.kind = LabelKind::classes;
  data.y.values = Array<double>(std::move(labels));
  ProblemSpec spec;
  spec.penalty.lambda = 1e-3;
  return Problem(std::move(data), spec);
}

TEST(Regression, MakesS3gdNoWorseThanSgdWhereOneAnchorMisleadsIt) {
  const Problem problem = clustered_problem();
  const auto w = solve_reference(problem).w;
  GraphOptions options;
  options.anchors = 1;
  const Graph graph = build_graph(problem.x(), options);
  const auto ratio = [&](ControlMode mode) {
    for (const auto& [solver, value] : estimator_variances(problem, graph, w, 10, mode))
      if (solver == "s3gd") return value;
    return 0.0;
  };
  EXPECT_GT(ratio(ControlMode::paper), 2.0);
  EXPECT_LE(ratio(ControlMode::adaptive), 1.02);  // past batches leave a little noise in the coefficients
}

}  // namespace
}  // namespace s3gd
