#include "s3gd/path.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "base/interrupt.hpp"
#include "problem/certificate.hpp"
#include "problem/full_pass.hpp"
#include "s3gd/error.hpp"
#include "select/walk.hpp"
#include "support/random_problem.hpp"
#include "support/slow_solver.hpp"

namespace s3gd {
namespace {

using testing::all_losses;
using testing::kIntercepts;
using testing::random_sample;
using testing::Sample;
using testing::Vector;

struct Case {
  LossSpec loss;
  PenaltySpec penalty;
  Intercept intercept;
  bool weighted;
  ClassWeight class_weight;
};

PenaltySpec of_kind(PenaltyKind kind) {
  PenaltySpec penalty;
  penalty.kind = kind;
  penalty.lambda = 1;
  if (kind == PenaltyKind::elastic_net || kind == PenaltyKind::l1_l2norm) penalty.alpha = 0.3;
  return penalty;
}

std::string describe(const Case& one) {
  return std::to_string(static_cast<int>(one.loss.kind)) + " penalty " +
         std::to_string(static_cast<int>(one.penalty.kind)) + (one.penalty.factors.empty() ? "" : " with factors") +
         " intercept " + std::to_string(static_cast<int>(one.intercept)) + (one.weighted ? " weighted" : "") +
         (one.class_weight == ClassWeight::none ? "" : " by class");
}

// Every loss and intercept, weighted or not, for every penalty that holds features at zero.
std::vector<Case> kinked_cases() {
  std::vector<Case> cases;
  for (const LossSpec& loss : all_losses())
    for (const PenaltyKind kind : {PenaltyKind::l1, PenaltyKind::elastic_net, PenaltyKind::l1_l2norm})
      for (const Intercept intercept : kIntercepts)
        for (const bool weighted : {false, true})
          for (const bool factors : {false, true}) {
            PenaltySpec penalty = of_kind(kind);
            if (factors) penalty.factors = {1, 0.5, 0, 2, 1, 3, 1};
            const ClassWeight by_class =
                weighted && Loss(loss).classifies() ? ClassWeight::balanced : ClassWeight::none;
            cases.push_back({loss, penalty, intercept, weighted, by_class});
          }
  return cases;
}

Problem problem_of(const Case& one, const Sample& sample) {
  ProblemSpec spec;
  spec.loss = one.loss;
  spec.penalty = one.penalty;
  spec.intercept = one.intercept;
  spec.class_weight = one.class_weight;
  return Problem(sample.data(sample.table.dense<double>(), one.loss, one.weighted), spec);
}

bool penalised(const Problem& problem, Index j) {
  if (j == problem.cols()) return problem.spec().intercept == Intercept::regularised;
  const auto& factors = problem.spec().penalty.factors;
  return factors.empty() || factors[static_cast<std::size_t>(j)] > 0;
}

// The largest weight that a penalty holds back.
double reach(const Problem& problem, const Vector& w) {
  double largest = 0;
  for (Index j = 0; j < problem.dim(); ++j)
    if (penalised(problem, j)) largest = std::max(largest, std::abs(w[static_cast<std::size_t>(j)]));
  return largest;
}

TEST(LargestLambda, JustHoldsEveryPenalisedWeightAtZero) {
  const Sample sample = random_sample(80, 7, 11);
  for (const Case& one : kinked_cases()) {
    const Problem problem = problem_of(one, sample);
    const double largest = largest_lambda(problem);
    // An independent solver that knows nothing of paths, on either side.
    const Vector above = testing::solve_slowly(with_lambda(problem, largest * (1 + 1e-9))).w;
    EXPECT_EQ(reach(problem, above), 0) << describe(one);
    const Vector below = testing::solve_slowly(with_lambda(problem, 0.999 * largest)).w;
    EXPECT_GT(reach(problem, below), 1e-9) << describe(one);
  }
}

TEST(LargestLambda, IsExactToRounding) {
  // Zero is optimal when the slopes are within the penalty's bounds: the condition itself, a hair above and below.
  const Sample sample = random_sample(80, 7, 12);
  for (const Case& one : kinked_cases()) {
    const Problem problem = problem_of(one, sample);
    const double largest = largest_lambda(problem);
    const NullModel null = fit_null_model(problem);
    const auto moves = [&](double lambda) {
      const Problem here = with_lambda(problem, lambda);
      Vector w = null.w;
      Vector gradient = null.gradient;
      for (Index j = 0; j < problem.dim(); ++j)
        if (penalised(problem, j)) w[static_cast<std::size_t>(j)] = -gradient[static_cast<std::size_t>(j)];
      testing::penalty_of(here).prox(1.0, std::span<double>(w));
      return reach(problem, w) > 0;
    };
    EXPECT_FALSE(moves(largest * (1 + 1e-11))) << describe(one);
    EXPECT_TRUE(moves(largest * (1 - 1e-11))) << describe(one);
  }
}

TEST(LargestLambda, LeavesAWeakerL2WithinAPercentOfTheNullModel) {
  const Sample sample = random_sample(120, 7, 13);
  for (const LossSpec& loss : all_losses())
    for (const Intercept intercept : kIntercepts) {
      const Case one{loss, of_kind(PenaltyKind::l2), intercept, true, ClassWeight::none};
      const Problem problem = problem_of(one, sample);
      const NullModel null = fit_null_model(problem);
      const double largest = largest_lambda(problem);
      const double best = solve_reference(with_lambda(problem, largest)).objective;
      EXPECT_GE(best, 0.99 * null.loss) << describe(one);
      EXPECT_LT(solve_reference(with_lambda(problem, 0.1 * largest)).objective, best) << describe(one);
    }
}

TEST(LargestLambda, ScalesWithTheTermsOfASum) {
  const Sample sample = random_sample(60, 5, 14);
  PenaltySpec sum = of_kind(PenaltyKind::l1);
  sum.lambda = 0.5;
  sum.also.push_back(of_kind(PenaltyKind::l1));
  sum.also.back().lambda = 1.5;
  const Case one{{}, sum, Intercept::free, false, ClassWeight::none};
  const Case plain{{}, of_kind(PenaltyKind::l1), Intercept::free, false, ClassWeight::none};
  // The sum at lambda is a 1-norm four times as strong.
  EXPECT_NEAR(4 * largest_lambda(problem_of(one, sample)), largest_lambda(problem_of(plain, sample)), 1e-12);
}

TEST(LargestLambda, NoPenaltyIsAnError) {
  const Sample sample = random_sample(60, 5, 15);
  const Case one{{}, of_kind(PenaltyKind::none), Intercept::free, false, ClassWeight::none};
  EXPECT_THROW(largest_lambda(problem_of(one, sample)), Error);
  EXPECT_THROW(solve_path(problem_of(one, sample), {0.1}), Error);
}

TEST(NullModel, HasNoSlopeLeftInWhatIsFree) {
  const Sample sample = random_sample(80, 7, 16);
  for (const Case& one : kinked_cases()) {
    const Problem problem = problem_of(one, sample);
    const NullModel null = fit_null_model(problem);
    for (Index j = 0; j < problem.dim(); ++j) {
      const auto k = static_cast<std::size_t>(j);
      if (penalised(problem, j))
        EXPECT_EQ(null.w[k], 0) << describe(one);
      else
        EXPECT_NEAR(null.gradient[k], 0, 1e-14) << describe(one);
    }
    Vector gradient(null.w.size());
    EXPECT_EQ(null.loss, smooth_gradient(problem, null.w, gradient));
    EXPECT_EQ(null.gradient, gradient);
  }
}

TEST(LambdaGrid, IsGeometricFromTheLargestToTheRatio) {
  const Sample sample = random_sample(60, 5, 17);
  const Case one{{}, of_kind(PenaltyKind::l1), Intercept::free, false, ClassWeight::none};
  const Problem problem = problem_of(one, sample);
  const auto grid = lambda_grid(problem, {.count = 9, .ratio = 1e-2});
  ASSERT_EQ(grid.size(), 9U);
  EXPECT_EQ(grid.front(), largest_lambda(problem));
  EXPECT_NEAR(grid.back() / grid.front(), 1e-2, 1e-14);
  for (std::size_t k = 2; k < grid.size(); ++k) EXPECT_NEAR(grid[k] / grid[k - 1], grid[1] / grid[0], 1e-12);
  EXPECT_EQ(lambda_grid(problem, {.count = 4, .smallest = 1e-3}).back(), 1e-3);
  EXPECT_THROW(lambda_grid(problem, {.smallest = 1e3}), Error);
  EXPECT_THROW(lambda_grid(problem, {.count = 1}), Error);
  EXPECT_THROW(lambda_grid(problem, {.ratio = 1}), Error);
}

TEST(SolvePath, EveryPointIsWhatAColdFitFinds) {
  const Sample sample = random_sample(150, 7, 18);
  for (const LossSpec& loss : all_losses())
    for (const PenaltyKind kind : {PenaltyKind::l1, PenaltyKind::elastic_net, PenaltyKind::l1_l2norm, PenaltyKind::l2})
      for (const Intercept intercept : kIntercepts)
        for (const Matrix& x : sample.table.layouts()) {
          ProblemSpec spec;
          spec.loss = loss;
          spec.penalty = of_kind(kind);
          spec.intercept = intercept;
          const Problem problem(sample.data(x, loss, true), spec);
          OptimumOptions exactly;
          exactly.tol = 1e-11;
          SolveOptions options;
          options.tol = 1e-7;
          const auto lambdas = lambda_grid(problem, {.count = 8, .ratio = 1e-3});
          const Path path = solve_path(problem, lambdas, options);
          ASSERT_EQ(path.points.size(), lambdas.size());
          for (const PathPoint& point : path.points) {
            EXPECT_EQ(point.status, Status::converged)
                << describe({loss, spec.penalty, intercept, true, ClassWeight::none}) << " lambda " << point.lambda
                << " gap " << point.certificate.relative_gap << (x.is_dense() ? " dense" : " sparse");
            const Problem here = with_lambda(problem, point.lambda);
            const Optimum cold = solve_reference(here, exactly);
            const double value = objective(here, point.w);
            EXPECT_NEAR(value, point.certificate.primal, 1e-12 * value);
            EXPECT_LE(value - cold.objective, 1e-7 * value + 1e-12);
            EXPECT_GE(value - cold.objective, -1e-10 * value);
            // The certificate made from what was at hand promises no more than one from a fresh pass.
            EXPECT_GE(point.certificate.relative_gap, certify(here, point.w).relative_gap - 1e-12);
          }
        }
}

TEST(SolvePath, AtTheLargestLambdaNothingPenalisedMoves) {
  const Sample sample = random_sample(80, 7, 19);
  for (const Case& one : kinked_cases()) {
    const Problem problem = problem_of(one, sample);
    const Path path = solve_path(problem, {largest_lambda(problem) * (1 + 1e-12)});
    EXPECT_EQ(reach(problem, path.points.front().w), 0) << describe(one);
  }
}

TEST(SolvePath, TakesLambdasInAnyOrderAndOnce) {
  const Sample sample = random_sample(60, 5, 20);
  const Case one{{}, of_kind(PenaltyKind::l1), Intercept::free, false, ClassWeight::none};
  const Problem problem = problem_of(one, sample);
  const Path path = solve_path(problem, {0.01, 0.1, 0.03, 0.1});
  ASSERT_EQ(path.points.size(), 3U);
  EXPECT_EQ(path.points[0].lambda, 0.1);
  EXPECT_EQ(path.points[2].lambda, 0.01);
  EXPECT_THROW(solve_path(problem, {}), Error);
  EXPECT_THROW(solve_path(problem, {0.1, 0}), Error);
  EXPECT_THROW(solve_path(problem, {0.1, NAN}), Error);
}

TEST(SolvePath, CountsTheWeightsThatAreNotZero) {
  const Sample sample = random_sample(100, 7, 21);
  const Case one{{}, of_kind(PenaltyKind::l1), Intercept::free, false, ClassWeight::none};
  const Problem problem = problem_of(one, sample);
  for (const PathPoint& point : solve_path(problem, lambda_grid(problem, {.count = 5})).points) {
    Index count = 0;
    for (Index j = 0; j < problem.cols(); ++j) count += point.w[static_cast<std::size_t>(j)] != 0;
    EXPECT_EQ(point.nonzeros, count);
  }
}

TEST(SolvePath, KeepsWhatIsDoneWhenToldToStop) {
  const Sample sample = random_sample(100, 7, 22);
  const Case one{{}, of_kind(PenaltyKind::l1), Intercept::free, false, ClassWeight::none};
  const Problem problem = problem_of(one, sample);
  const auto lambdas = lambda_grid(problem, {.count = 10});
  Index seen = 0;
  const Path path = solve_path(problem, lambdas, {}, [&](const PathPoint&) { return ++seen < 4; });
  EXPECT_EQ(path.points.size(), 4U);
  EXPECT_EQ(path.status, Status::interrupted);
  const Path signalled = solve_path(problem, lambdas, {}, [&](const PathPoint& point) {
    if (point.lambda == lambdas[2]) request_interrupt();
    return true;
  });
  request_interrupt(false);
  EXPECT_EQ(signalled.points.size(), 3U);
  EXPECT_EQ(signalled.status, Status::interrupted);
  SolveOptions hurried;
  hurried.seconds = 1e-9;
  const Path late = solve_path(problem, lambdas, hurried);
  EXPECT_LT(late.points.size(), lambdas.size());
  EXPECT_EQ(late.status, Status::out_of_time);
}

TEST(SolvePath, IsTheSameAtAnyNumberOfThreads) {
  const Sample sample = random_sample(9000, 12, 23);
  for (const std::string solver : {"active-set", "sampled-newton"}) {
    const PenaltyKind kind = solver == "active-set" ? PenaltyKind::l1 : PenaltyKind::l2;
    SolveOptions options;
    options.solver = solver;
    std::vector<Path> paths;
    for (const int threads : {1, 2, 5}) {
      ProblemSpec spec;
      spec.penalty.kind = kind;
      spec.threads = threads;
      const Problem problem(sample.data(sample.table.csr<float, std::int32_t>(), spec.loss), spec);
      paths.push_back(solve_path(problem, lambda_grid(problem, {.count = 6}), options));
    }
    for (const Path& path : paths)
      for (std::size_t k = 0; k < path.points.size(); ++k) EXPECT_EQ(path.points[k].w, paths.front().points[k].w);
  }
}

TEST(CertifySeen, EqualsACertificateWithItsOwnPass) {
  const Sample sample = random_sample(80, 7, 24);
  for (const Case& one : kinked_cases()) {
    const Problem problem = with_lambda(problem_of(one, sample), 0.05);
    const Vector w = testing::random_vector(problem.dim(), 3, 0.1);
    Vector u(static_cast<std::size_t>(problem.rows())), gradient(w.size());
    const double loss = loss_and_gradient(problem, w, gradient, u);
    // What rows with a target above zero add to loss and gradient, row by row.
    OfPositives positives{.gradient = Vector(w.size(), 0.0)};
    const Loss psi(problem.spec().loss);
    for (Index i = 0; i < problem.rows(); ++i) {
      const double y = problem.targets()[static_cast<std::size_t>(i)];
      if (!(y > 0)) continue;
      const double slope = problem.weight(i) * psi.slope(u[static_cast<std::size_t>(i)], y);
      positives.loss += problem.weight(i) * psi.value(u[static_cast<std::size_t>(i)], y);
      for (Index j = 0; j < problem.cols(); ++j)
        positives.gradient[static_cast<std::size_t>(j)] += slope * sample.table.at(i, j);
      if (problem.has_intercept()) positives.gradient.back() += slope;
    }
    const OfPositives summed = sum_positives(problem, w, loss, gradient, SmallerClass(problem));
    EXPECT_NEAR(summed.loss, positives.loss, 1e-13);
    for (std::size_t j = 0; j < w.size(); ++j) EXPECT_NEAR(summed.gradient[j], positives.gradient[j], 1e-14);
    const Certificate seen = certify_seen(problem, w, {loss, u, gradient, &positives});
    const Certificate own = certify(problem, w);
    EXPECT_EQ(seen.kind, own.kind);
    EXPECT_NEAR(seen.primal, own.primal, 1e-13);
    EXPECT_NEAR(seen.relative_gap, own.relative_gap, 1e-12) << describe(one);
  }
}

// Far from the optimum and near it, for every class balance that a random point has.
TEST(CertifySeen, ABoundWithoutALookAtTheRowsIsNeverTighterAndNearTheOptimumAboutAsTight) {
  const Sample sample = random_sample(80, 7, 24);
  for (Case one : kinked_cases()) {
    if (!one.penalty.factors.empty()) continue;
    for (const PenaltyKind kind : {PenaltyKind::l2, one.penalty.kind}) {
      one.penalty = of_kind(kind);
      const Problem problem = with_lambda(problem_of(one, sample), 0.05);
      const Vector optimum = solve_reference(problem).w, away = testing::random_vector(problem.dim(), 3, 0.1);
      for (const double distance : {1.0, 1e-3, 1e-6}) {
        Vector w = optimum, gradient(w.size()), u(static_cast<std::size_t>(problem.rows()));
        for (std::size_t j = 0; j < w.size(); ++j) w[j] += distance * away[j];
        const double loss = loss_and_gradient(problem, w, gradient, u);
        const OfPositives positives = sum_positives(problem, w, loss, gradient, SmallerClass(problem));
        const RowsSeen seen{.loss = loss, .margins = u, .gradient = gradient, .positives = &positives, .enough = 1e300};
        const Certificate quick = certify_seen(problem, w, seen), own = certify(problem, w);
        EXPECT_EQ(quick.primal, certify_seen(problem, w, {loss, u, gradient, &positives}).primal);
        EXPECT_GE(quick.relative_gap, own.relative_gap - 1e-12) << describe(one);
        EXPECT_LE(quick.relative_gap, own.relative_gap + 10 * distance) << describe(one);
      }
    }
  }
}

}  // namespace
}  // namespace s3gd
