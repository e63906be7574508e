// A run is interrupted wherever an interrupt can be noticed at all, one place after the other, and ends with the same bits.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "base/interrupt.hpp"
#include "s3gd/solve.hpp"
#include "support/blobs.hpp"
#include "support/problems.hpp"

namespace s3gd {
namespace {

using testing::blobs;
using testing::small_data;

class InterruptPoints : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    path_ = (std::filesystem::temp_directory_path() / ("s3gd_points_" + std::to_string(getpid()))).string();
    std::filesystem::remove(path_);
  }
  void TearDown() override {
    request_interrupt(false);
    std::filesystem::remove(path_);
  }

  SolveOptions options(double tol = 1e-9) const {
    SolveOptions options;
    options.solver = GetParam();
    options.passes = 8;
    options.tol = tol;
    options.checkpoint = path_;
    options.checkpoint_every = 1e9;  // at an interrupt alone
    return options;
  }

  // run: a fit with these options, as what must come out the same.
  template <class Run>
  void expect_the_same_wherever_it_is_cut(SolveOptions options, const Run& run) {
    const auto whole = run(options);
    int cuts = 0;
    for (std::int64_t query = 1;; ++query) {
      std::filesystem::remove(path_);
      options.resume = false;
      request_interrupt_at(query);
      run(options);
      const bool noticed = interrupted();
      request_interrupt(false);
      if (!noticed) break;
      ++cuts;
      options.resume = true;
      const auto resumed = run(options);
      ASSERT_EQ(resumed, whole) << "interrupted when asked for the " << query << "th time";
    }
    EXPECT_GT(cuts, 0);
  }

  std::string path_;
};

std::vector<std::string> names(const std::vector<SolverInfo>& solvers) {
  std::vector<std::string> list;
  for (const SolverInfo& solver : solvers) list.push_back(solver.name);
  return list;
}
std::string test_name(const ::testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

using OneOutput = InterruptPoints;

// A problem that suits the solver. auto makes a stochastic start here.
Problem problem_for(const std::string& solver) {
  ProblemSpec spec;
  spec.threads = 1;
  spec.penalty.lambda = 0.01;
  if (solver == "gram") spec.loss.kind = LossKind::squared;
  if (solver == "active-set") spec.penalty.kind = PenaltyKind::l1;
  testing::SmallData shape{.rows = 250, .regression = solver == "gram"};
  if (solver == "auto") shape = {.rows = 100, .cols = 40};
  if (solver == "dual") shape = {.rows = 60, .cols = 1600, .density = 0.02};
  return Problem(small_data<float>(shape, solver != "lbfgs"), spec);
}

TEST_P(OneOutput, EndsWithTheSameBits) {
  const Problem problem = problem_for(GetParam());
  expect_the_same_wherever_it_is_cut(options(), [&](const SolveOptions& options) { return solve(problem, options).w; });
}

TEST_P(OneOutput, StopsEarlyAtTheSamePlace) {
  const Problem problem = problem_for(GetParam());
  const Dataset test =
      small_data<float>({.rows = 40, .cols = problem.cols(), .regression = GetParam() == "gram", .seed = 9}, true);
  SolveInput input;
  input.test = &test;
  SolveOptions options = this->options();
  options.patience = 2;
  expect_the_same_wherever_it_is_cut(options,
                                     [&](const SolveOptions& options) { return solve(problem, options, input).w; });
}

INSTANTIATE_TEST_SUITE_P(Solvers, OneOutput, ::testing::ValuesIn(names(solvers())), test_name);

// Steps that are rather long: now and then the objective is what a look would call hopeless.
using LongSteps = InterruptPoints;

TEST_P(LongSteps, AreNotGivenUpAtALookThatNobodyPlanned) {
  ProblemSpec spec;
  spec.threads = 1;
  spec.loss.kind = LossKind::squared_hinge;
  spec.penalty.lambda = 0.01;
  const Problem problem(small_data<float>({.rows = 250}, true), spec);
  SolveOptions options = this->options(0);
  options.batch = 1;
  options.passes = 4;
  options.step = 8 * theory(problem, 1).suggested_step;
  options.trace_every = 200;
  expect_the_same_wherever_it_is_cut(options, [&](const SolveOptions& options) {
    const Solution solution = solve(problem, options);
    EXPECT_NE(solution.summary.status, Status::diverged);
    return solution.w;
  });
}

INSTANTIATE_TEST_SUITE_P(Solvers, LongSteps, ::testing::Values("sgd", "ssgd", "is-sgd"), test_name);

using OneVsRestPoints = InterruptPoints;

// Where a class is cut it may happen to be within the tolerance; it ends where the whole run ends all the same.
TEST_P(OneVsRestPoints, EndWithTheSameBitsAtALooseTolerance) {
  const Dataset data = blobs({.rows = 250, .sparse = true});
  ProblemSpec spec;
  spec.threads = 1;
  expect_the_same_wherever_it_is_cut(
      options(1e-3), [&](const SolveOptions& options) { return solve(OneVsRestProblem(data, spec), options).w; });
}

TEST_P(OneVsRestPoints, EndWithTheSameBits) {
  const Dataset data = blobs({.rows = 120, .classes = 3, .sparse = true});
  ProblemSpec spec;
  spec.threads = 1;
  expect_the_same_wherever_it_is_cut(
      options(), [&](const SolveOptions& options) { return solve(OneVsRestProblem(data, spec), options).w; });
}

// Every class ends where the last of its steps was, and none of them leaves the constant model behind.
TEST_P(OneVsRestPoints, EndWithTheSameBitsWhereAConstantIsBetter) {
  const Dataset data = blobs({.rows = 120, .classes = 5, .sparse = true});
  ProblemSpec spec;
  spec.threads = 1;
  SolveOptions options = this->options();
  if (options.solver != "newton") options.step = 1e-9;
  options.passes = 1;
  options.iterations = 1;
  expect_the_same_wherever_it_is_cut(
      options, [&](const SolveOptions& options) { return solve(OneVsRestProblem(data, spec), options).w; });
}

INSTANTIATE_TEST_SUITE_P(Solvers, OneVsRestPoints, ::testing::Values("auto", "newton", "s3gd", "saga", "svrg"),
                         test_name);

using SoftmaxPoints = InterruptPoints;

TEST_P(SoftmaxPoints, EndWithTheSameBits) {
  const SoftmaxProblem problem(blobs({.rows = 120, .classes = 3, .sparse = true}), SoftmaxSpec());
  expect_the_same_wherever_it_is_cut(options(), [&](const SolveOptions& options) { return solve(problem, options).w; });
}

TEST_P(SoftmaxPoints, StopEarlyAtTheSamePlace) {
  const SoftmaxProblem problem(blobs({.rows = 120, .classes = 3, .sparse = true}), SoftmaxSpec());
  const Dataset test = blobs({.rows = 40, .classes = 3, .sparse = true, .seed = 9});
  SolveInput input;
  input.test = &test;
  SolveOptions options = this->options();
  options.patience = 1;
  options.passes = 40;
  expect_the_same_wherever_it_is_cut(options,
                                     [&](const SolveOptions& options) { return solve(problem, options, input).w; });
}

INSTANTIATE_TEST_SUITE_P(Solvers, SoftmaxPoints, ::testing::ValuesIn(names(softmax_solvers())), test_name);

}  // namespace
}  // namespace s3gd
