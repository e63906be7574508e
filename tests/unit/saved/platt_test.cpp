#include "s3gd/model_use.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "base/random.hpp"
#include "s3gd/error.hpp"

namespace s3gd {
namespace {

struct Sample {
  std::vector<double> margins;
  std::vector<char> in_class;
};

Sample drawn_from(const PlattSigmoid& truth, std::size_t rows, double centre, double spread) {
  Sample sample;
  Rng rng(5, 1);
  for (std::size_t i = 0; i < rows; ++i) {
    const double margin = centre + spread * rng.normal();
    sample.margins.push_back(margin);
    sample.in_class.push_back(rng.uniform() < 1 / (1 + std::exp(truth.a * margin + truth.b)) ? 1 : 0);
  }
  return sample;
}

// The objective as the header states it, naively.
double objective(const Sample& sample, const PlattSigmoid& at) {
  double in = 0;
  for (const char flag : sample.in_class) in += flag;
  const double out = static_cast<double>(sample.margins.size()) - in;
  double sum = 0;
  for (std::size_t i = 0; i < sample.margins.size(); ++i) {
    const double t = sample.in_class[i] != 0 ? (in + 1) / (in + 2) : 1 / (out + 2);
    const double p = 1 / (1 + std::exp(at.a * sample.margins[i] + at.b));
    sum -= t * std::log(p) + (1 - t) * std::log(1 - p);
  }
  return sum;
}

// Of the objective divided by the number of rows, per deviation of the margins: (d/da) / spread and d/db.
PlattSigmoid gradient(const Sample& sample, const PlattSigmoid& at) {
  double in = 0, mean = 0, square = 0;
  const auto rows = static_cast<double>(sample.margins.size());
  for (const char flag : sample.in_class) in += flag;
  for (const double margin : sample.margins) mean += margin / rows;
  for (const double margin : sample.margins) square += (margin - mean) * (margin - mean) / rows;
  PlattSigmoid sum;
  for (std::size_t i = 0; i < sample.margins.size(); ++i) {
    const double t = sample.in_class[i] != 0 ? (in + 1) / (in + 2) : 1 / (rows - in + 2);
    const double residual = t - 1 / (1 + std::exp(at.a * sample.margins[i] + at.b));
    sum.a += residual * (sample.margins[i] - mean) / std::sqrt(square) / rows;
    sum.b += residual / rows;
  }
  return sum;
}

void expect_minimum(const Sample& sample, const PlattSigmoid& found) {
  const PlattSigmoid slope = gradient(sample, found);
  EXPECT_NEAR(slope.a, 0, 1e-11);
  EXPECT_NEAR(slope.b, 0, 1e-11);
}

// By the Fisher information of the sample: the inverse of sum_i p_i (1 - p_i) (m_i, 1)(m_i, 1)^T.
PlattSigmoid standard_errors(const Sample& sample, const PlattSigmoid& truth) {
  double aa = 0, ab = 0, bb = 0;
  for (const double margin : sample.margins) {
    const double p = 1 / (1 + std::exp(truth.a * margin + truth.b));
    aa += p * (1 - p) * margin * margin;
    ab += p * (1 - p) * margin;
    bb += p * (1 - p);
  }
  const double determinant = aa * bb - ab * ab;
  return {std::sqrt(bb / determinant), std::sqrt(aa / determinant)};
}

TEST(Platt, RecoversTheSigmoidThatDrewTheRows) {
  const PlattSigmoid truth{-1.7, 0.6};
  const Sample sample = drawn_from(truth, 100000, 0.3, 1.5);
  const PlattSigmoid found = fit_platt(sample.margins, sample.in_class);
  const PlattSigmoid errors = standard_errors(sample, truth);
  EXPECT_LT(errors.a, 0.02);
  EXPECT_NEAR(found.a, truth.a, 4 * errors.a);
  EXPECT_NEAR(found.b, truth.b, 4 * errors.b);
}

TEST(Platt, TheGradientIsZeroWhateverTheScaleOfTheMargins) {
  for (const double scale : {1e-6, 1.0, 1e6}) {
    const Sample sample = drawn_from({-2 / scale, 0.5}, 500, 0.2 * scale, scale);
    const PlattSigmoid found = fit_platt(sample.margins, sample.in_class);
    expect_minimum(sample, found);
    const double best = objective(sample, found);
    for (const double nudge : {-1e-3, 1e-3}) {
      EXPECT_GT(objective(sample, {found.a * (1 + nudge), found.b}), best);
      EXPECT_GT(objective(sample, {found.a, found.b + nudge}), best);
    }
  }
}

TEST(Platt, SeparableMarginsHaveAFiniteSigmoidThatReachesTheSmoothedTargets) {
  // Two distinct margins: the sigmoid can meet both targets, 4/5 and 1/4, exactly.
  const Sample sample{{2, 2, 2, -1, -1}, {1, 1, 1, 0, 0}};
  const PlattSigmoid found = fit_platt(sample.margins, sample.in_class);
  EXPECT_NEAR(1 / (1 + std::exp(2 * found.a + found.b)), 4.0 / 5, 1e-10);
  EXPECT_NEAR(1 / (1 + std::exp(-found.a + found.b)), 1.0 / 4, 1e-10);

  Sample many;
  for (int i = 0; i < 2000; ++i) {
    many.margins.push_back((i % 2 == 0 ? 1.0 : -1.0) * (1 + 0.01 * (i % 100)) * 1e3);
    many.in_class.push_back(i % 2 == 0 ? 1 : 0);
  }
  const PlattSigmoid steep = fit_platt(many.margins, many.in_class);
  EXPECT_TRUE(std::isfinite(steep.a) && std::isfinite(steep.b));
  EXPECT_LT(steep.a, 0);
  expect_minimum(many, steep);
}

TEST(Platt, FarOutMarginsDoNotStopIt) {
  Sample sample = drawn_from({-1, 0}, 400, 0, 1);
  sample.margins.push_back(1e5);
  sample.in_class.push_back(0);  // on the wrong side
  expect_minimum(sample, fit_platt(sample.margins, sample.in_class));
}

TEST(Platt, OneMarginForAllGivesTheShareOfTheClass) {
  const std::vector<double> margins(10, 3.25);
  const std::vector<char> in_class{1, 1, 1, 0, 0, 0, 0, 0, 0, 0};
  const PlattSigmoid found = fit_platt(margins, in_class);
  EXPECT_EQ(found.a, 0);
  EXPECT_NEAR(1 / (1 + std::exp(found.b)), (3 * 4.0 / 5 + 7 * 1.0 / 9) / 10, 1e-12);
}

TEST(Platt, AClassThatDoesNotOccurGetsASmallProbabilityEverywhere) {
  const std::vector<double> margins{-3, -1, 0.5, 2};
  const PlattSigmoid found = fit_platt(margins, std::vector<char>(4, 0));
  for (const double margin : margins) EXPECT_NEAR(1 / (1 + std::exp(found.a * margin + found.b)), 1.0 / 6, 1e-9);
}

TEST(Platt, OnlyTheRatiosOfWeightsCount) {
  const Sample sample = drawn_from({-1, 0.2}, 300, 0, 1);
  std::vector<double> weights(sample.margins.size(), 7.0);
  const PlattSigmoid plain = fit_platt(sample.margins, sample.in_class);
  const PlattSigmoid same = fit_platt(sample.margins, sample.in_class, weights);
  EXPECT_NEAR(same.a, plain.a, 1e-9);
  weights.assign(weights.size(), 0.0);
  for (std::size_t i = 0; i < 100; ++i) weights[i] = 2;
  const PlattSigmoid part = fit_platt(sample.margins, sample.in_class, weights);
  EXPECT_GT(std::abs(part.a - plain.a), 1e-3);
}

TEST(Platt, NumbersThatDoNotGoTogetherAreRefused) {
  const std::vector<double> margins{1, 2};
  EXPECT_THROW(fit_platt(margins, std::vector<char>{1}), Error);
  EXPECT_THROW(fit_platt({}, {}), Error);
}

Dataset labelled(const Sample& sample, const std::vector<double>& labels) {
  Dataset data;
  data.x = Matrix::own_dense(std::vector<double>(sample.margins), static_cast<Index>(sample.margins.size()), 1);
  data.y.values = Array<double>(std::vector<double>(labels));
  data.y.kind = LabelKind::classes;
  data.source = "a sample";
  return data;
}

TEST(Calibrate, TwoClassesGetTheSigmoidOfTheirOneMargin) {
  const Sample sample = drawn_from({-2, 0.3}, 300, 0.1, 1);
  std::vector<double> labels;
  for (const char flag : sample.in_class) labels.push_back(flag != 0 ? 7 : 3);
  Model model;
  model.classes = {"3", "7"};
  model.weights = {1};
  const Dataset data = labelled(sample, labels);
  calibrate(model, data);
  const PlattSigmoid expected = fit_platt(sample.margins, sample.in_class);
  EXPECT_EQ(model.link, Link::platt);
  EXPECT_EQ(model.platt, (std::vector<double>{expected.a, expected.b}));

  model.classes = {kRestClass, "7"};  // all other labels are the rest
  labels[1] = labels[1] == 3 ? 4 : labels[1];
  calibrate(model, labelled(sample, labels));
  EXPECT_EQ(model.platt, (std::vector<double>{expected.a, expected.b}));
}

TEST(Calibrate, SeveralClassesGetOneEachAndRowsOfOtherClassesAreLeftOut) {
  const Sample sample = drawn_from({-1, 0}, 300, 0, 1);
  std::vector<double> labels;
  for (std::size_t i = 0; i < sample.margins.size(); ++i)
    labels.push_back(i % 50 == 0 ? 9 : (sample.in_class[i] != 0 ? 0 : 1 + static_cast<double>(i % 2)));
  Model model;
  model.classes = {"0", "1", "2"};
  model.weights = {2, -1, 0.5};
  model.intercepts = {0.1, 0.2, 0.3};
  calibrate(model, labelled(sample, labels));
  ASSERT_EQ(model.platt.size(), 6U);
  for (std::size_t k = 0; k < 3; ++k) {
    Sample own;
    for (std::size_t i = 0; i < labels.size(); ++i) {
      if (labels[i] == 9) continue;
      own.margins.push_back(model.weights[k] * sample.margins[i] + model.intercepts[k]);
      own.in_class.push_back(labels[i] == static_cast<double>(k) ? 1 : 0);
    }
    expect_minimum(own, {model.platt[2 * k], model.platt[2 * k + 1]});
  }
}

TEST(Calibrate, ModelsOfNumbersAreRefused) {
  Model model;
  model.weights = {1};
  EXPECT_THROW(calibrate(model, labelled({{1, 2}, {0, 1}}, {0, 1})), Error);
}

}  // namespace
}  // namespace s3gd
