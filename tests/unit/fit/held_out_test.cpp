#include "fit/held_out.hpp"

#include <gtest/gtest.h>

#include "s3gd/error.hpp"
#include "support/blobs.hpp"
#include "support/random_problem.hpp"

namespace s3gd {
namespace {

using testing::random_sample;
using testing::random_vector;
using testing::Sample;

constexpr Index kSmall = 1;  // bytes: one point at a time

std::vector<PathPoint> random_points(const ProblemFamily& family, Index count) {
  std::vector<PathPoint> points(static_cast<std::size_t>(count));
  for (Index p = 0; p < count; ++p) {
    points[static_cast<std::size_t>(p)].lambda = 1;
    points[static_cast<std::size_t>(p)].w =
        random_vector(family.outputs() * family.dim(), 100 + static_cast<std::uint64_t>(p), 0.5);
  }
  return points;
}

// Point by point, each as the model it is.
void expect_as_by_models(const ProblemFamily& family, ScoreKind metric, const Dataset& rows, Index count) {
  const std::vector<PathPoint> points = random_points(family, count);
  const Judge judge(metric, some_model(family), rows);
  for (const Index bytes : {HeldOut::kBytes, 8 * 1024 * family.outputs(), kSmall}) {
    const std::vector<double> scores = HeldOut(family, metric, rows, bytes).scores(points);
    ASSERT_EQ(scores.size(), points.size());
    for (std::size_t p = 0; p < points.size(); ++p)
      EXPECT_NEAR(scores[p], judge(predict_margins(family.model(1, points[p].w), rows)), 1e-12) << p << " " << bytes;
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
        const ProblemFamily family = Problem(rows, spec);
        const bool numbers = loss == LossKind::squared;
        for (const ScoreKind metric : {numbers ? ScoreKind::rmse : ScoreKind::log_loss,
                                       numbers ? ScoreKind::r2 : ScoreKind::auc})
          expect_as_by_models(family, metric, rows, 11);
      }
}

TEST(HeldOut, JudgesManyClassesTogetherToo) {
  const Dataset rows = testing::blobs({.rows = 150, .classes = 4, .weighted = true});
  for (const ScoreKind metric : {ScoreKind::log_loss, ScoreKind::balanced_accuracy}) {
    expect_as_by_models(SoftmaxProblem(rows, {}), metric, rows, 5);
    expect_as_by_models(ProblemFamily::one_vs_rest(rows, {}), metric, rows, 5);
  }
}

TEST(HeldOut, NamesARowWhoseMarginIsNotFinite) {
  const Sample sample = random_sample(40, 3, 52, 1.0);
  const ProblemFamily family = Problem(sample.data(sample.table.dense<float>(), {}), {});
  std::vector<PathPoint> points = random_points(family, 3);
  points[1].w[0] = 1e308;
  points[1].w[1] = -1e308;
  points[1].w[2] = 1e308;
  EXPECT_THROW(HeldOut(family, ScoreKind::accuracy, family.data()).scores(points), Error);
}

}  // namespace
}  // namespace s3gd
