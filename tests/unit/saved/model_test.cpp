#include "s3gd/model.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "base/random.hpp"
#include "s3gd/error.hpp"
#include "support/models.hpp"
#include "support/problems.hpp"

namespace s3gd {
namespace {

using testing::example_model;
using testing::three_class_model;

TEST(Model, PredictionsOnRawRowsEqualThoseOnScaledRows) {
  for (const Scale kind : {Scale::none, Scale::max_abs, Scale::standard, Scale::unit_rows})
    for (const bool sparse : {false, true}) {
      const Dataset raw = testing::small_data<double>({}, sparse);
      const Scaling scaling = learn_scaling(raw, kind);
      const Problem problem(apply_scaling(raw, scaling), ProblemSpec{});
      const auto w = testing::random_point(problem.dim(), 3);
      const Model model = make_model(problem, w, scaling, {});
      const auto margins = predict_margins(model, raw);
      for (Index i = 0; i < raw.rows(); ++i)
        EXPECT_NEAR(margins[static_cast<std::size_t>(i)], testing::naive_margin(problem, i, w), 1e-12)
            << static_cast<int>(kind) << sparse;
    }
}

TEST(Model, ColumnsAreMatchedByNameWhateverTheirOrder) {
  for (const bool sparse : {false, true}) {
    Dataset data = testing::small_data<double>({}, sparse);
    const auto cols = static_cast<std::size_t>(data.cols());
    Model model, mirrored;
    for (std::size_t j = 0; j < cols; ++j) {
      data.feature_names.push_back("f" + std::to_string(j));
      model.weights.push_back(static_cast<double>(j + 1));
    }
    model.feature_names = data.feature_names;
    mirrored.weights.assign(model.weights.rbegin(), model.weights.rend());
    mirrored.feature_names.assign(model.feature_names.rbegin(), model.feature_names.rend());
    const auto expected = predict_margins(model, data), found = predict_margins(mirrored, data);
    for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(found[i], expected[i], 1e-12);
    data.feature_names.back() = "other";
    EXPECT_THROW(predict_margins(model, data), Error);
  }
}

TEST(Model, OnlyRowsOfOpenWidthMayHaveOtherColumns) {
  Model model;
  for (const std::size_t cols : {3, 20}) {
    model.weights.assign(cols, 1.0);
    Dataset dense = testing::small_data<double>({}, false);
    EXPECT_THROW(predict_margins(model, dense), Error);
    dense.open_width = true;
    Dataset sparse = testing::small_data<double>({}, true);
    const auto a = predict_margins(model, dense), b = predict_margins(model, sparse);
    for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-12);
    sparse.open_width = false;
    EXPECT_THROW(predict_margins(model, sparse), Error);
  }
}

TEST(Model, APredictionThatOverflowsIsRefused) {
  Dataset data = testing::small_data<double>({}, false);
  Model model;
  model.weights.assign(7, 1e308);
  model.weights[1] = -1e308;
  std::vector<double> rows(14, 1e308);
  data.x = Matrix::own_dense(std::move(rows), 2, 7);
  EXPECT_THROW(predict_margins(model, data), Error);
}

TEST(Model, SquaredLossOnClassesStillClassifies) {
  ProblemSpec spec;
  spec.loss.kind = LossKind::squared;
  spec.positive = "1";
  const Problem problem(testing::small_data<double>({}, false), spec);
  const Model model = make_model(problem, testing::random_point(problem.dim(), 1), {}, {});
  EXPECT_EQ(model.classes, (std::vector<std::string>{"-1", "1"}));
  EXPECT_EQ(model.link, Link::identity);
}

std::vector<std::vector<double>> random_parameters(Index dim, std::size_t count) {
  std::vector<std::vector<double>> parameters;
  for (std::size_t k = 0; k < count; ++k) parameters.push_back(testing::random_point(dim, 7 + k));
  return parameters;
}

TEST(Model, OfSeveralVectorsHasTheMarginsOfEach) {
  for (const Scale kind : {Scale::none, Scale::max_abs, Scale::standard, Scale::unit_rows})
    for (const Intercept intercept : {Intercept::free, Intercept::none})
      for (const bool sparse : {false, true}) {
        const Dataset raw = testing::small_data<double>({}, sparse);
        const Scaling scaling = learn_scaling(raw, kind);
        const Dataset scaled = apply_scaling(raw, scaling);
        ProblemSpec spec;
        spec.intercept = intercept;
        const Problem problem(scaled, spec);
        const auto parameters = random_parameters(problem.dim(), 3);
        const Model model = make_model(scaled, spec, {"a", "b", "c"}, parameters, Link::softmax, scaling, {});
        EXPECT_EQ(model.outputs(), 3);
        EXPECT_EQ(model.features(), raw.cols());
        EXPECT_EQ(model.loss_name(), "softmax");
        const auto margins = predict_margins(model, raw, 2);
        ASSERT_EQ(margins.size(), 3 * static_cast<std::size_t>(raw.rows()));
        for (std::size_t at = 0; at < margins.size(); ++at)
          EXPECT_NEAR(margins[at], testing::naive_margin(problem, static_cast<Index>(at / 3), parameters[at % 3]),
                      1e-12)
              << static_cast<int>(kind) << sparse;
      }
}

TEST(Model, OfTwoVectorsHasOneOutputTheirDifference) {
  const Dataset data = testing::small_data<double>({}, false);
  const Problem problem(data, ProblemSpec{});
  const auto parameters = random_parameters(problem.dim(), 2);
  const Model model = make_model(data, ProblemSpec{}, {"a", "b"}, parameters, Link::softmax, {}, {});
  const auto margins = predict_margins(model, data);
  ASSERT_EQ(margins.size(), static_cast<std::size_t>(data.rows()));
  for (std::size_t i = 0; i < margins.size(); ++i) {
    const double a = testing::naive_margin(problem, static_cast<Index>(i), parameters[0]);
    const double b = testing::naive_margin(problem, static_cast<Index>(i), parameters[1]);
    EXPECT_NEAR(margins[i], b - a, 1e-12);
    double both[2];
    probabilities(model, {&margins[i], 1}, both);
    EXPECT_NEAR(both[1], std::exp(b) / (std::exp(a) + std::exp(b)), 1e-14);
  }
  EXPECT_THROW(make_model(data, ProblemSpec{}, {"a", "b", "c"}, parameters, Link::softmax, {}, {}), Error);
}

TEST(Model, MarginsHaveTheSameBitsDenseOrSparse) {
  for (const std::size_t outputs : {1, 3})
    for (const bool unit_rows : {false, true}) {
      Model model;
      if (outputs > 1) model.classes = {"a", "b", "c"};
      model.weights = testing::random_point(static_cast<Index>(7 * outputs), 5);
      model.intercepts.assign(outputs, 0.1);
      model.unit_rows = unit_rows;
      const auto dense = predict_margins(model, testing::small_data<float>({}, false), 1);
      EXPECT_EQ(dense, predict_margins(model, testing::small_data<float>({}, true), 7));
    }
}

TEST(Model, TheLargestMarginWinsAndTheFirstOfEquals) {
  const Model three = three_class_model();
  EXPECT_EQ(predicted_class(three, std::vector<double>{-1, 5, 2}), 1);
  EXPECT_EQ(predicted_class(three, std::vector<double>{3, 1, 3}), 0);
  EXPECT_EQ(predicted_class(example_model(), std::vector<double>{0.0}), 0);
  EXPECT_EQ(predicted_class(example_model(), std::vector<double>{1e-300}), 1);
}

TEST(Probabilities, FollowTheirFormulaAndSumToOne) {
  const auto sigmoid = [](double t) { return 1 / (1 + std::exp(-t)); };
  Model model = three_class_model();
  Rng rng(3, 1);
  for (int round = 0; round < 100; ++round) {
    std::vector<double> margins(3), expected(3), found(3);
    for (double& margin : margins) margin = 3 * rng.normal();
    for (const Link link : {Link::logistic, Link::softmax, Link::platt}) {
      model.link = link;
      double sum = 0;
      for (std::size_t k = 0; k < 3; ++k) {
        expected[k] = link == Link::softmax    ? std::exp(margins[k])
                      : link == Link::logistic ? sigmoid(margins[k])
                                               : sigmoid(-(model.platt[2 * k] * margins[k] + model.platt[2 * k + 1]));
        sum += expected[k];
      }
      probabilities(model, margins, found);
      EXPECT_NEAR(found[0] + found[1] + found[2], 1, 1e-15);
      for (std::size_t k = 0; k < 3; ++k) {
        EXPECT_NEAR(found[k], expected[k] / sum, 1e-14);
        EXPECT_NEAR(log_probability(model, margins, static_cast<Index>(k)), std::log(expected[k] / sum), 1e-12);
      }
    }
  }
}

TEST(Probabilities, OfMarginsOfAnySizeAreFinite) {
  Model model = three_class_model();
  for (const Link link : {Link::logistic, Link::softmax, Link::platt})
    for (const double size : {800.0, 1e300}) {
      model.link = link;
      const std::vector<double> margins{-size, -2 * size, -3 * size};
      std::vector<double> found(3);
      probabilities(model, margins, found);
      EXPECT_NEAR(found[0], 1, 1e-15);
      EXPECT_NEAR(log_probability(model, margins, 0), 0, 1e-15);
      EXPECT_TRUE(std::isfinite(log_probability(model, margins, 1)));
    }
}

TEST(Probabilities, OfTwoClassesAreTheSigmoid) {
  Model model = example_model();
  const auto positive = [&](double margin) {
    double both[2];
    probabilities(model, {&margin, 1}, both);
    EXPECT_NEAR(both[0] + both[1], 1, 1e-15);
    return both[1];
  };
  EXPECT_EQ(positive(0.0), 0.5);
  EXPECT_NEAR(positive(2.0), 1 / (1 + std::exp(-2.0)), 1e-15);
  EXPECT_EQ(positive(800.0), 1.0);
  EXPECT_EQ(positive(-800.0), 0.0);
  model.link = Link::platt;
  model.platt = {-2, 0.5};
  EXPECT_NEAR(positive(1.0), 1 / (1 + std::exp(-1.5)), 1e-15);
}

TEST(Probabilities, AreRefusedWhereThereAreNone) {
  Model model = example_model();
  model.link = Link::identity;
  EXPECT_FALSE(has_probabilities(model));
  EXPECT_THROW(require_probabilities(model), Error);
  double both[2];
  EXPECT_THROW(probabilities(model, std::vector<double>{0.5}, both), Error);
}

}  // namespace
}  // namespace s3gd
