// The share of the control that is subtracted: learned from past batches, safe for any graph.
#include "stochastic/estimators/propagated.hpp"

#include <gtest/gtest.h>

#include "base/random.hpp"
#include "s3gd/solve.hpp"

namespace s3gd {
namespace {

TEST(Coefficient, IsTheLeastSquaresShareOfPastRowsAndStaysUntilTheNextSnapshot) {
  Coefficient coefficient(ControlMode::adaptive);
  EXPECT_EQ(coefficient.value(), 1.0);
  Rng rng(1);
  double cross = 0, squares = 0;
  for (int i = 0; i < 100; ++i) {
    const double size = rng.uniform(), h = rng.normal(), r = 0.4 * h + rng.normal();
    cross += size * r * h;
    squares += size * h * h;
    coefficient.add(size, r, h);
    EXPECT_EQ(coefficient.value(), 1.0);
  }
  coefficient.settle();
  EXPECT_NEAR(coefficient.value(), cross / squares, 1e-12);
}

TEST(Coefficient, StaysBetweenPlainSgdAndThePaper) {
  for (const double sign : {-1.0, 5.0}) {
    Coefficient coefficient(ControlMode::adaptive);
    for (int i = 0; i < 10; ++i) coefficient.add(1.0, sign, 1.0);
    coefficient.settle();
    EXPECT_EQ(coefficient.value(), sign < 0 ? 0.0 : 1.0);
  }
  Coefficient paper(ControlMode::paper);
  paper.add(1.0, 0.1, 1.0);
  paper.settle();
  EXPECT_EQ(paper.value(), 1.0);
}

TEST(Coefficient, OldSnapshotsAreForgotten) {
  Coefficient coefficient(ControlMode::adaptive);
  for (int i = 0; i < 1000; ++i) coefficient.add(1.0, 0.9, 1.0);
  coefficient.settle();
  for (int snapshot = 0; snapshot < 80; ++snapshot) {
    for (int i = 0; i < 100; ++i) coefficient.add(1.0, 0.2, 1.0);
    coefficient.settle();
  }
  EXPECT_NEAR(coefficient.value(), 0.2, 0.01);
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

TEST(Coefficient, MakesS3gdNoWorseThanSgdWhereOneAnchorMisleadsIt) {
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
  EXPECT_LE(ratio(ControlMode::adaptive), 1.02);  // past batches leave a little noise in the share
}

}  // namespace
}  // namespace s3gd
