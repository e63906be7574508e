// Weights and the scale of the errors together: convex, so that no point nearby may be better, and the gap says how far off.
#include "solve/huber_scale.hpp"

#include <gtest/gtest.h>

#include "data/row_access.hpp"
#include "s3gd/error.hpp"
#include "support/random_problem.hpp"

namespace s3gd {
namespace {

using namespace s3gd::testing;

// The objective, written naively.
double joint(const Problem& problem, const Vector& w, double sigma) {
  const double epsilon = problem.spec().loss.knee;
  double sum = sigma + penalty_of(problem).value(std::span<const double>(w));
  problem.x().visit([&](const auto& view) {
    for (Index i = 0; i < problem.rows(); ++i) {
      double u = problem.has_intercept() ? w.back() : 0.0;
      for_each_nonzero(view, i, [&](Index j, double x) { u += w[static_cast<std::size_t>(j)] * x; });
      const double z = std::abs(u - problem.targets()[static_cast<std::size_t>(i)]) / sigma;
      sum += problem.weight(i) * sigma * (z < epsilon ? z * z : 2 * epsilon * z - epsilon * epsilon);
    }
  });
  return sum;
}

Problem with_outliers(Intercept intercept, bool weighted, PenaltyKind penalty, double lambda, const Matrix& x,
                      Sample sample) {
  for (std::size_t i = 0; i < sample.reals.size(); i += 7) sample.reals[i] += 40 * (i % 2 == 0 ? 1.0 : -1.0);
  ProblemSpec spec;
  spec.loss = {.kind = LossKind::huber, .knee = 1.35};
  spec.intercept = intercept;
  spec.penalty.kind = penalty;
  spec.penalty.lambda = lambda;
  return Problem(sample.data(x, spec.loss, weighted), spec);
}

TEST(HuberScale, NothingNearbyIsBetterAndTheGapIsTight) {
  const Sample sample = random_sample(120, 4, 3);
  for (const Intercept intercept : kIntercepts)
    for (const bool weighted : {false, true})
      for (const PenaltyKind penalty : {PenaltyKind::l2, PenaltyKind::l1, PenaltyKind::elastic_net})
        for (const Matrix& x : sample.table.layouts()) {
          const Problem problem = with_outliers(intercept, weighted, penalty, 1e-3, x, sample);
          SolveOptions options;
          options.tol = 1e-10;
          const ScaledSolution found = solve_with_scale(problem, options);
          SCOPED_TRACE(problem.formula());
          const double best = joint(problem, found.solution.w, found.scale);
          EXPECT_EQ(found.solution.summary.status, Status::converged);
          EXPECT_NEAR(found.solution.summary.objective, best, 1e-12 * best);
          EXPECT_LE(found.solution.summary.certificate.relative_gap, 1e-10);
          EXPECT_LE(found.solution.summary.certificate.dual, best);
          for (const double by : {1e-4, -1e-4}) {
            EXPECT_GE(joint(problem, found.solution.w, found.scale * (1 + by)), best * (1 - 1e-12));
            for (std::size_t j = 0; j < found.solution.w.size(); ++j) {
              Vector moved = found.solution.w;
              moved[j] += by;
              EXPECT_GE(joint(problem, moved, found.scale), best * (1 - 1e-12));
            }
          }
        }
}

TEST(HuberScale, ExactFitsHaveAScaleThatIsAsGoodAsZero) {
  Sample sample = random_sample(60, 3, 4, 1.0, 0.0);
  ProblemSpec spec;
  spec.loss = {.kind = LossKind::huber, .knee = 1.35};
  spec.penalty.kind = PenaltyKind::none;
  SolveOptions options;
  options.tol = 1e-12;
  const ScaledSolution found =
      solve_with_scale(Problem(sample.data(sample.table.dense<double>(), spec.loss), spec), options);
  EXPECT_LT(found.scale, 1e-6);
  EXPECT_EQ(found.solution.summary.status, Status::converged);
}

// Least absolute errors, whatever the scale: a weighted sum of |u - y| is what no point nearby may make smaller.
TEST(HuberScale, EpsilonOneIsTheSumOfAbsoluteErrors) {
  const Sample sample = random_sample(90, 4, 5);
  for (const bool weighted : {false, true})
    for (const Matrix& x : sample.table.layouts()) {
      ProblemSpec spec = with_outliers(Intercept::free, weighted, PenaltyKind::l2, 1e-4, x, sample).spec();
      spec.loss.knee = 1;
      const Problem problem(sample.data(x, spec.loss, weighted), spec);
      SolveOptions options;
      options.tol = 1e-9;
      const ScaledSolution found = solve_with_scale(problem, options);
      EXPECT_EQ(found.solution.summary.status, Status::converged);
      const double best = joint(problem, found.solution.w, 1e-12);
      EXPECT_NEAR(found.solution.summary.objective, best, 1e-8 * best);
      for (const double by : {1e-3, -1e-3})
        for (std::size_t j = 0; j < found.solution.w.size(); ++j) {
          Vector moved = found.solution.w;
          moved[j] += by;
          EXPECT_GE(joint(problem, moved, 1e-12), best * (1 - 1e-9));
        }
    }
}

TEST(HuberScale, FewerRowsThanColumnsEndAtTheShortestWeightsThatFit) {
  const Sample sample = random_sample(8, 20, 6);
  ProblemSpec spec;
  spec.loss = {.kind = LossKind::huber, .knee = 1.35};
  spec.penalty.lambda = 1e-3;
  SolveOptions options;
  options.tol = 1e-8;
  for (const Matrix& x : sample.table.layouts()) {
    const Problem problem(sample.data(x, spec.loss), spec);
    const ScaledSolution found = solve_with_scale(problem, options);
    EXPECT_EQ(found.solution.summary.status, Status::converged);
    EXPECT_LT(found.scale, 1e-9);
    EXPECT_NEAR(found.solution.summary.objective, penalty_of(problem).value(std::span<const double>(found.solution.w)),
                1e-6 * found.solution.summary.objective);
  }
}

TEST(HuberScale, AnInterruptKeepsTheBestSoFar) {
  const Sample sample = random_sample(120, 4, 3);
  const Problem problem =
      with_outliers(Intercept::free, false, PenaltyKind::l2, 1e-3, sample.table.dense<double>(), sample);
  SolveOptions options;
  options.tol = 1e-12;
  SolveInput input;
  input.watch = [](const TraceRow&) { return false; };
  const ScaledSolution found = solve_with_scale(problem, options, input);
  EXPECT_EQ(found.solution.summary.status, Status::interrupted);
  EXPECT_NEAR(joint(problem, found.solution.w, found.scale), found.solution.summary.objective, 1e-12);
}

TEST(HuberScale, OtherLossesAndSmallEpsilonsAreRefused) {
  const Sample sample = random_sample(30, 2, 4);
  ProblemSpec spec;
  spec.loss.kind = LossKind::squared;
  const auto solve_it = [&] {
    solve_with_scale(Problem(sample.data(sample.table.dense<double>(), spec.loss), spec), SolveOptions{});
  };
  EXPECT_THROW(solve_it(), Error);
  spec.loss = {.kind = LossKind::huber, .knee = 0.5};
  EXPECT_THROW(solve_it(), Error);
}

}  // namespace
}  // namespace s3gd
