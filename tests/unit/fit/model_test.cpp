#include "s3gd/model.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "s3gd/error.hpp"
#include "support/problems.hpp"

namespace s3gd {
namespace {

Model example() {
  Model model;
  model.weights = {0.5, -1.25, 1e-300, 3.0};
  model.intercept = 0.1;
  model.positive = "spam";
  model.negative = "rest";
  model.feature_names = {"a", "b \"quoted\"", "c", "\xc3\xa9"};
  model.index_base = 0;
  model.label_column = "kind";
  model.objective = 0.25;
  model.relative_gap = 1e-7;
  return model;
}

class ModelFile : public ::testing::Test {
 protected:
  ~ModelFile() override { std::filesystem::remove(path_); }
  std::string bytes() const {
    std::ifstream in(path_, std::ios::binary);
    std::stringstream text;
    text << in.rdbuf();
    return text.str();
  }
  std::string path_ = (std::filesystem::temp_directory_path() / ("s3gd_model_" + std::to_string(getpid()))).string();
};

TEST_F(ModelFile, ARoundTripKeepsEveryBit) {
  const Model model = example();
  save_model(model, path_);
  const Model back = load_model(path_);
  EXPECT_EQ(back.weights, model.weights);
  EXPECT_EQ(back.intercept, model.intercept);
  EXPECT_EQ(back.positive, model.positive);
  EXPECT_EQ(back.negative, model.negative);
  EXPECT_EQ(back.feature_names, model.feature_names);
  EXPECT_EQ(back.relative_gap, model.relative_gap);
  EXPECT_EQ(back.index_base, model.index_base);
  EXPECT_EQ(back.label_column, model.label_column);
}

TEST_F(ModelFile, EveryTruncationAndEveryFlippedByteIsRefused) {
  save_model(example(), path_);
  const std::string whole = bytes();
  for (std::size_t length = 0; length < whole.size(); ++length)
    EXPECT_THROW(load_model_bytes({whole.data(), length}, "cut"), Error) << length;
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x55);
    EXPECT_THROW(load_model_bytes({damaged.data(), damaged.size()}, "damaged"), Error) << at;
  }
}

TEST_F(ModelFile, ANewerVersionSaysSo) {
  save_model(example(), path_);
  std::string newer = bytes();
  newer.replace(newer.find(" 1\n"), 3, " 9\n");
  try {
    load_model_bytes({newer.data(), newer.size()}, "newer.model");
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("version 9"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("newer.model"), std::string::npos);
  }
}

// tests/golden/model_v1.model was written by version 1 of the format and must load for ever.
TEST(ModelGolden, AFileOfVersionOneStillLoads) {
  const Model model = load_model(std::string(S3GD_SOURCE_DIR) + "/tests/golden/model_v1.model");
  EXPECT_EQ(model.weights, example().weights);
  EXPECT_EQ(model.feature_names, example().feature_names);
  EXPECT_EQ(model.positive, "spam");
  EXPECT_FALSE(model.index_base);
  EXPECT_TRUE(model.label_column.empty());
}

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

TEST(Metrics, LeaveOutLabelsTheModelDoesNotKnowUnlessTheOtherClassIsTheRest) {
  Dataset data = testing::small_data<double>({}, false);
  Model model;
  model.weights.assign(7, 0.3);
  model.positive = "1";
  model.negative = "0";
  const auto margins = predict_margins(model, data);
  const Metrics some = evaluate(model, data, margins);
  EXPECT_GT(some.unknown, 0);
  EXPECT_EQ(some.rows + some.unknown, data.rows());
  model.negative = "rest";
  EXPECT_EQ(evaluate(model, data, margins).unknown, 0);
}

TEST(Metrics, AgreeWithTheirDefinitions) {
  Dataset data = testing::small_data<double>({}, false);
  Model model;
  model.weights.assign(7, 0.3);
  model.positive = "1";
  model.negative = "-1";
  const auto margins = predict_margins(model, data);
  const Metrics metrics = evaluate(model, data, margins);
  double pairs = 0, wins = 0, right = 0, loss = 0;
  for (std::size_t a = 0; a < margins.size(); ++a) {
    const double y = data.y.values[static_cast<Index>(a)];
    right += (margins[a] > 0) == (y > 0);
    loss += std::log(1 + std::exp(-y * margins[a]));
    for (std::size_t b = 0; b < margins.size(); ++b) {
      if (y < 0 || data.y.values[static_cast<Index>(b)] > 0) continue;
      pairs += 1;
      wins += margins[a] > margins[b] ? 1.0 : margins[a] == margins[b] ? 0.5 : 0.0;
    }
  }
  const auto n = static_cast<double>(margins.size());
  EXPECT_NEAR(metrics.accuracy, right / n, 1e-15);
  EXPECT_NEAR(metrics.log_loss, loss / n, 1e-12);
  EXPECT_NEAR(metrics.auc, wins / pairs, 1e-12);
}

TEST(Metrics, OfRegressionAreRootMeanSquareAndExplainedShare) {
  testing::SmallData shape;
  shape.regression = true;
  const Dataset data = testing::small_data<double>(shape, false);
  Model model;
  model.loss.kind = LossKind::squared;
  model.weights.assign(7, 0.1);
  const auto margins = predict_margins(model, data);
  const Metrics metrics = evaluate(model, data, margins);
  double mean = 0, error = 0, spread = 0;
  for (const double y : data.y.values) mean += y / 60.0;
  for (Index i = 0; i < 60; ++i) {
    error += std::pow(data.y.values[i] - margins[static_cast<std::size_t>(i)], 2);
    spread += std::pow(data.y.values[i] - mean, 2);
  }
  EXPECT_NEAR(metrics.rmse, std::sqrt(error / 60), 1e-12);
  EXPECT_NEAR(metrics.r2, 1 - error / spread, 1e-12);
}

TEST(Model, APredictionThatOverflowsIsRefused) {
  Dataset data = testing::small_data<double>({}, false);
  Model model;
  model.weights.assign(7, 1e308);
  model.weights[1] = -1e308;
  model.positive = "1";
  model.negative = "-1";
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
  EXPECT_EQ(model.positive, "1");
  EXPECT_EQ(model.negative, "-1");
}

TEST(Model, ProbabilitiesAreLogisticOnly) {
  Model model = example();
  EXPECT_NEAR(probability(model, 0.0), 0.5, 1e-15);
  EXPECT_NEAR(probability(model, 800.0), 1.0, 1e-15);
  EXPECT_NEAR(probability(model, -800.0), 0.0, 1e-15);
  model.loss.kind = LossKind::squared_hinge;
  EXPECT_THROW(probability(model, 0.0), Error);
}

}  // namespace
}  // namespace s3gd
