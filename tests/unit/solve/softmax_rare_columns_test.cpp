// Columns with few entries beside full ones: a sample of the rows may lack them, and steps along them must stay bounded.
#include <gtest/gtest.h>

#include <numeric>

#include "exact/softmax_quadratic.hpp"
#include "solve/inputs.hpp"
#include "support/softmax_sample.hpp"

namespace s3gd {
namespace {

using testing::Vector;

// Full columns, then rare ones with a few entries each.
testing::SoftmaxSample sample_with_rare_columns(Index rows, Index full, Index rare, Index classes) {
  testing::SoftmaxSample sample = testing::softmax_sample(rows, full + rare, classes, 71, 1.0);
  const Index cols = full + rare;
  for (Index j = full; j < cols; ++j)
    for (Index i = 0; i < rows; ++i)
      if ((i * 131 + j * 17) % (rows / 5) != 0) sample.table.values[static_cast<std::size_t>(i * cols + j)] = 0;
  return sample;
}

SoftmaxProblem problem_of(const testing::SoftmaxSample& sample, const MatrixPenaltySpec& penalty) {
  SoftmaxSpec spec;
  spec.penalty = penalty;
  spec.threads = 1;
  return SoftmaxProblem(sample.data(sample.table.csr<float, std::int32_t>()), spec);
}

std::vector<MatrixPenaltySpec> penalties(double lambda) {
  std::vector<MatrixPenaltySpec> list = testing::matrix_penalties();
  for (auto& spec : list) spec.lambda = lambda;
  return list;
}

SolveOptions to_tolerance(double tol) {
  SolveOptions options;
  options.tol = tol;
  options.solver = "prox-newton";
  return options;
}

TEST(RareColumns, EveryPenaltyEndsAtTheOptimumOfTheSlowWay) {
  const auto sample = sample_with_rare_columns(600, 3, 6, 3);
  for (const auto& penalty : penalties(1e-3)) {
    const SoftmaxProblem problem = problem_of(sample, penalty);
    SCOPED_TRACE(problem.formula());
    const auto solution = solve_softmax(problem, to_tolerance(1e-7));
    EXPECT_EQ(solution.summary.status, Status::converged);
    EXPECT_LE(solution.summary.certificate.relative_gap, 1e-7);
    const double slow = objective(problem, testing::solve_softmax_slowly(problem, sample.table, 6000));
    EXPECT_NEAR(solution.summary.objective, slow, 1e-6 * slow);
  }
}

TEST(RareColumns, WeakPenaltiesAreCertifiedFromASmallSampleOfTheRows) {
  const auto sample = sample_with_rare_columns(6000, 4, 8, 4);
  for (const double lambda : {1e-4, 1e-5})
    for (const auto& penalty : penalties(lambda)) {
      const SoftmaxProblem problem = problem_of(sample, penalty);
      SCOPED_TRACE(problem.formula());
      const auto solution = solve_softmax(problem, to_tolerance(1e-6));
      EXPECT_EQ(solution.summary.status, Status::converged);
      EXPECT_LE(solution.summary.certificate.relative_gap, 1e-6);
    }
}

TEST(RareColumns, WithManyWeightsTheyAreCertifiedToo) {
  const auto sample = sample_with_rare_columns(2500, 5, 250, 20);
  for (const auto& penalty : penalties(1e-3)) {
    const SoftmaxProblem problem = problem_of(sample, penalty);
    ASSERT_FALSE(LossQuadratic(problem).is_coupled());
    SCOPED_TRACE(problem.formula());
    const auto solution = solve_softmax(problem, to_tolerance(1e-6));
    EXPECT_EQ(solution.summary.status, Status::converged);
    EXPECT_LE(solution.summary.certificate.relative_gap, 1e-6);
  }
}

TEST(RareColumns, NoColumnLooksFlatToTheQuadratic) {
  for (const Index classes : {3, 100}) {
    const auto sample = sample_with_rare_columns(3000, 3, 50, classes);
    const SoftmaxProblem problem = problem_of(sample, {});
    const Vector w(static_cast<std::size_t>(problem.dim()), 0.0);
    Curvatures curvatures(problem);
    SoftmaxPass pass;
    curvatures.watch(pass);
    run_pass(problem, w, pass);
    const Vector whole = curvature_diagonal(problem, {}, curvatures.of_rows());
    LossQuadratic quadratic(problem);
    EXPECT_EQ(quadratic.is_coupled(), classes == 3);
    Rng rng(1);
    quadratic.build(w, curvatures, 20, rng);  // fewer rows than rare columns
    std::vector<Index> all(static_cast<std::size_t>(problem.features()));
    std::iota(all.begin(), all.end(), Index{0});
    const Vector diagonal = quadratic.part(all).diagonal();
    const auto k = static_cast<std::size_t>(classes);
    const double directions = quadratic.is_coupled() ? static_cast<double>(classes - 1) : static_cast<double>(classes);
    for (std::size_t j = 0; j < all.size(); ++j) {
      const double sum = std::accumulate(&diagonal[j * k], &diagonal[j * k] + k, 0.0);
      EXPECT_GE(sum, 0.5 * directions * whole[j]) << j;
    }
  }
}

TEST(RareColumns, DampingAddsAMultipleOfTheDiagonal) {
  const auto sample = testing::softmax_sample(200, 5, 3, 72);
  const SoftmaxProblem problem = problem_of(sample, {});
  const Vector w = testing::random_vector(problem.dim(), 1, 0.3), v = testing::random_vector(problem.dim(), 2);
  Curvatures curvatures(problem);
  SoftmaxPass pass;
  curvatures.watch(pass);
  run_pass(problem, w, pass);
  LossQuadratic quadratic(problem);
  Rng rng(1);
  quadratic.build(w, curvatures, problem.rows(), rng);
  std::vector<Index> all(static_cast<std::size_t>(problem.features()));
  std::iota(all.begin(), all.end(), Index{0});
  const auto part = quadratic.part(all);
  const Damped damped(part, 2.5);
  Vector plain(v.size()), steeper(v.size());
  part.times(v, plain);
  damped.times(v, steeper);
  const Vector diagonal = part.diagonal();
  for (std::size_t c = 0; c < v.size(); ++c) {
    EXPECT_NEAR(steeper[c], plain[c] + 2.5 * diagonal[c] * v[c], 1e-14);
    EXPECT_NEAR(damped.diagonal()[c], 3.5 * diagonal[c], 1e-14);
  }
}

}  // namespace
}  // namespace s3gd
