#include "select/folds.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "exact/quadratic_loss.hpp"
#include "s3gd/error.hpp"
#include "support/blobs.hpp"
#include "support/random_problem.hpp"

namespace s3gd {
namespace {

using testing::random_sample;
using testing::random_vector;
using testing::Sample;

constexpr Index kSmall = 1;  // bytes: one point at a time

std::vector<PathPoint> random_points(const Task& task, Index count) {
  std::vector<PathPoint> points(static_cast<std::size_t>(count));
  for (Index p = 0; p < count; ++p) {
    points[static_cast<std::size_t>(p)].lambda = 1;
    points[static_cast<std::size_t>(p)].w =
        random_vector(task.outputs() * task.dim(), 100 + static_cast<std::uint64_t>(p), 0.5);
    for (Index k = 0; k < task.outputs(); ++k)  // a column without weights
      points[static_cast<std::size_t>(p)].w[static_cast<std::size_t>(k * task.dim() + 1)] = 0;
  }
  return points;
}

// Point by point, each as the model it is.
void expect_as_by_models(const Task& task, ScoreKind metric, const Dataset& rows, Index count) {
  const std::vector<PathPoint> points = random_points(task, count);
  const Judge judge(metric, some_model(task), rows);
  for (const Index bytes : {HeldOut::kBytes, 8 * 1024 * task.outputs(), kSmall}) {
    const std::vector<double> scores = HeldOut(task, metric, rows, {}, bytes).scores(points);
    ASSERT_EQ(scores.size(), points.size());
    for (std::size_t p = 0; p < points.size(); ++p)
      EXPECT_NEAR(scores[p], judge(predict_margins(task.with_lambda(1).model(points[p].w), rows)), 1e-12)
          << p << " " << bytes;
  }
}

TEST(HeldOut, JudgesPointsTogetherAsOneByOne) {
  const Sample sample = random_sample(301, 7, 51);  // blocks of rows, the last of them short
  for (const LossKind loss : {LossKind::logistic, LossKind::squared})
    for (const Intercept intercept : testing::kIntercepts)
      for (const Matrix& x : sample.table.layouts()) {
        ProblemSpec spec;
        spec.loss.kind = loss;
        spec.intercept = intercept;
        const Dataset rows = sample.data(x, spec.loss, intercept == Intercept::free);
        const Task task = Problem(rows, spec);
        const bool numbers = loss == LossKind::squared;
        for (const ScoreKind metric :
             {numbers ? ScoreKind::rmse : ScoreKind::log_loss, numbers ? ScoreKind::r2 : ScoreKind::auc})
          expect_as_by_models(task, metric, rows, 11);
      }
}

TEST(HeldOut, JudgesManyClassesTogetherToo) {
  const Dataset rows = testing::blobs({.rows = 150, .classes = 4, .weighted = true});
  for (const ScoreKind metric : {ScoreKind::log_loss, ScoreKind::balanced_accuracy}) {
    expect_as_by_models(SoftmaxProblem(rows, {}), metric, rows, 5);
    expect_as_by_models(Task(OneVsRestProblem(rows, {})), metric, rows, 5);
  }
}

// Squared errors by products of columns, summed here or known, to what rounding leaves of them.
TEST(HeldOut, SquaredErrorsNeedNoMargins) {
  const Sample sample = random_sample(301, 7, 53);
  for (const Intercept intercept : testing::kIntercepts) {
    ProblemSpec spec;
    spec.loss.kind = LossKind::squared;
    spec.intercept = intercept;
    const Dataset rows = sample.data(sample.table.dense<float>(), spec.loss);
    const Problem problem(rows, spec);
    const Task task = problem;
    std::vector<PathPoint> points = random_points(task, 6);
    const Judge judge(ScoreKind::rmse, some_model(task), rows);
    for (const ColumnProducts& products : {ColumnProducts(), column_products(problem)}) {
      const std::vector<double> scores = HeldOut(task, ScoreKind::rmse, rows, products).scores(points);
      for (std::size_t p = 0; p < points.size(); ++p)
        EXPECT_NEAR(scores[p], judge(predict_margins(task.with_lambda(1).model(points[p].w), rows)), 1e-12);
    }
    // Known products are used: wrong ones tell.
    std::vector<double> twice = *column_products(problem);
    for (double& value : twice) value *= 2;
    const auto wrong = std::make_shared<const std::vector<double>>(std::move(twice));
    const std::vector<double> scores = HeldOut(task, ScoreKind::rmse, rows, wrong).scores(points);
    EXPECT_GT(std::abs(scores[0] - judge(predict_margins(task.with_lambda(1).model(points[0].w), rows))), 1e-3);
  }
}

// A fit without errors: squared errors of 1e-20 are the difference of numbers near 1, unless margins are made.
TEST(HeldOut, SquaredErrorsBelowRoundingComeFromMargins) {
  Sample sample = random_sample(60, 3, 54, 1.0);
  for (Index i = 0; i < 60; ++i) sample.reals[static_cast<std::size_t>(i)] = 2 * sample.table.at(i, 0);
  ProblemSpec spec;
  spec.loss.kind = LossKind::squared;
  spec.intercept = Intercept::none;
  const Dataset rows = sample.data(sample.table.dense<double>(), spec.loss);
  const Task task = Problem(rows, spec);
  std::vector<PathPoint> points(3);
  points[0].w = {2, 0, 1e-10};
  points[1].w = {2, 1e-10, 0};
  points[2].w = {3, 1, -1};
  const Judge judge(ScoreKind::rmse, some_model(task), rows);
  const std::vector<double> scores = HeldOut(task, ScoreKind::rmse, rows).scores(points);
  for (std::size_t p = 0; p < points.size(); ++p) {
    const double score = judge(predict_margins(task.with_lambda(1).model(points[p].w), rows));
    EXPECT_NEAR(scores[p], score, 1e-5 * score) << p;
  }
}

TEST(HeldOut, NamesARowWhoseMarginIsNotFinite) {
  const Sample sample = random_sample(40, 3, 52, 1.0);
  const Task task = Problem(sample.data(sample.table.dense<float>(), {}), {});
  std::vector<PathPoint> points = random_points(task, 3);
  points[1].w[0] = 1e308;
  points[1].w[1] = -1e308;
  points[1].w[2] = 1e308;
  EXPECT_THROW(HeldOut(task, ScoreKind::accuracy, task.data()).scores(points), Error);
}

}  // namespace
}  // namespace s3gd
