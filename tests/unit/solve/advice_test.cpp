// Every piece of advice: a problem that calls for it, and a healthy one that does not.
#include "solve/advice.hpp"

#include <gtest/gtest.h>

#include "base/random.hpp"
#include "s3gd/solve.hpp"

namespace s3gd {
namespace {

constexpr std::size_t kRows = 600, kCols = 5;

struct Rows {
  std::vector<double> values, labels;

  Problem problem(const ProblemSpec& spec = {}) const {
    Dataset data;
    data.x = Matrix::own_dense(values, static_cast<Index>(kRows), static_cast<Index>(kCols));
    data.y = {Array<double>(labels), LabelKind::classes, {"no", "yes"}};
    return Problem(data, spec);
  }
  double& at(std::size_t i, std::size_t j) { return values[i * kCols + j]; }
};

// Two classes, told apart by the first two features but for a good deal of noise.
Rows healthy(double noise = 1) {
  Rng rng(3);
  Rows rows;
  for (std::size_t i = 0; i < kRows; ++i) {
    for (std::size_t j = 0; j < kCols; ++j) rows.values.push_back(rng.normal());
    rows.labels.push_back(rows.at(i, 0) - rows.at(i, 1) + noise * rng.normal() > 0 ? 1 : 0);
  }
  return rows;
}

std::string advice(const Problem& problem, const SolveOptions& options = {}) {
  std::string all;
  for (const Advice& one : solve(problem, options).summary.advice) all += one.sentence() + "\n";
  return all;
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

ProblemSpec with_penalty(PenaltyKind kind, double lambda) {
  ProblemSpec spec;
  spec.penalty.kind = kind;
  spec.penalty.lambda = lambda;
  return spec;
}

TEST(Advice, AHealthyProblemNeedsNone) {
  EXPECT_EQ(advice(healthy().problem()), "");
  EXPECT_EQ(advice(healthy().problem(with_penalty(PenaltyKind::l1, 1e-3))), "");
  EXPECT_EQ(advice(healthy().problem(with_penalty(PenaltyKind::none, 0))), "");
}

TEST(Advice, SeparableClassesNeedAPenalty) {
  Rows rows = healthy(0);
  for (std::size_t i = 0; i < kRows; ++i) rows.at(i, 0) += rows.labels[i] == 1 ? 0.5 : -0.5;
  EXPECT_TRUE(has(advice(rows.problem(with_penalty(PenaltyKind::none, 0))), "there is no penalty"));
  EXPECT_TRUE(has(advice(rows.problem(with_penalty(PenaltyKind::l2, 1e-12))), "next to nothing"));
  EXPECT_EQ(advice(rows.problem()), "");
  // Rows as near to the border as they please: the tolerance ends the run before all are on the right side.
  const Rows near = healthy(0);
  const std::string said = advice(near.problem(with_penalty(PenaltyKind::none, 0)));
  EXPECT_TRUE(has(said, "hardly a mistake")) << said;
  EXPECT_TRUE(has(said, "there is no penalty")) << said;
}

TEST(Advice, FeaturesOnWildScales) {
  Rows rows = healthy();
  for (std::size_t i = 0; i < kRows; ++i) rows.at(i, 2) *= 1e6;
  EXPECT_TRUE(has(advice(rows.problem()), "use scale standard"));
  for (std::size_t i = 0; i < kRows; ++i) rows.at(i, 2) *= 1e-3 * 1e-3 * 10;
  EXPECT_FALSE(has(advice(rows.problem()), "use scale"));
}

TEST(Advice, RowsOfZeros) {
  Rows rows = healthy();
  for (std::size_t j = 0; j < kCols; ++j) rows.at(7, j) = 0;
  EXPECT_FALSE(has(advice(rows.problem()), "all zero"));
  for (std::size_t i = 0; i < kRows; i += 10)
    for (std::size_t j = 0; j < kCols; ++j) rows.at(i, j) = 0;
  EXPECT_TRUE(has(advice(rows.problem()), "10 % of the rows are all zero"));
}

TEST(Advice, WrongLabelsOfOneClassAreSuspectedMutualOverlapIsNot) {
  Rows rows = healthy(0.3);
  Rng rng(5);
  for (double& label : rows.labels)
    if (label == 0 && rng.uniform() < 0.25) label = 1;
  EXPECT_TRUE(has(advice(rows.problem()), "labels yes may be wrong"));
  for (double& label : rows.labels)
    if (rng.uniform() < 0.3) label = 1 - label;
  EXPECT_FALSE(has(advice(rows.problem()), "may be wrong"));
  Rows few = healthy(0.3);  // a rare class is no wrong class
  for (std::size_t i = 0; i < kRows; ++i) few.labels[i] = few.at(i, 0) - few.at(i, 1) > 1.6 ? 1 : 0;
  EXPECT_FALSE(has(advice(few.problem()), "may be wrong"));
}

TEST(Advice, LambdaAboveLambdaMax) {
  const Problem all_zero = healthy().problem(with_penalty(PenaltyKind::l1, 10));
  const std::string text = advice(all_zero);
  EXPECT_TRUE(has(text, "all weights are zero"));
  // The number it names is the border: just below it, some weight is not zero.
  const double named = std::stod(text.substr(text.find("are from ") + 9));
  EXPECT_FALSE(has(advice(healthy().problem(with_penalty(PenaltyKind::l1, 0.95 * named))), "all weights are zero"));
  EXPECT_TRUE(has(advice(healthy().problem(with_penalty(PenaltyKind::l1, 1.05 * named))), "all weights are zero"));
}

// Near a good fit, what is left of a row's slope is noise that no anchor knows of.
Problem regression(double noise) {
  Rows rows = healthy();
  Rng rng(9);
  Dataset data;
  data.x = Matrix::own_dense(rows.values, static_cast<Index>(kRows), static_cast<Index>(kCols));
  std::vector<double> labels;
  for (std::size_t i = 0; i < kRows; ++i) labels.push_back(3 * rows.at(i, 0) - rows.at(i, 1) + noise * rng.normal());
  data.y = {Array<double>(std::move(labels)), LabelKind::real, {}};
  ProblemSpec spec;
  spec.loss.kind = LossKind::squared;
  spec.penalty.lambda = 1e-6;
  return Problem(data, spec);
}

TEST(Advice, AnchorsThatDoNotHelp) {
  SolveOptions options;
  options.solver = "s3gd";
  options.graph.anchors = 2;
  options.propagation = Propagation::constant;
  options.tol = 0;
  options.passes = 20;
  EXPECT_TRUE(has(advice(regression(1e-3), options), "anchors do not help"));
  EXPECT_FALSE(has(advice(healthy().problem(), options), "anchors do not help"));
}

TEST(Advice, ARunThatStoppedShortIsToldWhatToRaise) {
  SolveOptions options;
  options.solver = "svrg";
  options.passes = 2;
  options.tol = 1e-12;
  EXPECT_TRUE(has(advice(healthy().problem(), options), "more passes"));
  EXPECT_FALSE(has(advice(healthy().problem(), options), "a floor"));  // the noise of svrg goes to zero
  options.solver = "sgd";
  EXPECT_TRUE(has(advice(healthy().problem(), options), "a floor"));
  options.passes = 0;
  options.iterations = 5;
  EXPECT_TRUE(has(advice(healthy().problem(), options), "more iterations"));
  options = {};
  options.iterations = 1;
  options.tol = 1e-12;
  EXPECT_TRUE(has(advice(healthy().problem(), options), "allow more iterations"));
  options.iterations = 0;
  options.seconds = 1e-9;
  EXPECT_TRUE(has(advice(healthy().problem(), options), "more seconds"));
  options.seconds = 0;
  Solution stuck = solve(healthy().problem(), options);
  stuck.summary.status = Status::out_of_passes;  // without a limit of passes, it was rounding that ended the run
  stuck.summary.advice.clear();
  add_advice(healthy().problem(), options, stuck);
  EXPECT_TRUE(has(stuck.summary.advice.front().sentence(), "raise tol"));
}

TEST(Advice, ARunWhoseStepsMayBeRoundedIsToldOfMoreDigits) {
  const Rows rows = healthy();
  Dataset data;
  const std::vector<float> floats(rows.values.begin(), rows.values.end());
  data.x = Matrix::own_dense(floats, static_cast<Index>(kRows), static_cast<Index>(kCols));
  data.y = {Array<double>(rows.labels), LabelKind::classes, {"no", "yes"}};
  SolveOptions options;
  options.solver = "s3gd";
  options.passes = 60;
  options.tol = 1e-15;
  EXPECT_TRUE(has(advice(Problem(data, {}), options), "precision double"));
  EXPECT_FALSE(has(advice(rows.problem(), options), "precision double"));
}

TEST(Advice, APenaltyUnderWhichWeightsVanishIsNoticed) {
  EXPECT_TRUE(has(advice(healthy().problem(with_penalty(PenaltyKind::l2, 1e30))), "the weights vanish"));
  EXPECT_FALSE(has(advice(healthy().problem(with_penalty(PenaltyKind::l2, 1))), "the weights vanish"));
  Rows nothing = healthy();
  nothing.values.assign(nothing.values.size(), 0.0);
  EXPECT_TRUE(has(advice(nothing.problem()), "100 % of the rows are all zero"));
}

// XOR: whatever the penalty, no weight is worth having, and none is to blame.
TEST(Advice, FeaturesThatSayNothingAreNotBlamedOnThePenalty) {
  Dataset data;
  std::vector<double> x, y;
  for (int i = 0; i < 40; ++i) {
    x.insert(x.end(), {i % 4 < 2 ? 0.0 : 1.0, i % 2 == 0 ? 0.0 : 1.0});
    y.push_back(i % 4 == 1 || i % 4 == 2 ? 1 : 0);
  }
  data.x = Matrix::own_dense(std::move(x), 40, 2);
  data.y = {Array<double>(std::move(y)), LabelKind::classes, {}};
  for (const PenaltyKind kind : {PenaltyKind::l2, PenaltyKind::l1, PenaltyKind::elastic_net, PenaltyKind::l1_l2norm})
    for (const LossKind loss : {LossKind::logistic, LossKind::squared_hinge, LossKind::squared}) {
      if (loss == LossKind::squared && kind == PenaltyKind::l2) continue;  // numbers may well be small
      ProblemSpec spec = with_penalty(kind, 1e-3);
      spec.loss.kind = loss;
      const std::string said = advice(Problem(data, spec));
      EXPECT_TRUE(has(said, "say nothing about the labels")) << said;
      EXPECT_FALSE(has(said, "so strong")) << said;
    }
}

}  // namespace
}  // namespace s3gd
