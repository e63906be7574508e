// L-BFGS over all rows reaches the optimum whatever the loss, the layout and the scales of the features.
#include <gtest/gtest.h>

#include "exact/finisher.hpp"
#include "support/random_problem.hpp"

namespace s3gd {
namespace {

using namespace s3gd::testing;

class Silent final : public Progress {
 public:
  bool moved(std::span<const double>, double, double, double) override { return ++calls_ < most_; }
  bool must_stop() const override { return false; }
  int calls_ = 0, most_ = 1 << 30;
};

void expect_optimal(const Problem& problem) {
  SCOPED_TRACE(problem.formula());
  ASSERT_TRUE(find_finisher("lbfgs")->suits(problem));
  Silent silent;
  const Finish finish = finish_by_lbfgs({problem, 1e-8, 1}, {}, silent);
  EXPECT_EQ(finish.end, FinishEnd::converged);
  EXPECT_LE(finish.certificate.relative_gap, 1e-8);
  const double value = objective(problem, finish.w);
  EXPECT_LE(value - solve_reference(problem).objective, finish.certificate.relative_gap * value + 1e-13 * value);
}

TEST(Lbfgs, EveryLossInterceptWeightAndLayoutReachesTheOptimum) {
  const Sample sample = random_sample(150, 6, 5);
  for (const LossSpec& loss : all_losses())
    for (const Intercept intercept : kIntercepts)
      for (const bool weighted : {false, true})
        for (const Matrix& x : sample.table.layouts()) {
          ProblemSpec spec;
          spec.loss = loss;
          spec.intercept = intercept;
          spec.penalty.lambda = 0.01;
          expect_optimal(Problem(sample.data(x, loss, weighted), spec));
        }
}

TEST(Lbfgs, FeaturesOnWildScales) {
  Sample sample = random_sample(200, 6, 9, 1.0);
  for (std::size_t k = 0; k < sample.table.values.size(); ++k)
    sample.table.values[k] *= std::pow(10.0, static_cast<double>(k % 6) - 3);
  ProblemSpec spec;
  spec.penalty.lambda = 1e-4;
  expect_optimal(Problem(sample.data(sample.table.dense<double>(), spec.loss), spec));
}

// One column of 1e53 without a penalty: steps fall below the last digit of its weight, and repeat for ever what they found.
TEST(Lbfgs, EndsWhereAStepChangesNothing) {
  Sample sample = random_sample(7, 6, 1);
  for (std::size_t k = 2; k < sample.table.values.size(); k += 6) sample.table.values[k] *= 1e53;
  ProblemSpec spec;
  spec.loss.kind = LossKind::squared_hinge;
  spec.penalty.kind = PenaltyKind::none;
  spec.intercept = Intercept::regularised;
  Silent silent;
  finish_by_lbfgs({Problem(sample.data(sample.table.dense<double>(), spec.loss), spec), 1e-4, 1}, {}, silent);
  EXPECT_LT(silent.calls_, 2000);
}

TEST(Lbfgs, StopsWhenToldAndLeavesKinksToOthers) {
  const Sample sample = random_sample(100, 5, 3);
  ProblemSpec spec;
  const Problem problem(sample.data(sample.table.dense<double>(), spec.loss), spec);
  Silent silent;
  silent.most_ = 3;
  EXPECT_EQ(finish_by_lbfgs({problem, 1e-12, 1}, {}, silent).end, FinishEnd::stopped);
  EXPECT_EQ(silent.calls_, 3);
  for (const PenaltyKind kind : {PenaltyKind::l1, PenaltyKind::elastic_net, PenaltyKind::l1_l2norm}) {
    spec.penalty.kind = kind;
    EXPECT_FALSE(find_finisher("lbfgs")->suits(Problem(sample.data(sample.table.dense<double>(), spec.loss), spec)));
  }
}

}  // namespace
}  // namespace s3gd
