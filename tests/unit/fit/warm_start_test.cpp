#include "fit/warm_start.hpp"

#include <gtest/gtest.h>

#include "s3gd/error.hpp"
#include "s3gd/solve.hpp"
#include "support/problems.hpp"

namespace s3gd {
namespace {

using testing::largest_difference;
using testing::random_point;
using testing::small_data;
using testing::SmallData;

struct Fit {
  Problem problem;
  Scaling scaling;
};

Fit scaled_problem(Dataset data, Scale scale, const ProblemSpec& spec = {}) {
  Scaling scaling = learn_scaling(data, scale);
  return {Problem(apply_scaling(data, scaling), spec), scaling};
}

Dataset named_data(bool sparse = false) {
  Dataset data = small_data<double>(SmallData{}, sparse);
  for (Index j = 0; j < data.cols(); ++j) data.feature_names.push_back("feature" + std::to_string(j));
  return data;
}

TEST(WarmStart, TakesTheScalingOutOfTheModelAgain) {
  for (const Scale scale : {Scale::none, Scale::max_abs, Scale::standard, Scale::unit_rows})
    for (const bool sparse : {false, true}) {
      const Fit fit = scaled_problem(named_data(sparse), scale);
      const auto w = random_point(fit.problem.dim(), 3);
      const Model model = make_model(fit.problem, w, fit.scaling, {});
      EXPECT_LE(largest_difference(start_from(model, fit.problem, fit.scaling), w), 1e-13);
    }
}

TEST(WarmStart, ServesAProblemWithAnotherScaling) {
  const Fit raw = scaled_problem(named_data(), Scale::none), scaled = scaled_problem(named_data(), Scale::standard);
  const auto w = random_point(raw.problem.dim(), 3);
  const Model model = make_model(raw.problem, w, raw.scaling, {});
  const auto start = start_from(model, scaled.problem, scaled.scaling);
  for (Index i = 0; i < raw.problem.rows(); ++i)
    EXPECT_NEAR(testing::naive_margin(raw.problem, i, w), testing::naive_margin(scaled.problem, i, start), 1e-12);
}

TEST(WarmStart, AtTheOptimumThereIsNothingLeftToDo) {
  const Fit fit = scaled_problem(named_data(), Scale::standard);
  SolveOptions options;
  options.solver = "newton";
  options.tol = 1e-8;
  const Solution cold = solve(fit.problem, options);
  const Model model = make_model(fit.problem, cold.w, fit.scaling, cold.summary.certificate);
  options.start = start_from(model, fit.problem, fit.scaling);
  EXPECT_GT(cold.summary.iterations, 1);
  EXPECT_EQ(solve(fit.problem, options).summary.iterations, 0);
}

TEST(WarmStart, FeaturesAreMatchedByName) {
  const Fit fit = scaled_problem(named_data(), Scale::none);
  const auto w = random_point(fit.problem.dim(), 3);
  Model model = make_model(fit.problem, w, fit.scaling, {});
  std::swap(model.feature_names[0], model.feature_names[4]);
  std::swap(model.weights[0], model.weights[4]);
  EXPECT_EQ(start_from(model, fit.problem, fit.scaling), w);
  model.feature_names[2] = "another";
  EXPECT_THROW(start_from(model, fit.problem, fit.scaling), Error);
}

TEST(WarmStart, AModelOfAnotherKindIsOneClearError) {
  const Fit fit = scaled_problem(named_data(), Scale::none);
  const auto w = random_point(fit.problem.dim(), 3);
  const Model model = make_model(fit.problem, w, fit.scaling, {});

  SmallData narrow;
  narrow.cols = 6;
  const Fit other_width = scaled_problem(small_data<double>(narrow, false), Scale::none);
  EXPECT_THROW(start_from(model, other_width.problem, other_width.scaling), Error);

  SmallData regression;
  regression.regression = true;
  ProblemSpec squared;
  squared.loss.kind = LossKind::squared;
  const Fit other_kind = scaled_problem(small_data<double>(regression, false), Scale::none, squared);
  EXPECT_THROW(start_from(model, other_kind.problem, other_kind.scaling), Error);

  const Fit unit_rows = scaled_problem(named_data(), Scale::unit_rows);
  EXPECT_THROW(start_from(model, unit_rows.problem, unit_rows.scaling), Error);

  ProblemSpec flipped;
  flipped.positive = "-1";
  const Fit other_class = scaled_problem(named_data(), Scale::none, flipped);
  EXPECT_THROW(start_from(model, other_class.problem, other_class.scaling), Error);
}

}  // namespace
}  // namespace s3gd
