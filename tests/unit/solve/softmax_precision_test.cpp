#include <gtest/gtest.h>

#include <numeric>

#include "solve/inputs.hpp"
#include "support/softmax_sample.hpp"

namespace s3gd {
namespace {

using testing::Vector;

Solution solve_below_rounding(const Dataset& data, MatrixPenaltyKind kind, Intercept intercept) {
  SoftmaxSpec spec;
  spec.penalty = {kind, 0.01, 0.5, {}};
  spec.intercept = intercept;
  SolveOptions options;
  options.tol = 1e-16;
  return solve_softmax(SoftmaxProblem(data, spec), options);
}

// The gap is the square of an error: at 1e-16 a weight could be off by 1e-8, and depend on the order of the rows.
TEST(SoftmaxPrecision, WithATolBelowRoundingTheWeightsAreExactToo) {
  for (const std::uint64_t seed : {41, 42, 43, 44}) {
    const auto sample = testing::softmax_sample(90, 5, 3, seed);
    const Dataset data = sample.data(sample.table.dense<double>(), true);
    std::vector<Index> backwards(90);
    std::iota(backwards.rbegin(), backwards.rend(), Index{0});
    for (const Intercept intercept : testing::kIntercepts) {
      const Vector a = solve_below_rounding(data, MatrixPenaltyKind::l2, intercept).w;
      const Vector b = solve_below_rounding(take_rows(data, backwards), MatrixPenaltyKind::l2, intercept).w;
      for (std::size_t j = 0; j < a.size(); ++j) EXPECT_NEAR(a[j], b[j], 1e-12);
    }
  }
}

TEST(SoftmaxPrecision, StepsThatRoundingMovesEndSoon) {
  for (const std::uint64_t seed : {41, 42, 43, 44}) {
    const auto sample = testing::softmax_sample(240, 6, 3, seed);
    const auto solution =
        solve_below_rounding(sample.data(sample.table.dense<double>(), true), MatrixPenaltyKind::none, Intercept::free);
    EXPECT_LE(solution.summary.certificate.relative_gap, 1e-14);
    EXPECT_LT(solution.summary.passes, 500);
  }
}

}  // namespace
}  // namespace s3gd
