// Every stochastic solver fits softmax problems: the same promises as for one output (solve_test.cpp).
#include <gtest/gtest.h>

#include "s3gd/error.hpp"
#include "solve/inputs.hpp"
#include "stochastic/control.hpp"
#include "support/naive_outputs.hpp"

namespace s3gd {
namespace {

using testing::largest_difference;
using testing::matrix_of;
using testing::Vector;

SolveOptions short_run(const std::string& solver) {
  SolveOptions options;
  options.solver = solver;
  if (solver == "s3gd") options.graph = {.anchors = 8, .neighbours = 3};
  return options;
}

template <class T = double>
SoftmaxProblem small_problem(bool sparse, const MatrixPenaltySpec& penalty = {MatrixPenaltyKind::l2, 0.01, 0.5, {}},
                             Index rows = 60, int threads = 1) {
  const auto sample = testing::softmax_sample(rows, 7, 4, 51);
  SoftmaxSpec spec;
  spec.penalty = penalty;
  spec.threads = threads;
  return SoftmaxProblem(sample.data(matrix_of<T>(sample.table, sparse)), spec);
}

TEST(SoftmaxEstimators, ThoseThatConvergeEndInACertificate) {
  for (const std::string solver : {"svrg", "saga", "sag", "gd"})
    for (const bool sparse : {false, true}) {
      const SoftmaxProblem problem = small_problem(sparse);
      SolveOptions options = short_run(solver);
      options.passes = 6000;
      options.tol = 1e-7;
      const Solution solution = solve_softmax(problem, options);
      EXPECT_EQ(solution.summary.status, Status::converged) << solver;
      EXPECT_LE(certify(problem, solution.w).relative_gap, 1e-7) << solver;
    }
}

TEST(SoftmaxEstimators, TheOthersReachAFloorNearTheOptimum) {
  for (const auto& penalty : testing::matrix_penalties()) {
    const SoftmaxProblem problem = small_problem(false, penalty);
    SolveOptions exact;
    exact.tol = 1e-9;
    const double best = solve_softmax(problem, exact).summary.objective;
    for (const std::string solver : {"sgd", "ssgd", "is-sgd", "scv", "s3gd"}) {
      SolveOptions options = short_run(solver);
      options.step = 0.05;
      options.passes = 300;
      options.tol = 0;
      const Solution solution = solve_softmax(problem, options);
      EXPECT_EQ(solution.summary.status, Status::out_of_passes) << solver;
      EXPECT_LE(solution.summary.objective, 1.03 * best) << solver << " " << name_of(penalty.kind);
      EXPECT_LE(solution.summary.certificate.dual, best * (1 + 1e-9)) << solver << " " << name_of(penalty.kind);
    }
  }
}

TEST(SoftmaxEstimators, SameSeedSameBitsAtAnyThreadCountOtherSeedOtherPath) {
  for (const Estimator& estimator : estimator_table())
    for (const bool sparse : {false, true}) {
      SolveOptions options = short_run(estimator.name);
      options.passes = 3;
      options.seed = 5;
      const MatrixPenaltySpec penalty{MatrixPenaltyKind::l2, 0.01, 0.5, {}};
      const Vector one = solve_softmax(small_problem<float>(sparse, penalty, 2000, 1), options).w;
      EXPECT_EQ(one, solve_softmax(small_problem<float>(sparse, penalty, 2000, 2), options).w) << estimator.name;
      EXPECT_EQ(one, solve_softmax(small_problem<float>(sparse, penalty, 2000, 7), options).w) << estimator.name;
      options.seed = 6;
      if (estimator.name == "gd") continue;
      EXPECT_NE(one, solve_softmax(small_problem<float>(sparse, penalty, 2000, 1), options).w) << estimator.name;
    }
}

TEST(SoftmaxEstimators, DenseAndSparseRowsMakeTheSameSteps) {
  for (const Estimator& estimator : estimator_table())
    for (const auto kind : {MatrixPenaltyKind::l2, MatrixPenaltyKind::l1, MatrixPenaltyKind::group_lasso}) {
      SolveOptions options = short_run(estimator.name);
      options.iterations = 200;
      options.inner = estimator.fixed_inner ? 0 : 20;  // by itself it goes by what a drift costs
      options.step = 0.05;
      options.tol = 0;
      const MatrixPenaltySpec penalty{kind, 0.01, 0.5, {}};
      const Vector dense = solve_softmax(small_problem(false, penalty), options).w;
      EXPECT_LE(largest_difference(dense, solve_softmax(small_problem(true, penalty), options).w), 1e-10)
          << estimator.name << " " << name_of(kind);
    }
}

TEST(SoftmaxEstimators, BeingObservedDoesNotChangeThePath) {
  for (const Estimator& estimator : estimator_table())
    for (const auto kind : {MatrixPenaltyKind::l2, MatrixPenaltyKind::l1})
      for (const bool sparse : {false, true}) {
        const SoftmaxProblem problem = small_problem(sparse, {kind, 0.01, 0.5, {}});
        SolveOptions options = short_run(estimator.name);
        options.iterations = 60;
        options.tol = 0;
        options.trace_every = 60;
        const Solution rarely = solve_softmax(problem, options);
        options.trace_every = 7;
        options.trace_gradients = true;
        const Solution often = solve_softmax(problem, options);
        EXPECT_EQ(rarely.trace.back().train_objective, often.trace.back().train_objective) << estimator.name;
        for (const TraceRow& row : often.trace)
          EXPECT_EQ(row.iteration == 0, std::isnan(row.variance_ratio)) << estimator.name;
      }
}

TEST(SoftmaxEstimators, APassesBudgetIsKeptToWithinOneSnapshot) {
  const SoftmaxProblem problem = small_problem<float>(false, {MatrixPenaltyKind::l2, 0.01, 0.5, {}}, 5000, 2);
  for (const Estimator& estimator : estimator_table()) {
    SolveOptions options = short_run(estimator.name);
    options.passes = 5;
    options.tol = 0;
    const Solution solution = solve_softmax(problem, options);
    EXPECT_LE(solution.summary.passes, 6.1) << estimator.name;
    EXPECT_GE(solution.summary.passes, 4.9) << estimator.name;
    EXPECT_NE(solution.summary.status, Status::diverged) << estimator.name;
  }
}

TEST(SoftmaxEstimators, DecayOrderAndAverageHaveTheirEffect) {
  const SoftmaxProblem problem = small_problem(false);
  SolveOptions options = short_run("sgd");
  options.step = 0.5;
  options.passes = 300;
  options.tol = 0;
  options.trace_every = 1800;
  const double constant = solve_softmax(problem, options).trace.back().train_objective;
  options.decay = 50;
  EXPECT_LT(solve_softmax(problem, options).trace.back().train_objective, constant);
  options.decay = 0;
  options.order = RowOrder::shuffled;
  EXPECT_NE(solve_softmax(problem, options).trace.back().train_objective, constant);
  options = short_run("svrg");
  options.average_snapshot = true;
  options.passes = 3000;
  options.tol = 1e-5;
  EXPECT_EQ(solve_softmax(problem, options).summary.status, Status::converged);
}

TEST(SoftmaxEstimators, LessVarianceThanSgdIsMeasured) {
  const SoftmaxProblem problem = small_problem(false, {MatrixPenaltyKind::l2, 0.01, 0.5, {}}, 300);
  for (const std::string solver : {"svrg", "saga", "scv", "s3gd"}) {
    SolveOptions options = short_run(solver);
    options.passes = 40;
    options.tol = 0;
    options.step = 0.02;
    options.trace_gradients = true;
    const Solution solution = solve_softmax(problem, options);
    EXPECT_LT(solution.trace.back().variance_ratio, 0.8) << solver;
    EXPECT_GT(solution.trace.back().correlation, 0.1) << solver;
  }
}

TEST(SoftmaxEstimators, OptionsWithoutEffectAreRefused) {
  const SoftmaxProblem problem = small_problem(false);
  SolveOptions options = short_run("sgd");
  options.accelerated = true;
  EXPECT_THROW(solve_softmax(problem, options), Error);
  options = short_run("scv");
  options.inner = 5;
  EXPECT_THROW(solve_softmax(problem, options), Error);
  options = short_run("ssgd");
  options.order = RowOrder::shuffled;
  EXPECT_THROW(solve_softmax(problem, options), Error);
}

}  // namespace
}  // namespace s3gd
