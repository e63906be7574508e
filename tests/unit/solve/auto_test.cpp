// auto's stages, seen from outside.
#include <gtest/gtest.h>

#include "s3gd/solve.hpp"
#include "support/random_problem.hpp"

namespace s3gd {
namespace {

using namespace s3gd::testing;

// Few rows: the stochastic start ends before its first snapshot. Many: it ends at a mean of snapshots.
TEST(Auto, LookingOnDoesNotChangeTheResult) {
  for (const Index rows : {60, 150, 1000}) {
    const Sample sample = random_sample(rows, 200, 3, 0.2, 10.0);
    for (const double step : {0.0, 3.0, 6.0, 12.0}) {  // long ones end above where they began
      ProblemSpec spec;
      spec.threads = 2;
      const Problem problem(sample.data(sample.table.dense<float>(), spec.loss), spec);
      SolveOptions options;
      options.tol = 1e-6;
      options.step = step;
      const Solution alone = solve(problem, options);
      options.trace_every = -1;
      const Solution traced = solve(problem, options);
      ASSERT_EQ(alone.summary.stages.front().name, "s3gd");
      EXPECT_EQ(alone.w, traced.w);
      options.trace_every = 0;
      SolveInput watching;
      watching.watch = [](const TraceRow&) { return true; };
      const Solution watched = solve(problem, options, watching);
      EXPECT_EQ(alone.w, watched.w);
      EXPECT_GT(traced.trace.size(), 2U);
    }
  }
}

}  // namespace
}  // namespace s3gd
