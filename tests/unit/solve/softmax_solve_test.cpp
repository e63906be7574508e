#include <gtest/gtest.h>

#include "base/interrupt.hpp"
#include "s3gd/error.hpp"
#include "solve/inputs.hpp"
#include "support/softmax_sample.hpp"

namespace s3gd {
namespace {

using testing::Vector;

SoftmaxSpec spec_with(const MatrixPenaltySpec& penalty, Intercept intercept = Intercept::free, int threads = 1) {
  SoftmaxSpec spec;
  spec.penalty = penalty;
  spec.intercept = intercept;
  spec.threads = threads;
  return spec;
}

SolveOptions to_tolerance(double tol, const std::string& solver = "auto") {
  SolveOptions options;
  options.tol = tol;
  options.solver = solver;
  return options;
}

TEST(SolveSoftmax, EveryPenaltyConvergesToTheOptimumInEveryLayout) {
  const auto sample = testing::softmax_sample(120, 6, 4, 31);
  for (const auto& penalty : testing::matrix_penalties())
    for (const auto intercept : testing::kIntercepts) {
      double least = -1;
      for (const Matrix& x : sample.table.layouts()) {
        const SoftmaxProblem problem(sample.data(x, true), spec_with(penalty, intercept));
        SCOPED_TRACE(problem.formula());
        if (least < 0) least = objective(problem, testing::solve_softmax_slowly(problem, sample.table));
        const auto solution = solve_softmax(problem, to_tolerance(1e-8));
        EXPECT_EQ(solution.summary.status, Status::converged);
        EXPECT_LE(solution.summary.certificate.relative_gap, 1e-8);
        EXPECT_NEAR(objective(problem, solution.w), least, 1.1e-8 * least);
        EXPECT_NEAR(solution.summary.objective, objective(problem, solution.w), 1e-13);
      }
    }
}

TEST(SolveSoftmax, ProxNewtonAgreesWithQuasiNewtonOnL2) {
  const auto sample = testing::softmax_sample(200, 8, 5, 32);
  const SoftmaxProblem problem(sample.data(sample.table.dense<float>()), spec_with({}));
  const auto a = solve_softmax(problem, to_tolerance(1e-10, "quasi-newton"));
  const auto b = solve_softmax(problem, to_tolerance(1e-10, "prox-newton"));
  EXPECT_EQ(a.summary.status, Status::converged);
  EXPECT_EQ(b.summary.status, Status::converged);
  EXPECT_NEAR(a.summary.objective, b.summary.objective, 1e-10);
}

TEST(SolveSoftmax, TwoClassesAreLogisticRegressionWithHalfTheLambda) {
  const auto sample = testing::softmax_sample(150, 6, 2, 33);
  for (const auto intercept : testing::kIntercepts) {
    ProblemSpec binary;
    binary.penalty.lambda = 0.005;
    binary.intercept = intercept;
    const Problem one(sample.data(sample.table.dense<double>()), binary);
    const SoftmaxProblem two(sample.data(sample.table.dense<double>()),
                             spec_with({MatrixPenaltyKind::l2, 0.01, 0.5, {}}, intercept));
    const Optimum expected = solve_reference(one);
    const auto solution = solve_softmax(two, to_tolerance(1e-12));
    EXPECT_NEAR(solution.summary.objective, expected.objective, 1e-12);
    for (std::size_t j = 0; j < expected.w.size(); ++j)
      EXPECT_NEAR(solution.w[2 * j + 1] - solution.w[2 * j], expected.w[j], 1e-5);
  }
}

TEST(SolveSoftmax, AWholeWeightIsARowRepeated) {
  const auto sample = testing::softmax_sample(60, 4, 3, 34);
  std::vector<Index> rows;
  Vector weights;
  for (Index i = 0; i < 60; ++i) {
    weights.push_back(static_cast<double>((i * 7) % 4));
    for (int k = 0; k < (i * 7) % 4; ++k) rows.push_back(i);
  }
  for (const auto& penalty : testing::matrix_penalties())
    for (const ClassWeight by : {ClassWeight::none, ClassWeight::balanced}) {
      SoftmaxSpec spec = spec_with(penalty);
      spec.class_weight = by;
      Dataset weighted = sample.data(sample.table.dense<double>());
      weighted.weights = Array<double>(weights);
      const SoftmaxProblem a(weighted, spec);
      const SoftmaxProblem b(take_rows(sample.data(sample.table.dense<double>()), rows), spec);
      const Vector w = testing::random_vector(a.dim(), 5);
      EXPECT_NEAR(objective(a, w), objective(b, w), 1e-13);
      EXPECT_NEAR(certify(a, w).dual, certify(b, w).dual, 1e-13);
      EXPECT_NEAR(solve_softmax(a, to_tolerance(1e-10)).summary.objective,
                  solve_softmax(b, to_tolerance(1e-10)).summary.objective, 1e-9);
    }
}

TEST(SolveSoftmax, RowsOfZerosAloneHaveTheObviousOptimum) {
  auto sample = testing::softmax_sample(20, 3, 4, 5);
  for (double& value : sample.table.values) value = 0;
  for (const auto& penalty : testing::matrix_penalties())
    for (const SolverInfo& solver : softmax_solvers()) {
      if (solver.name == "quasi-newton" && penalty.kind != MatrixPenaltyKind::l2) continue;
      if (solver.name == "is-sgd") continue;  // there is nothing to draw by importance, which it says
      SCOPED_TRACE(solver.name + ", " + name_of(penalty.kind));
      for (const Matrix& x : sample.table.layouts()) {
        const SoftmaxProblem problem(sample.data(x), spec_with(penalty, Intercept::none));
        EXPECT_DOUBLE_EQ(solve_softmax(problem, to_tolerance(1e-8, solver.name)).summary.objective, std::log(4.0));
      }
    }
}

TEST(SolveSoftmax, RowsWithoutWeightMakeNoClass) {
  auto sample = testing::softmax_sample(40, 3, 3, 35);
  sample.weights.assign(40, 1.0);
  sample.labels[5] = 9;
  sample.weights[5] = 0;
  const SoftmaxProblem problem(sample.data(sample.table.dense<float>(), true), spec_with({}));
  EXPECT_EQ(problem.classes(), 3);
  EXPECT_EQ(problem.class_names(), (std::vector<std::string>{"0", "1", "2"}));
}

TEST(SolveSoftmax, SameBitsAtAnyNumberOfThreads) {
  const auto sample = testing::softmax_sample(3000, 20, 4, 36);
  for (const auto& penalty : testing::matrix_penalties())
    for (const char* solver : {"auto", "s3gd"}) {
      SolveOptions options = to_tolerance(1e-6, solver);
      if (options.solver == "s3gd") options.passes = 1.5;
      const Matrix x = sample.table.csr<float, std::int32_t>();
      const auto one = solve_softmax(SoftmaxProblem(sample.data(x), spec_with(penalty)), options);
      for (const int threads : {2, 5})
        EXPECT_EQ(
            one.w,
            solve_softmax(SoftmaxProblem(sample.data(x), spec_with(penalty, Intercept::free, threads)), options).w)
            << name_of(penalty.kind) << " " << solver;
    }
}

TEST(SolveSoftmax, FactorsOfZeroLeaveAFeatureFreeAndThePointStationary) {
  const auto sample = testing::softmax_sample(200, 4, 3, 37);
  using enum MatrixPenaltyKind;
  for (const auto kind : {l2, l1, elastic_net, group_lasso}) {
    const SoftmaxProblem problem(sample.data(sample.table.dense<double>()), spec_with({kind, 0.05, 0.5, {1, 0, 2, 1}}));
    const auto solution = solve_softmax(problem, to_tolerance(1e-7));
    EXPECT_EQ(solution.summary.status, Status::converged) << name_of(kind);
    EXPECT_EQ(solution.summary.certificate.kind, Certificate::Kind::prox_gradient);
    const double least = objective(problem, testing::solve_softmax_slowly(problem, sample.table));
    EXPECT_NEAR(solution.summary.objective, least, 1e-9);
  }
}

TEST(SolveSoftmax, GroupLassoDropsFeaturesAndTheNuclearNormLowersTheRank) {
  const auto sample = testing::softmax_sample(300, 8, 4, 38);
  const auto fitted = [&](MatrixPenaltyKind kind, double lambda) {
    return solve_softmax(SoftmaxProblem(sample.data(sample.table.dense<double>()), spec_with({kind, lambda, 0.5, {}})),
                         to_tolerance(1e-6));
  };
  const auto group = fitted(MatrixPenaltyKind::group_lasso, 0.06);
  Index used = 0;
  for (std::size_t j = 0; j < 8; ++j) {
    Index off_zero = 0;
    for (std::size_t k = 0; k < 4; ++k) off_zero += group.w[j * 4 + k] != 0 ? 1 : 0;
    EXPECT_TRUE(off_zero == 0 || off_zero == 4);
    used += off_zero > 0 ? 1 : 0;
  }
  EXPECT_GT(used, 0);
  EXPECT_LT(used, 8);
  EXPECT_FALSE(group.rank.has_value());
  EXPECT_EQ(fitted(MatrixPenaltyKind::nuclear, 10.0).rank, 0);
  const auto low = fitted(MatrixPenaltyKind::nuclear, 0.12);
  EXPECT_GT(*low.rank, 0);
  EXPECT_LT(*low.rank, 3);
  EXPECT_EQ(fitted(MatrixPenaltyKind::nuclear, 1e-4).rank, 3);  // the columns of W sum to zero
}

TEST(SolveSoftmax, LimitsAndInterruptsEndTheRunWithWhatThereIs) {
  const auto sample = testing::softmax_sample(200, 6, 3, 39);
  const SoftmaxProblem problem(sample.data(sample.table.dense<float>()), spec_with({}));
  SolveOptions options = to_tolerance(0);
  options.iterations = 2;
  EXPECT_EQ(solve_softmax(problem, options).summary.status, Status::out_of_passes);
  options = to_tolerance(1e-15);
  options.passes = 3;
  const auto short_run = solve_softmax(problem, options);
  EXPECT_EQ(short_run.summary.status, Status::out_of_passes);
  EXPECT_FALSE(short_run.summary.advice.empty());
  EXPECT_LT(short_run.summary.objective, std::log(3.0));
  for (const char* solver : {"auto", "s3gd", "prox-newton"}) {
    request_interrupt();
    const auto stopped = solve_softmax(problem, to_tolerance(1e-13, solver));
    request_interrupt(false);
    EXPECT_EQ(stopped.summary.status, Status::interrupted) << solver;
    EXPECT_EQ(static_cast<Index>(stopped.w.size()), problem.dim());
  }
  Index rows = 0;
  SoftmaxInput input;
  input.watch = [&](const TraceRow&) { return ++rows < 3; };
  EXPECT_EQ(solve_softmax(problem, to_tolerance(1e-13), input).summary.status, Status::interrupted);
  EXPECT_GE(rows, 3);
}

TEST(SolveSoftmax, AStartAtTheOptimumTakesNoSteps) {
  const auto sample = testing::softmax_sample(200, 6, 3, 40);
  for (const auto& penalty : testing::matrix_penalties()) {
    const SoftmaxProblem problem(sample.data(sample.table.dense<double>()), spec_with(penalty));
    SolveOptions options = to_tolerance(1e-9);
    options.start = solve_softmax(problem, to_tolerance(1e-10)).w;
    const auto again = solve_softmax(problem, options);
    EXPECT_EQ(again.summary.status, Status::converged);
    EXPECT_EQ(again.summary.iterations, 0);
    EXPECT_EQ(again.w, options.start);
  }
}

TEST(SolveSoftmax, ATestProblemIsEvaluatedAlongTheWay) {
  const auto sample = testing::softmax_sample(100, 4, 3, 41), other = testing::softmax_sample(50, 4, 3, 42);
  const SoftmaxSpec spec = spec_with({}, Intercept::regularised);  // free ones are shifted at the end, which rounds
  const SoftmaxProblem problem(sample.data(sample.table.dense<double>()), spec);
  const SoftmaxProblem test(other.data(other.table.dense<double>()), spec);
  SolveOptions options = to_tolerance(1e-6);
  options.trace_every = 1;
  SoftmaxInput input;
  input.test = &test;
  const auto solution = solve_softmax(problem, options, input);
  ASSERT_GT(solution.trace.size(), 2U);
  EXPECT_DOUBLE_EQ(solution.trace.back().test_objective, objective(test, solution.w));  // intercepts are centred since
  EXPECT_EQ(solution.trace.back().gap, solution.summary.certificate.relative_gap);
}

TEST(SolveSoftmax, FreeInterceptsSumToZeroAndTheGapIsAtMostOne) {
  const auto sample = testing::softmax_sample(300, 5, 4, 45);
  for (const auto& penalty : testing::matrix_penalties()) {
    const SoftmaxProblem problem(sample.data(sample.table.dense<double>()), spec_with(penalty));
    SolveOptions options = to_tolerance(1e-6);
    options.trace_every = 1;
    for (double shift = 0; shift < 20; shift += 10) {
      options.start.assign(static_cast<std::size_t>(problem.dim()), shift);
      const auto solution = solve_softmax(problem, options);
      double sum = 0;
      for (std::size_t k = 0; k < 4; ++k) sum += solution.w[5 * 4 + k];
      EXPECT_NEAR(sum, 0, 1e-10) << name_of(penalty.kind);
      EXPECT_NEAR(solution.summary.objective, objective(problem, solution.w), 1e-12);
      for (const TraceRow& row : solution.trace) EXPECT_FALSE(row.gap > 1);
    }
  }
}

TEST(SolveSoftmax, WrongInputIsOneSentence) {
  const auto sample = testing::softmax_sample(50, 4, 3, 43);
  const Dataset data = sample.data(sample.table.dense<double>());
  const SoftmaxProblem problem(data, spec_with({}));
  EXPECT_THROW(solve_softmax(problem, to_tolerance(1e-3, "quasi-neuton")), Error);
  try {
    solve_softmax(problem, to_tolerance(1e-3, "newton"));
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("prox-newton"), std::string::npos) << error.what();
  }
  EXPECT_THROW(solve_softmax(SoftmaxProblem(data, spec_with({MatrixPenaltyKind::l1, 0.1, 0.5, {}})),
                             to_tolerance(1e-3, "quasi-newton")),
               Error);
  SolveOptions options;
  options.start.resize(3);
  EXPECT_THROW(solve_softmax(problem, options), Error);
  options = SolveOptions();
  options.batch = 0;
  EXPECT_THROW(solve_softmax(problem, options), Error);
  options = SolveOptions();
  options.tol = std::nan("");
  EXPECT_THROW(solve_softmax(problem, options), Error);
  SoftmaxSpec paper;
  paper.class_weight = ClassWeight::paper;
  EXPECT_THROW(SoftmaxProblem(data, paper), Error);
  Dataset real = data;
  real.y.kind = LabelKind::real;
  EXPECT_THROW(SoftmaxProblem(real, {}), Error);
  Dataset single = data;
  single.y.values = Array<double>(Vector(50, 1.0));
  EXPECT_THROW(SoftmaxProblem(single, {}), Error);
}

TEST(SoftmaxProblem, ParametersAreTurnedRoundAndBack) {
  const auto sample = testing::softmax_sample(50, 4, 3, 44);
  for (const auto intercept : testing::kIntercepts) {
    const SoftmaxProblem problem(sample.data(sample.table.dense<double>()), spec_with({}, intercept));
    const Vector w = testing::random_vector(problem.dim(), 1);
    const Vector turned = class_by_class(problem, w);
    const auto features = static_cast<std::size_t>(problem.features());
    EXPECT_EQ(turned[1 * features + 2], w[2 * 3 + 1]);
    EXPECT_EQ(turned.back(), w.back());
    EXPECT_EQ(feature_by_feature(problem, turned), w);
  }
}

}  // namespace
}  // namespace s3gd
