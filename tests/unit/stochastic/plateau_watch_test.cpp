#include "stochastic/loop.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/random.hpp"
#include "s3gd/solve.hpp"
#include "support/problems.hpp"

namespace s3gd {
namespace {

TEST(PlateauWatch, FallingLossesAreNoPlateauAndLevelOnesAre) {
  Rng rng(4);
  PlateauWatch falling(100), level(100), rising(100);
  for (int i = 0; i < 5000; ++i) {
    falling.add(10.0 / (1 + 0.01 * i) + 0.1 * rng.normal());
    EXPECT_FALSE(falling.plateau()) << i;
    level.add(1.0 + 0.1 * rng.normal());
    rising.add(1.0 + 0.001 * i);
  }
  EXPECT_TRUE(level.plateau());
  EXPECT_TRUE(rising.plateau());
}

TEST(PlateauWatch, NothingIsSaidBeforeThreeWindows) {
  PlateauWatch progress(100);
  for (int i = 0; i < 100 + 150 + 225 - 1; ++i) progress.add(1.0);
  EXPECT_FALSE(progress.plateau());
  progress.add(1.0);
  EXPECT_TRUE(progress.plateau());
}

Problem noisy_problem(LossKind loss) {
  testing::SmallData shape;
  shape.rows = 2000;
  shape.regression = loss == LossKind::squared;
  ProblemSpec spec;
  spec.loss.kind = loss;
  spec.penalty.lambda = 0.01;
  return Problem(testing::small_data<double>(shape, false), spec);
}

TEST(PlateauWatch, ARunAtItsFloorStopsWhenAskedTo) {
  const Problem problem = noisy_problem(LossKind::logistic);
  const double best = solve_reference(problem).objective;
  for (const std::string solver : {"s3gd", "sgd"}) {
    SolveOptions options;
    options.solver = solver;
    if (solver == "s3gd") options.propagation = Propagation::constant;  // with a reference there is no floor
    options.passes = 1000;
    options.tol = 0;
    EXPECT_GT(solve(problem, options).summary.passes, 999) << solver;
    options.stop_at_plateau = true;
    const Solution solution = solve(problem, options);
    EXPECT_LT(solution.summary.passes, 999) << solver;
    EXPECT_EQ(solution.summary.stages.back().ended, "plateau") << solver;
    EXPECT_LT((solution.summary.objective - best) / best, 0.1) << solver;
  }
}

// Rows the sample for the step does not hold, sixty times as long as the others: the step is far too large.
TEST(BackOff, ReturnsToAGoodSnapshotAndCountsOn) {
  constexpr Index kRows = 20000, kCols = 4;
  Rng rng(6);
  std::vector<double> values, labels;
  for (Index i = 0; i < kRows; ++i) {
    const double size = i % 4000 == 3999 ? 60.0 : 1.0;
    double u = 0;
    for (Index j = 0; j < kCols; ++j) {
      values.push_back(size * rng.normal());
      u += values.back();
    }
    labels.push_back(u + rng.normal());
  }
  Dataset data;
  data.x = Matrix::own_dense(std::move(values), kRows, kCols);
  data.y.kind = LabelKind::real;
  data.y.values = Array<double>(std::move(labels));
  ProblemSpec spec;
  spec.loss.kind = LossKind::squared;
  const Problem problem(std::move(data), spec);
  SolveOptions options;
  options.solver = "s3gd";
  options.propagation = Propagation::constant;
  options.passes = 4;
  options.tol = 0;
  options.trace_every = 100;
  const Solution solution = solve(problem, options);
  ASSERT_GT(solution.summary.stages.size(), 1U);
  EXPECT_EQ(solution.summary.stages.front().ended, "diverged");
  EXPECT_NE(solution.summary.status, Status::diverged);
  Index steps = 0;
  for (const Stage& stage : solution.summary.stages) steps += stage.iterations;
  EXPECT_EQ(steps, solution.summary.iterations);
  for (std::size_t r = 1; r < solution.trace.size(); ++r) {
    EXPECT_GE(solution.trace[r].iteration, solution.trace[r - 1].iteration);
    EXPECT_GE(solution.trace[r].passes, solution.trace[r - 1].passes);
  }
  EXPECT_LE(solution.summary.passes, 4.1);
  // The next stage is first looked at before its first step: it starts from what the first had reached.
  const Index first = solution.summary.stages.front().iterations;
  const auto again = std::find_if(solution.trace.rbegin(), solution.trace.rend(),
                                  [&](const TraceRow& row) { return row.iteration == first; });
  ASSERT_NE(again, solution.trace.rend());
  EXPECT_LT(again->train_objective, 0.5 * solution.trace.front().train_objective);
}

}  // namespace
}  // namespace s3gd
