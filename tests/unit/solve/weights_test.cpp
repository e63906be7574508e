// Weights, penalty factors and a free intercept, in every solver: a row of weight k is the row k times, of weight 0 not
// there at all, and what is found is the optimum a plain, slow solver finds.
#include <gtest/gtest.h>

#include <cmath>

#include "exact/finisher.hpp"
#include "problem/full_pass.hpp"
#include "s3gd/solve.hpp"
#include "support/slow_solver.hpp"

namespace s3gd {
namespace {

using testing::all_losses;
using testing::random_sample;
using testing::random_vector;
using testing::Sample;
using testing::solve_slowly;
using testing::Vector;

constexpr Index kRows = 240, kCols = 6;

// So uneven that the optimum without weights is another one.
Index times(const Dataset& data, Index i) { return data.y.values[i] > 0.5 ? 4 : i % 3; }

Dataset weighted(Dataset data) {
  Vector weights;
  for (Index i = 0; i < data.rows(); ++i) weights.push_back(static_cast<double>(times(data, i)));
  data.weights = Array<double>(std::move(weights));
  return data;
}

Dataset repeated(const Dataset& data) {
  std::vector<Index> rows;
  for (Index i = 0; i < data.rows(); ++i) rows.insert(rows.end(), static_cast<std::size_t>(times(data, i)), i);
  return take_rows(data, rows);
}

struct Pair {
  Problem weighted, repeated, plain;
};

Pair pair_of(const Matrix& x, const Sample& sample, const ProblemSpec& spec) {
  const Dataset data = sample.data(x, spec.loss);
  return {Problem(weighted(data), spec), Problem(repeated(data), spec), Problem(data, spec)};
}

TEST(Weights, AWholeNumberIsTheRowSoManyTimesForEveryLossAndLayout) {
  const Sample sample = random_sample(kRows, kCols, 11);
  for (const LossSpec& loss : all_losses())
    for (const Matrix& x : sample.table.layouts()) {
      ProblemSpec spec;
      spec.loss = loss;
      spec.penalty.lambda = 0.02;
      const Pair pair = pair_of(x, sample, spec);
      const Vector w = random_vector(pair.weighted.dim(), 5);
      const Certificate one = certify(pair.weighted, w), other = certify(pair.repeated, w);
      EXPECT_NEAR(one.primal, other.primal, 1e-13 * other.primal);
      EXPECT_NEAR(one.dual, other.dual, 1e-11 * (1 + std::abs(other.dual)));
      Vector gradient(w.size()), expected(w.size());
      smooth_gradient(pair.weighted, w, gradient);
      smooth_gradient(pair.repeated, w, expected);
      for (std::size_t j = 0; j < w.size(); ++j) EXPECT_NEAR(gradient[j], expected[j], 1e-12);
      SolveOptions options;
      options.tol = 1e-9;
      const Solution solution = solve(pair.weighted, options);
      EXPECT_EQ(solution.summary.status, Status::converged);
      EXPECT_LE(certify(pair.repeated, solution.w).relative_gap, 1.01e-9);
      EXPECT_NEAR(solution.summary.objective, solve(pair.repeated, options).summary.objective, 1e-8);
    }
}

// Methods whose steps of constant size end at a floor get steps that shrink.
bool has_floor(const std::string& solver) {
  for (const char* name : {"sgd", "ssgd", "is-sgd", "scv", "s3gd"})
    if (solver == name) return true;
  return false;
}

SolveOptions long_run(const std::string& solver, const Problem& problem) {
  SolveOptions options;
  options.solver = solver;
  if (solver == "s3gd" || solver == "auto") options.graph = {.anchors = 6, .neighbours = 3};
  options.passes = 2000;
  options.tol = has_floor(solver) ? 1e-2 : 1e-6;
  if (has_floor(solver)) {
    options.step = theory(problem, options.batch).suggested_step;
    options.decay = 200;
  }
  return options;
}

// Every solver that can take the problem, on dense and sparse rows of both precisions.
template <class Check>
void for_every_solver(const Sample& sample, const ProblemSpec& spec, Check&& check) {
  for (const SolverInfo& info : solvers())
    for (const Matrix& x : sample.table.layouts()) {
      const Problem problem(weighted(sample.data(x, spec.loss)), spec);
      const Finisher* finisher = find_finisher(info.name);
      if (finisher != nullptr && !finisher->suits(problem)) continue;
      SCOPED_TRACE(info.name + (x.is_dense() ? " dense" : " sparse"));
      check(info.name, problem, x);
    }
}

TEST(Weights, EverySolverFindsTheOptimumOfTheRepeatedRows) {
  const Sample sample = random_sample(kRows, kCols, 11);
  for (const PenaltyKind kind : {PenaltyKind::l2, PenaltyKind::l1}) {
    ProblemSpec spec;
    spec.penalty.kind = kind;
    spec.penalty.lambda = 0.02;
    const Pair pair = pair_of(sample.table.dense<double>(), sample, spec);
    ASSERT_GT(certify(pair.repeated, solve_reference(pair.plain).w).relative_gap, 0.05);
    for_every_solver(sample, spec, [&](const std::string& solver, const Problem& problem, const Matrix&) {
      const SolveOptions options = long_run(solver, problem);
      const Solution solution = solve(problem, options);
      EXPECT_EQ(solution.summary.status, Status::converged) << solution.summary.certificate.relative_gap;
      EXPECT_LE(certify(pair.repeated, solution.w).relative_gap, 1.001 * options.tol);
    });
  }
}

TEST(Weights, AHeavyRowDoesNotThrowTheStepsOff) {
  Sample sample = random_sample(kRows, kCols, 12);
  ProblemSpec spec;
  spec.penalty.lambda = 0.05;
  for (const SolverInfo& info : solvers())
    for (const RowOrder order : {RowOrder::solver, RowOrder::shuffled}) {
      Dataset data = sample.data(sample.table.csr<double, std::int64_t>(), spec.loss);
      Vector weights(static_cast<std::size_t>(kRows), 1.0);
      weights[7] = 500;
      data.weights = Array<double>(std::move(weights));
      const Problem problem(data, spec);
      const Finisher* finisher = find_finisher(info.name);
      if (finisher != nullptr && !finisher->suits(problem)) continue;
      if (order == RowOrder::shuffled && (finisher != nullptr || info.name == "auto" || info.name == "gd" ||
                                          info.name == "ssgd" || info.name == "is-sgd"))
        continue;
      SolveOptions options;
      options.solver = info.name;
      options.order = order;
      if (info.name == "s3gd" || info.name == "auto") options.graph.anchors = 6;
      options.passes = 300;
      options.tol = 0.2;
      const Solution solution = solve(problem, options);
      EXPECT_EQ(solution.summary.status, Status::converged)
          << info.name << " " << static_cast<int>(order) << " " << solution.summary.certificate.relative_gap;
      for (const Stage& stage : solution.summary.stages) EXPECT_NE(stage.ended, "diverged") << info.name;
    }
}

TEST(PenaltyFactors, AndAFreeInterceptAreExactInEverySolverAndInTheCertificate) {
  const Sample sample = random_sample(kRows, kCols, 13);
  for (const PenaltyKind kind : {PenaltyKind::l2, PenaltyKind::l1, PenaltyKind::elastic_net}) {
    ProblemSpec spec;
    spec.penalty.kind = kind;
    spec.penalty.lambda = 0.05;
    spec.penalty.factors = {0.2, 1, 3, 0.5, 1, 10};
    const Problem reference(weighted(sample.data(sample.table.dense<double>(), spec.loss)), spec);
    const auto slow = solve_slowly(reference);
    EXPECT_LE(certify(reference, slow.w).relative_gap, 1e-9);
    ProblemSpec plain = spec;
    plain.penalty.factors.clear();
    const Problem without(reference.data(), plain);
    ASSERT_GT(certify(reference, solve_reference(without).w).relative_gap, 1e-2);
    for_every_solver(sample, spec, [&](const std::string& solver, const Problem& problem, const Matrix&) {
      const SolveOptions options = long_run(solver, problem);
      const Solution solution = solve(problem, options);
      EXPECT_EQ(solution.summary.status, Status::converged) << solution.summary.certificate.relative_gap;
      const double above = objective(reference, solution.w) - slow.objective;
      EXPECT_LE(above, (options.tol + 1e-9) * slow.objective * 1.01);
      EXPECT_LE(above, solution.summary.certificate.primal - solution.summary.certificate.dual + 1e-9);
      if (!has_floor(solver)) {
        Vector gradient(solution.w.size());
        smooth_gradient(reference, solution.w, gradient);
        EXPECT_NEAR(gradient.back(), 0, 1e-3);  // nothing holds a free intercept
      }
    });
  }
}

TEST(PenaltyFactors, AFactorOfZeroLeavesAFeatureFree) {
  const Sample sample = random_sample(kRows, kCols, 14);
  for (const PenaltyKind kind : {PenaltyKind::l2, PenaltyKind::l1}) {
    ProblemSpec spec;
    spec.penalty.kind = kind;
    spec.penalty.lambda = 0.05;
    spec.penalty.factors = {0, 1, 3, 0.5, 1, 10};
    for_every_solver(sample, spec, [&](const std::string& solver, const Problem& problem, const Matrix&) {
      SolveOptions options = long_run(solver, problem);
      const Solution solution = solve(problem, options);
      EXPECT_EQ(solution.summary.status, Status::converged) << solution.summary.certificate.relative_gap;
      Vector gradient(solution.w.size());
      smooth_gradient(problem, solution.w, gradient);
      EXPECT_NEAR(gradient.front(), 0, has_floor(solver) ? 0.05 : 1e-3);
    });
  }
}

}  // namespace
}  // namespace s3gd
