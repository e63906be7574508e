#include "s3gd/model_use.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "base/random.hpp"
#include "s3gd/error.hpp"
#include "saved/score.hpp"
#include "support/problems.hpp"

namespace s3gd {
namespace {

Labels labels_of(std::vector<double> values) {
  Labels labels;
  labels.kind = LabelKind::classes;
  labels.values = Array<double>(std::move(values));
  return labels;
}

Model two_classes() {
  Model model;
  model.classes = {"-1", "1"};
  model.link = Link::logistic;
  model.weights = {1.0};
  return model;
}

Metrics judge(const Model& model, const Labels& labels, const std::vector<double>& margins,
              const std::vector<double>& weights = {}) {
  MetricsCounter counter(model);
  counter.add(labels, weights, margins);
  return counter.result();
}

// Rows of two classes, with ties among the margins.
struct Sample {
  std::vector<double> labels, margins, weights;
};
Sample random_sample(Index rows, std::uint64_t seed) {
  Sample sample;
  Rng rng(seed, 9);
  for (Index i = 0; i < rows; ++i) {
    sample.labels.push_back(rng.uniform() < 0.3 ? 1 : -1);
    sample.margins.push_back(std::round(4 * (rng.normal() + 0.5 * sample.labels.back())) / 4);
    sample.weights.push_back(std::floor(4 * rng.uniform()));
  }
  return sample;
}

// By the definition: every pair.
double slow_auc(const Sample& sample) {
  double pairs = 0, wins = 0;
  for (std::size_t a = 0; a < sample.labels.size(); ++a)
    for (std::size_t b = 0; b < sample.labels.size(); ++b) {
      if (sample.labels[a] < 0 || sample.labels[b] > 0) continue;
      const double q = sample.weights[a] * sample.weights[b];
      pairs += q;
      wins += sample.margins[a] > sample.margins[b] ? q : sample.margins[a] == sample.margins[b] ? q / 2 : 0;
    }
  return wins / pairs;
}

// By the definition: each positive contributes the precision among the rows that are ranked no lower.
double slow_average_precision(const Sample& sample) {
  double positives = 0, sum = 0;
  for (std::size_t a = 0; a < sample.labels.size(); ++a) {
    if (sample.labels[a] < 0) continue;
    double found = 0, taken = 0;
    for (std::size_t b = 0; b < sample.labels.size(); ++b) {
      if (sample.margins[b] < sample.margins[a]) continue;
      taken += sample.weights[b];
      if (sample.labels[b] > 0) found += sample.weights[b];
    }
    positives += sample.weights[a];
    if (sample.weights[a] > 0) sum += sample.weights[a] * found / taken;
  }
  return sum / positives;
}

TEST(Metrics, OfTwoClassesAgreeWithTheirDefinitions) {
  const Model model = two_classes();
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Sample sample = random_sample(80, seed);
    const Metrics metrics = judge(model, labels_of(sample.labels), sample.margins, sample.weights);
    double total = 0, right = 0, loss = 0, of_class[2] = {0, 0}, right_of[2] = {0, 0};
    for (std::size_t i = 0; i < sample.labels.size(); ++i) {
      const double y = sample.labels[i], q = sample.weights[i];
      const std::size_t actual = y > 0 ? 1 : 0;
      const double hit = (sample.margins[i] > 0) == (y > 0) ? q : 0;
      total += q;
      right += hit;
      of_class[actual] += q;
      right_of[actual] += hit;
      loss += q * std::log(1 + std::exp(-y * sample.margins[i]));
    }
    EXPECT_EQ(metrics.rows, 80);
    EXPECT_NEAR(metrics.accuracy, right / total, 1e-14);
    EXPECT_NEAR(metrics.balanced_accuracy, (right_of[0] / of_class[0] + right_of[1] / of_class[1]) / 2, 1e-14);
    EXPECT_NEAR(metrics.log_loss, loss / total, 1e-13);
    EXPECT_NEAR(metrics.auc, slow_auc(sample), 1e-13);
    EXPECT_NEAR(metrics.average_precision, slow_average_precision(sample), 1e-13);
    EXPECT_TRUE(metrics.ranks_exact);
    EXPECT_TRUE(std::isnan(metrics.rmse) && std::isnan(metrics.mae) && std::isnan(metrics.r2));
  }
}

TEST(Metrics, OfSixRowsAreThoseFoundByHand) {
  // Ranked: + 3, - 2, + 1, - -1, + -1 (a tie), - -4. Three positives, three negatives.
  const Metrics metrics = judge(two_classes(), labels_of({1, -1, 1, -1, 1, -1}), {3, 2, 1, -1, -1, -4});
  EXPECT_NEAR(metrics.accuracy, 4.0 / 6, 1e-15);           // wrong: the second and the fifth
  EXPECT_NEAR(metrics.balanced_accuracy, 2.0 / 3, 1e-15);  // 2 of 3 in each class
  EXPECT_NEAR(metrics.auc, (3 + 2 + 1.5) / 9, 1e-15);      // negatives beaten by each positive
  EXPECT_NEAR(metrics.average_precision, (1.0 + 2.0 / 3 + 3.0 / 5) / 3, 1e-15);
  EXPECT_EQ(metrics.confusion, (std::vector<double>{2, 1, 1, 2}));
  const auto softplus = [](double t) { return std::log(1 + std::exp(t)); };
  EXPECT_NEAR(metrics.log_loss,
              (softplus(-3) + softplus(2) + softplus(-1) + softplus(-1) + softplus(1) + softplus(-4)) / 6, 1e-15);
  // Probabilities: 0.953 0.881 0.731 0.269 0.269 0.018.
  ASSERT_EQ(metrics.calibration.size(), 10U);
  const double weights[] = {1, 0, 2, 0, 0, 0, 0, 1, 1, 1}, shares[] = {0, 0, 0.5, 0, 0, 0, 0, 1, 0, 1};
  for (std::size_t k = 0; k < 10; ++k) {
    EXPECT_EQ(metrics.calibration[k].weight, weights[k]) << k;
    if (weights[k] == 0)
      EXPECT_TRUE(std::isnan(metrics.calibration[k].positive_share)) << k;
    else
      EXPECT_EQ(metrics.calibration[k].positive_share, shares[k]) << k;
  }
  EXPECT_NEAR(metrics.calibration[2].mean_probability, 1 / (1 + std::exp(1.0)), 1e-15);
}

TEST(Metrics, AProbabilityOfOneFallsIntoTheLastBin) {
  const Metrics metrics = judge(two_classes(), labels_of({1, -1}), {1000, -1000});
  EXPECT_EQ(metrics.calibration[9].weight, 1);
  EXPECT_EQ(metrics.calibration[0].weight, 1);
}

TEST(Metrics, AWeightOfKIsARowKTimes) {
  const Model model = two_classes();
  const Sample sample = random_sample(50, 3);
  std::vector<double> labels, margins;
  for (std::size_t i = 0; i < sample.labels.size(); ++i)
    for (double k = 0; k < sample.weights[i]; ++k) {
      labels.push_back(sample.labels[i]);
      margins.push_back(sample.margins[i]);
    }
  const Metrics weighted = judge(model, labels_of(sample.labels), sample.margins, sample.weights);
  const Metrics repeated = judge(model, labels_of(labels), margins);
  EXPECT_NEAR(weighted.accuracy, repeated.accuracy, 1e-14);
  EXPECT_NEAR(weighted.balanced_accuracy, repeated.balanced_accuracy, 1e-14);
  EXPECT_NEAR(weighted.log_loss, repeated.log_loss, 1e-14);
  EXPECT_NEAR(weighted.auc, repeated.auc, 1e-14);
  EXPECT_NEAR(weighted.average_precision, repeated.average_precision, 1e-14);
  EXPECT_EQ(weighted.confusion, repeated.confusion);
  for (std::size_t k = 0; k < 10; ++k) EXPECT_EQ(weighted.calibration[k].weight, repeated.calibration[k].weight);
}

TEST(Metrics, DoNotDependOnThePortionsRowsComeIn) {
  const Model model = two_classes();
  const Sample sample = random_sample(100, 4);
  const Metrics whole = judge(model, labels_of(sample.labels), sample.margins, sample.weights);
  MetricsCounter counter(model);
  for (std::size_t begin = 0, size = 1; begin < 100; begin += size, size += 3) {
    const std::size_t end = std::min<std::size_t>(100, begin + size);
    const auto part = [&](const std::vector<double>& all) {
      return std::vector<double>(all.begin() + static_cast<std::ptrdiff_t>(begin),
                                 all.begin() + static_cast<std::ptrdiff_t>(end));
    };
    counter.add(labels_of(part(sample.labels)), part(sample.weights), part(sample.margins));
  }
  const Metrics parts = counter.result();
  EXPECT_EQ(parts.log_loss, whole.log_loss);
  EXPECT_EQ(parts.auc, whole.auc);
  EXPECT_EQ(parts.average_precision, whole.average_precision);
  EXPECT_EQ(parts.confusion, whole.confusion);
}

TEST(Metrics, OfSeveralClassesAgreeWithTheirDefinitions) {
  Model model;
  model.classes = {"cat", "dog", "7"};
  model.intercepts = {0, 0, 0};
  model.link = Link::softmax;
  Labels labels = labels_of({0, 1, 2, 2, 3});  // the last is unknown to the model
  labels.class_names = {"7", "dog", "cat", "bird"};
  const std::vector<double> margins{0, 1, 2, 3, 2, 1, 1, 5, 2, 4, 1, 1, 9, 9, 9};
  const std::vector<double> weights{1, 2, 3, 4, 5};
  const Metrics metrics = judge(model, labels, margins, weights);
  EXPECT_EQ(metrics.rows, 4);
  EXPECT_EQ(metrics.unknown, 1);
  EXPECT_EQ(metrics.confusion, (std::vector<double>{4, 3, 0, 2, 0, 0, 0, 0, 1}));
  EXPECT_NEAR(metrics.accuracy, 5.0 / 10, 1e-15);
  EXPECT_NEAR(metrics.balanced_accuracy, (4.0 / 7 + 0 + 1) / 3, 1e-15);
  const auto minus_log = [](double own, double a, double b, double c) {
    return std::log(std::exp(a) + std::exp(b) + std::exp(c)) - own;
  };
  EXPECT_NEAR(
      metrics.log_loss,
      (minus_log(2, 0, 1, 2) + 2 * minus_log(2, 3, 2, 1) + 3 * minus_log(1, 1, 5, 2) + 4 * minus_log(4, 4, 1, 1)) / 10,
      1e-14);
  EXPECT_TRUE(std::isnan(metrics.auc));
  EXPECT_TRUE(metrics.calibration.empty());
}

TEST(Metrics, AClassWithoutRowsDoesNotCountForTheBalance) {
  Model model;
  model.classes = {"0", "1", "2"};
  model.intercepts = {0, 0, 0};
  const Metrics metrics = judge(model, labels_of({0, 0, 1}), {1, 0, 0, 0, 1, 0, 0, 1, 0});
  EXPECT_NEAR(metrics.balanced_accuracy, (0.5 + 1) / 2, 1e-15);
  EXPECT_TRUE(std::isnan(metrics.log_loss));  // no link
}

TEST(Metrics, WithoutRanksAreTheSameButForThem) {
  const Model model = two_classes();
  const Sample sample = random_sample(50, 6);
  const Metrics all = judge(model, labels_of(sample.labels), sample.margins);
  MetricsCounter counter(model, false);
  counter.add(labels_of(sample.labels), {}, sample.margins);
  EXPECT_EQ(counter.result().log_loss, all.log_loss);
  EXPECT_EQ(counter.result().confusion, all.confusion);
  EXPECT_TRUE(std::isnan(counter.result().auc) && std::isnan(counter.result().average_precision));
}

// More rows than are summed at once, and margins at which a probability is 0 or 1 in double.
TEST(Metrics, LogLossOfManyRowsIsTheSumOfTheLogarithms) {
  const Model model = two_classes();
  Sample sample = random_sample(1000, 7);
  sample.margins[3] = 800;
  sample.margins[4] = -800;
  double sum = 0, total = 0;
  for (std::size_t i = 0; i < sample.labels.size(); ++i) {
    sum -= sample.weights[i] * log_probability(model, std::span(sample.margins).subspan(i, 1), sample.labels[i] > 0);
    total += sample.weights[i];
  }
  EXPECT_NEAR(judge(model, labels_of(sample.labels), sample.margins, sample.weights).log_loss, sum / total, 1e-13);
}

TEST(Metrics, AreTheSameForLabelsAndForTheClassesTheyName) {
  const Model model = two_classes();
  Sample sample = random_sample(700, 8);
  sample.labels[5] = 3;  // no class of the model's
  std::vector<Index> classes;
  for (const double label : sample.labels) classes.push_back(label == 3 ? -1 : label > 0 ? 1 : 0);
  const Metrics named = judge(model, labels_of(sample.labels), sample.margins, sample.weights);
  MetricsCounter counter(model, true, false);
  counter.add(classes, sample.weights, sample.margins);
  const Metrics known = counter.result();
  EXPECT_EQ(known.unknown, 1);
  EXPECT_EQ(known.rows, named.rows);
  EXPECT_EQ(known.log_loss, named.log_loss);
  EXPECT_EQ(known.auc, named.auc);
  EXPECT_EQ(known.confusion, named.confusion);
  EXPECT_TRUE(known.calibration.empty());
  EXPECT_THROW(counter.add(classes, {}, std::span(sample.margins).first(3)), Error);
}

TEST(Metrics, OfVeryManyClassesKeepNoConfusionMatrix) {
  for (const std::size_t count : {2048, 2049}) {
    Model model;
    for (std::size_t k = 0; k < count; ++k) model.classes.push_back(std::to_string(k));
    model.intercepts.assign(count, 0.0);
    std::vector<double> margins(3 * count, 0.0);
    margins[7] = margins[count + 8] = margins[2 * count + 9] = 1;
    const Metrics metrics = judge(model, labels_of({7, 8, 8}), margins);
    EXPECT_NEAR(metrics.accuracy, 2.0 / 3, 1e-15);
    EXPECT_NEAR(metrics.balanced_accuracy, 0.75, 1e-15);
    EXPECT_EQ(metrics.confusion.size(), count == 2048 ? count * count : 0);
  }
}

TEST(Metrics, OfOneClassAloneHaveNoRanks) {
  const Metrics metrics = judge(two_classes(), labels_of({1, 1}), {1, 2});
  EXPECT_TRUE(std::isnan(metrics.auc));
  EXPECT_TRUE(std::isnan(metrics.average_precision));
  EXPECT_EQ(metrics.accuracy, 1);
}

TEST(Metrics, LeaveOutLabelsTheModelDoesNotKnowUnlessTheOtherClassIsTheRest) {
  Model model = two_classes();
  model.classes = {"0", "1"};
  const Labels labels = labels_of({1, -0.0, 5, 1});
  const std::vector<double> margins{1, -1, -1, -1};
  EXPECT_EQ(judge(model, labels, margins).unknown, 1);
  EXPECT_EQ(judge(model, labels, margins).rows, 3);
  model.classes = {kRestClass, "1"};
  EXPECT_EQ(judge(model, labels, margins).unknown, 0);
  EXPECT_EQ(judge(model, labels, margins).confusion, (std::vector<double>{2, 0, 1, 1}));
}

TEST(Metrics, OfRegressionAgreeWithTheirDefinitions) {
  testing::SmallData shape;
  shape.regression = shape.weighted = true;
  const Dataset data = testing::small_data<double>(shape, false);
  Model model;
  model.loss.kind = LossKind::squared;
  model.weights.assign(7, 0.1);
  const auto margins = predict_margins(model, data);
  const Metrics metrics = evaluate(model, data, margins);
  double total = 0, mean = 0, squares = 0, absolutes = 0, spread = 0;
  for (Index i = 0; i < 60; ++i) total += data.weights[i];
  for (Index i = 0; i < 60; ++i) mean += data.weights[i] * data.y.values[i] / total;
  for (Index i = 0; i < 60; ++i) {
    const double error = data.y.values[i] - margins[static_cast<std::size_t>(i)];
    squares += data.weights[i] * error * error;
    absolutes += data.weights[i] * std::abs(error);
    spread += data.weights[i] * std::pow(data.y.values[i] - mean, 2);
  }
  EXPECT_FALSE(metrics.classification);
  EXPECT_NEAR(metrics.rmse, std::sqrt(squares / total), 1e-13);
  EXPECT_NEAR(metrics.mae, absolutes / total, 1e-13);
  EXPECT_NEAR(metrics.r2, 1 - squares / spread, 1e-13);
  EXPECT_TRUE(std::isnan(metrics.accuracy));
}

TEST(Metrics, OfRegressionOnThreeRowsAreThoseFoundByHand) {
  Model model;
  model.weights = {1.0};
  const Metrics metrics = judge(model, labels_of({1, 2, 6}), {1, 4, 5});  // errors 0 -2 1; mean label 3
  EXPECT_NEAR(metrics.rmse, std::sqrt(5.0 / 3), 1e-15);
  EXPECT_NEAR(metrics.mae, 1, 1e-15);
  EXPECT_NEAR(metrics.r2, 1 - 5.0 / 14, 1e-15);
}

TEST(Metrics, WordsAreNoNumbersToCompareWith) {
  Model model;
  model.weights = {1.0};
  Labels labels = labels_of({0, 1});
  labels.class_names = {"a", "b"};
  EXPECT_EQ(judge(model, labels, {1, 2}).rows, 0);
  EXPECT_EQ(judge(model, labels, {1, 2}).unknown, 2);
}

TEST(Ranking, OfTooManyMarginsIsThatOfRoundedOnes) {
  Sample sample;
  Rng rng(8, 2);
  Ranking ranking(512);
  for (int i = 0; i < 5000; ++i) {
    sample.labels.push_back(rng.uniform() < 0.4 ? 1 : -1);
    sample.margins.push_back(rng.normal() + 0.5 * sample.labels.back());
    sample.weights.push_back(1);
    ranking.add(sample.margins.back(), sample.labels.back() > 0, 1);
  }
  const auto result = ranking.result();
  EXPECT_FALSE(result.exact);
  EXPECT_NEAR(result.auc, slow_auc(sample), 0.01);
  bool found = false;  // for one number of dropped digits it is exact
  for (int digits = 4; digits <= 52; digits += 4) {
    Sample rounded = sample;
    for (double& margin : rounded.margins)
      margin = std::bit_cast<double>(std::bit_cast<std::uint64_t>(margin) >> digits << digits);
    found = found || (std::abs(result.auc - slow_auc(rounded)) < 1e-12 &&
                      std::abs(result.average_precision - slow_average_precision(rounded)) < 1e-12);
  }
  EXPECT_TRUE(found);
}

TEST(Ranking, OfManyEqualMarginsStaysExact) {
  Ranking ranking(64);
  for (int i = 0; i < 20000; ++i) ranking.add(i % 20, i % 3 == 0, 1);
  EXPECT_TRUE(ranking.result().exact);
}

}  // namespace
}  // namespace s3gd
