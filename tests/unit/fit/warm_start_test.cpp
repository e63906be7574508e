#include "fit/warm_start.hpp"

#include <gtest/gtest.h>

#include "s3gd/error.hpp"
#include "s3gd/multiclass.hpp"
#include "s3gd/solve.hpp"
#include "support/blobs.hpp"
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

Dataset of_classes(Index classes) {
  Dataset data = testing::blobs({.classes = classes});
  for (Index j = 0; j < data.cols(); ++j) data.feature_names.push_back("feature" + std::to_string(j));
  return data;
}

TEST(WarmStartOfManyClasses, TakesTheScalingOutOfTheModelAgain) {
  for (const Scale scale : {Scale::none, Scale::max_abs, Scale::standard})
    for (const Intercept intercept : {Intercept::free, Intercept::none}) {
      const Dataset raw = of_classes(4);
      const Scaling scaling = learn_scaling(raw, scale);
      const Dataset data = apply_scaling(raw, scaling);
      ProblemSpec spec;
      spec.intercept = intercept;
      const Index dim = data.cols() + (intercept == Intercept::none ? 0 : 1);
      std::vector<std::vector<double>> w;
      const std::vector<std::string> names{"0", "1", "2", "3"};
      for (std::uint64_t k = 0; k < 4; ++k) w.push_back(random_point(dim, k));
      const Model model = one_vs_rest_model(data, spec, names, w, scaling, {});
      const auto starts = starts_from(model, names, data, intercept, scaling);
      for (std::size_t k = 0; k < 4; ++k) EXPECT_LE(largest_difference(starts[k], w[k]), 1e-12);
      // Classes by name, in any order.
      EXPECT_EQ(starts_from(model, {"3", "1", "0", "2"}, data, intercept, scaling)[0], starts[3]);

      SoftmaxSpec matrix;
      matrix.intercept = intercept;
      const SoftmaxProblem problem(data, matrix);
      const auto native = random_point(problem.dim(), 9);
      EXPECT_LE(largest_difference(start_from(softmax_model(problem, native, scaling, {}), problem, scaling), native),
                1e-12);
    }
}

TEST(WarmStartOfManyClasses, TwoClassesOfSoftmaxKeepTheirMargins) {
  const Dataset data = of_classes(2);
  const SoftmaxProblem problem(data, {});
  const auto w = random_point(problem.dim(), 5);
  const auto start = start_from(softmax_model(problem, w, {}, {}), problem, {});
  for (std::size_t c = 0; c < w.size(); c += 2) EXPECT_NEAR(start[c + 1] - start[c], w[c + 1] - w[c], 1e-14);
}

TEST(WarmStartOfManyClasses, OtherClassesOrFeaturesAreRefused) {
  const Dataset data = of_classes(4);
  const SoftmaxProblem problem(data, {});
  const Model model = softmax_model(problem, random_point(problem.dim(), 9), {}, {});
  EXPECT_THROW(start_from(model, SoftmaxProblem(of_classes(3), {}), {}), Error);
  EXPECT_THROW(starts_from(model, {"0", "1", "2", "x"}, data, Intercept::free, {}), Error);
  Dataset renamed = data;
  renamed.feature_names[2] = "other";
  EXPECT_THROW(start_from(model, SoftmaxProblem(renamed, {}), {}), Error);
  Model named = model;
  std::swap(named.feature_names[0], named.feature_names[3]);
  for (std::size_t k = 0; k < 4; ++k) std::swap(named.weights[6 * k], named.weights[6 * k + 3]);
  EXPECT_EQ(start_from(named, problem, {}), start_from(model, problem, {}));
}

}  // namespace
}  // namespace s3gd
