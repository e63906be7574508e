// One-vs-rest by stochastic solvers: one loop for all classes.
#include <gtest/gtest.h>

#include "support/blobs.hpp"
#include "support/one_vs_rest.hpp"

namespace s3gd {
namespace {

using testing::blobs;
using testing::expect_near;
using testing::expect_optimal;
using testing::joined;
using testing::OneVsRest;
using testing::Parameters;
using testing::separate_fits;
using testing::solve_one_vs_rest;

// One loop for all classes makes the steps of separate ones: the same batches, to rounding.
TEST(OneVsRestSteps, StochasticSolversStepForAllClassesAsForEach) {
  for (const bool sparse : {false, true})
    for (const bool weighted : {false, true})
      for (const char* solver : {"sgd", "ssgd", "svrg", "saga", "sag", "is-sgd", "gd"})
        for (const PenaltyKind penalty : {PenaltyKind::l2, PenaltyKind::elastic_net, PenaltyKind::l1_l2norm}) {
          const Dataset data = blobs({.sparse = sparse, .weighted = weighted});
          ProblemSpec spec;
          spec.penalty.kind = penalty;
          SolveOptions options;
          options.solver = solver;
          options.passes = 5;
          const OneVsRest fit = solve_one_vs_rest(data, spec, options);
          expect_near(fit.w, separate_fits(data, spec, options), 1e-5, solver);
          const double passes = fit.class_summaries[0].passes;
          for (const Summary& one : fit.class_summaries) EXPECT_EQ(one.passes, passes);  // made once for all
        }
}

TEST(OneVsRestSteps, StochasticSolversReachTheOptimumOfEveryClass) {
  for (const char* solver : {"svrg", "saga", "gd"})  // s3gd scatters around it at a constant step
    for (const LossKind loss : {LossKind::logistic, LossKind::squared, LossKind::smooth_hinge})
      for (const bool sparse : {false, true}) {
        const Dataset data = blobs({.rows = 400, .sparse = sparse});
        ProblemSpec spec;
        spec.loss.kind = loss;
        spec.penalty.lambda = 0.05;
        SolveOptions options;
        options.solver = solver;
        options.passes = 4000;
        options.tol = 1e-3;
        SCOPED_TRACE(solver);
        expect_optimal(solve_one_vs_rest(data, spec, options), data, spec, options.tol);
      }
}

// Each class ends at its own first point within the tolerance, whatever the others still do.
TEST(OneVsRestSteps, AClassThatIsDoneKeepsItsPoint) {
  const Dataset data = blobs({.rows = 400});
  Parameters starts = solve_one_vs_rest(data, {}).w;
  starts[2].assign(starts[2].size(), 0.0);
  SolveOptions options;
  options.solver = "svrg";
  options.tol = 1e-4;
  options.passes = 300;
  options.start = joined(starts);
  const OneVsRest fit = solve_one_vs_rest(data, {}, options);
  for (std::size_t k = 0; k < fit.w.size(); ++k) {
    for (std::size_t j = 0; j < fit.w[k].size() && k != 2; ++j) EXPECT_NEAR(fit.w[k][j], starts[k][j], 1e-6);
    EXPECT_EQ(fit.class_summaries[k].iterations == 0, k != 2);
  }
  EXPECT_GT(fit.class_summaries[2].passes, 1);
}

TEST(OneVsRestSteps, WhatStepsCannotShareIsFittedClassByClass) {
  const Dataset dense = blobs({}), sparse = blobs({.sparse = true});
  ProblemSpec balanced, hinge;
  balanced.class_weight = ClassWeight::balanced;
  hinge.loss.kind = LossKind::smooth_hinge;
  const auto expect_separate = [](const Dataset& data, const ProblemSpec& spec, SolveOptions options) {
    options.passes = 30;  // a class that is no better than a constant by then would be replaced by it
    EXPECT_EQ(solve_one_vs_rest(data, spec, options).w, separate_fits(data, spec, options)) << options.solver;
  };
  const auto by = [](const char* solver) {
    SolveOptions options;
    options.solver = solver;
    return options;
  };
  expect_separate(dense, {}, by("scv"));
  expect_separate(dense, hinge, by("s3gd"));
  expect_separate(sparse, {}, by("s3gd"));
  expect_separate(dense, balanced, by("saga"));
  expect_separate(sparse, {}, by("newton"));
  SolveOptions accelerated = by("gd");
  accelerated.accelerated = true;
  expect_separate(dense, {}, accelerated);
}

// A step that is too long for all of them: every class tells so by itself.
TEST(OneVsRestSteps, AStepThatIsTooLongEndsEveryClassByItself) {
  const Dataset data = blobs({});
  ProblemSpec spec;
  spec.loss.kind = LossKind::squared;
  SolveOptions options;
  options.solver = "sgd";
  options.step = 1e6;
  const OneVsRest fit = solve_one_vs_rest(data, spec, options);
  EXPECT_EQ(fit.w, separate_fits(data, spec, options));
  for (const Summary& one : fit.class_summaries) EXPECT_EQ(one.status, Status::diverged);
}

TEST(OneVsRestSteps, LookingAtStepsChangesNothing) {
  const Dataset data = blobs({});
  SolveOptions options;
  options.solver = "s3gd";
  options.passes = 3;
  options.tol = 0;
  const OneVsRest blind = solve_one_vs_rest(data, {}, options);
  options.trace_every = 7;
  const OneVsRest seen = solve_one_vs_rest(data, {}, options);
  EXPECT_GT(seen.trace.size(), blind.trace.size());
  EXPECT_EQ(seen.class_summaries[0].iterations, blind.class_summaries[0].iterations);
  EXPECT_EQ(seen.trace.front().stage, "0: s3gd");
}

// More classes than one loop has: further ones, side by side.
TEST(OneVsRestSteps, StepsOfManyClassesDoNotDependOnThreads) {
  const Dataset data = blobs({.rows = 600, .classes = 40});
  SolveOptions options;
  options.solver = "saga";
  options.passes = 3;
  ProblemSpec spec;
  spec.threads = 1;
  const OneVsRest one = solve_one_vs_rest(data, spec, options);
  for (const int threads : {2, 5}) {
    spec.threads = threads;
    EXPECT_EQ(solve_one_vs_rest(data, spec, options).w, one.w);
  }
}

}  // namespace
}  // namespace s3gd
