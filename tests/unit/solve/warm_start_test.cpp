#include "solve/inputs.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "s3gd/error.hpp"
#include "s3gd/solve.hpp"
#include "support/blobs.hpp"
#include "support/problems.hpp"

namespace s3gd {
namespace {

using testing::largest_difference;
using testing::random_point;
using testing::small_data;
using testing::SmallData;

struct Scaled {
  Problem problem;
  Scaling scaling;
};

Scaled scaled_problem(Dataset data, Scale scale, const ProblemSpec& spec = {}) {
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
      const Scaled fit = scaled_problem(named_data(sparse), scale);
      const auto w = random_point(fit.problem.dim(), 3);
      const Model model = make_model(fit.problem, w, fit.scaling, {});
      EXPECT_LE(largest_difference(start_from(model, fit.problem, fit.scaling), w), 1e-13);
    }
}

TEST(WarmStart, ServesAProblemWithAnotherScaling) {
  const Scaled raw = scaled_problem(named_data(), Scale::none), scaled = scaled_problem(named_data(), Scale::standard);
  const auto w = random_point(raw.problem.dim(), 3);
  const Model model = make_model(raw.problem, w, raw.scaling, {});
  const auto start = start_from(model, scaled.problem, scaled.scaling);
  for (Index i = 0; i < raw.problem.rows(); ++i)
    EXPECT_NEAR(testing::naive_margin(raw.problem, i, w), testing::naive_margin(scaled.problem, i, start), 1e-12);
}

TEST(WarmStart, AtTheOptimumThereIsNothingLeftToDo) {
  const Scaled fit = scaled_problem(named_data(), Scale::standard);
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
  const Scaled fit = scaled_problem(named_data(), Scale::none);
  const auto w = random_point(fit.problem.dim(), 3);
  Model model = make_model(fit.problem, w, fit.scaling, {});
  std::swap(model.feature_names[0], model.feature_names[4]);
  std::swap(model.weights[0], model.weights[4]);
  EXPECT_EQ(start_from(model, fit.problem, fit.scaling), w);
  model.feature_names[2] = "another";
  EXPECT_THROW(start_from(model, fit.problem, fit.scaling), Error);
}

TEST(WarmStart, AModelOfAnotherKindIsOneClearError) {
  const Scaled fit = scaled_problem(named_data(), Scale::none);
  const auto w = random_point(fit.problem.dim(), 3);
  const Model model = make_model(fit.problem, w, fit.scaling, {});

  SmallData narrow;
  narrow.cols = 6;
  const Scaled other_width = scaled_problem(small_data<double>(narrow, false), Scale::none);
  EXPECT_THROW(start_from(model, other_width.problem, other_width.scaling), Error);

  SmallData regression;
  regression.regression = true;
  ProblemSpec squared;
  squared.loss.kind = LossKind::squared;
  const Scaled other_kind = scaled_problem(small_data<double>(regression, false), Scale::none, squared);
  EXPECT_THROW(start_from(model, other_kind.problem, other_kind.scaling), Error);

  const Scaled unit_rows = scaled_problem(named_data(), Scale::unit_rows);
  EXPECT_THROW(start_from(model, unit_rows.problem, unit_rows.scaling), Error);

  ProblemSpec flipped;
  flipped.positive = "-1";
  const Scaled other_class = scaled_problem(named_data(), Scale::none, flipped);
  EXPECT_THROW(start_from(model, other_class.problem, other_class.scaling), Error);
}

Dataset of_classes(Index classes) {
  Dataset data = testing::blobs({.classes = classes});
  for (Index j = 0; j < data.cols(); ++j) data.feature_names.push_back("feature" + std::to_string(j));
  return data;
}

std::vector<Task> tasks_over(const Dataset& data, Intercept intercept = Intercept::free) {
  ProblemSpec one;
  SoftmaxSpec all;
  one.intercept = all.intercept = intercept;
  return {OneVsRestProblem(data, one), SoftmaxProblem(data, all)};
}

TEST(WarmStartOfManyClasses, TakesTheScalingOutOfTheModelAgain) {
  const Dataset raw = of_classes(4);
  for (const Scale scale : {Scale::none, Scale::max_abs, Scale::standard})
    for (const Intercept intercept : {Intercept::free, Intercept::none}) {
      const Scaling scaling = learn_scaling(raw, scale);
      for (const Task& task : tasks_over(apply_scaling(raw, scaling), intercept)) {
        const auto w = random_point(4 * task.dim(), 9);
        EXPECT_LE(largest_difference(start_from(task.model(w, scaling), task, scaling), w), 1e-12);
      }
    }
}

TEST(WarmStartOfManyClasses, ClassesAreMatchedByName) {
  for (const Task& task : tasks_over(of_classes(4))) {
    const auto w = random_point(4 * task.dim(), 9);
    Model model = task.model(w);
    const auto features = static_cast<std::ptrdiff_t>(model.features());
    std::swap(model.classes[0], model.classes[3]);
    std::swap(model.intercepts[0], model.intercepts[3]);
    std::swap_ranges(model.weights.begin(), model.weights.begin() + features, model.weights.end() - features);
    EXPECT_EQ(start_from(model, task, {}), w);
    model.classes[1] = "x";
    EXPECT_THROW(start_from(model, task, {}), Error);
  }
}

TEST(WarmStartOfManyClasses, TwoClassesOfSoftmaxKeepTheirMargins) {
  const Task task = SoftmaxProblem(of_classes(2), {});
  const auto w = random_point(2 * task.dim(), 5), start = start_from(task.model(w), task, {});
  const auto dim = static_cast<std::size_t>(task.dim());
  for (std::size_t j = 0; j < dim; ++j) EXPECT_NEAR(start[dim + j] - start[j], w[dim + j] - w[j], 1e-14);
}

TEST(WarmStartOfManyClasses, OtherClassesOrFeaturesAreRefused) {
  const Dataset data = of_classes(4);
  for (const Task& task : tasks_over(data)) {
    const Model model = task.model(random_point(4 * task.dim(), 9));
    for (const Task& fewer : tasks_over(of_classes(3))) EXPECT_THROW(start_from(model, fewer, {}), Error);
    Dataset renamed = data;
    renamed.feature_names[2] = "other";
    for (const Task& other : tasks_over(renamed)) EXPECT_THROW(start_from(model, other, {}), Error);
    Model named = model;
    std::swap(named.feature_names[0], named.feature_names[3]);
    for (std::size_t k = 0; k < 4; ++k) std::swap(named.weights[6 * k], named.weights[6 * k + 3]);
    EXPECT_EQ(start_from(named, task, {}), start_from(model, task, {}));
  }
}

}  // namespace
}  // namespace s3gd
