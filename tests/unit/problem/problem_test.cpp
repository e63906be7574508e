#include "s3gd/problem.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "problem/full_pass.hpp"
#include "s3gd/error.hpp"
#include "support/random_problem.hpp"

namespace s3gd {
namespace {

using testing::random_sample;
using testing::Vector;

Dataset labelled(Vector labels, Vector weights = {}) {
  Dataset data;
  const auto rows = static_cast<Index>(labels.size());
  data.x = Matrix::own_dense(Vector(labels.size() * 2, 1.0), rows, 2);
  data.y = {Array<double>(std::move(labels)), LabelKind::classes, {}};
  if (!weights.empty()) data.weights = Array<double>(std::move(weights));
  return data;
}

std::string refusal(const Dataset& data, const ProblemSpec& spec) {
  try {
    Problem(data, spec);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Problem, TheLargerOfTwoLabelsIsPositive) {
  const Problem problem(labelled({3, 7, 7, 3}), {});
  EXPECT_EQ(problem.positive_class(), 7);
  EXPECT_EQ(problem.negative_class(), 3);
  const Vector expected = {-1, 1, 1, -1};
  EXPECT_TRUE(std::equal(expected.begin(), expected.end(), problem.targets().begin()));
}

TEST(Problem, PositiveNamesTheClassToTellFromTheRest) {
  ProblemSpec spec;
  spec.positive = "3";
  EXPECT_EQ(Problem(labelled({3, 7, 7, 3}), spec).targets()[0], 1);
  const Problem one_of_three(labelled({3, 7, 9, 3}), spec);
  EXPECT_EQ(one_of_three.positive_class(), 3);
  EXPECT_TRUE(std::isnan(one_of_three.negative_class()));
  spec.positive = "largest";
  EXPECT_EQ(Problem(labelled({3, 7, 9, 7}), spec).positive_class(), 7);
  spec.positive = "4";
  EXPECT_NE(refusal(labelled({3, 7, 9, 7}), spec).find("3, 7, 9"), std::string::npos);
}

TEST(Problem, ClassesMayBeWords) {
  Dataset data = labelled({0, 1, 2, 1});
  data.y.class_names = {"bus", "car", "van"};
  ProblemSpec spec;
  spec.positive = "car";
  EXPECT_EQ(Problem(data, spec).targets()[3], 1);
  spec.loss.kind = LossKind::squared;
  EXPECT_EQ(Problem(data, spec).targets()[0], -1);
  spec.positive.clear();
  EXPECT_NE(refusal(data, spec), "");
}

TEST(Problem, WeightsSumToOneAndClassesBalance) {
  ProblemSpec spec;
  EXPECT_TRUE(Problem(labelled({0, 1, 1, 1}), spec).weights().empty());
  EXPECT_EQ(Problem(labelled({0, 1, 1, 1}), spec).weight(2), 0.25);
  EXPECT_TRUE(Problem(labelled({0, 1, 1, 1}, {2, 2, 2, 2}), spec).weights().empty());
  const Problem weighted(labelled({0, 1, 1, 1}, {1, 2, 0, 5}), spec);
  EXPECT_DOUBLE_EQ(weighted.weight(3), 5.0 / 8);
  spec.class_weight = ClassWeight::balanced;
  const Problem balanced(labelled({0, 1, 1, 1}, {1, 2, 0, 2}), spec);
  EXPECT_DOUBLE_EQ(balanced.weight(0), 0.5);
  EXPECT_DOUBLE_EQ(balanced.weight(1), 0.25);
  EXPECT_EQ(balanced.total_weight(), 1);
  spec.class_weight = ClassWeight::paper;
  const Problem paper(labelled({0, 1, 1, 1}), spec);
  EXPECT_DOUBLE_EQ(paper.weight(0), 1.0);
  EXPECT_DOUBLE_EQ(paper.weight(1), 1.0 / 3);
  EXPECT_EQ(paper.total_weight(), 2);
}

TEST(Problem, WhatDoesNotFitIsRefusedWithOneSentence) {
  ProblemSpec spec;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NE(refusal(labelled({}), spec).find("no rows"), std::string::npos);
  EXPECT_NE(refusal(labelled({1, 1}), spec).find("all rows have the label 1"), std::string::npos);
  EXPECT_NE(refusal(labelled({1, 2, 3}), spec).find("largest"), std::string::npos);
  EXPECT_NE(refusal(labelled({1, nan}), spec).find("row 1"), std::string::npos);
  EXPECT_NE(refusal(labelled({1, 2}, {0, 0}), spec).find("weights"), std::string::npos);
  EXPECT_NE(refusal(labelled({1, 2}, {1, -1}), spec).find("row 1"), std::string::npos);
  EXPECT_NE(refusal(labelled({1, 2}, {nan, 1}), spec).find("row 0"), std::string::npos);
  EXPECT_NE(refusal(labelled({1, 2}, {1, 2, 3}), spec).find("3 sample weights"), std::string::npos);
  EXPECT_NE(refusal(labelled({1, 2, 2}, {1, 0, 0}), spec).find("all rows"), std::string::npos);
  Dataset no_columns = labelled({1, 2});
  no_columns.x = Matrix::own_dense(Vector(), 2, 0);
  EXPECT_NE(refusal(no_columns, spec).find("no columns"), std::string::npos);
  Dataset no_labels = labelled({1, 2});
  no_labels.y = {};
  EXPECT_NE(refusal(no_labels, spec).find("no labels"), std::string::npos);
  spec.penalty.lambda = -1;
  EXPECT_NE(refusal(labelled({1, 2}), spec).find("lambda"), std::string::npos);
  spec.penalty.lambda = 1;
  spec.loss = {LossKind::smooth_hinge, 0.0};
  EXPECT_NE(refusal(labelled({1, 2}), spec).find("beta"), std::string::npos);
  spec.loss = {LossKind::squared, 0.0};
  spec.class_weight = ClassWeight::balanced;
  EXPECT_NE(refusal(labelled({1, 2}), spec).find("class weights"), std::string::npos);
}

TEST(Problem, TheFormulaNamesLossPenaltyAndNumbers) {
  ProblemSpec spec;
  EXPECT_EQ(Problem(labelled({1, 2}), spec).formula(),
            "F(w, b) = 1/2 sum_i log(1 + exp(-y_i (w.x_i + b))) + 0.001 ||w||^2");
  spec.intercept = Intercept::none;
  spec.loss.kind = LossKind::squared;
  spec.penalty.kind = PenaltyKind::l1;
  EXPECT_EQ(Problem(labelled({1, 2}), spec).formula(), "F(w) = 1/2 sum_i (w.x_i - y_i)^2 + 0.001 ||w||_1");
}

// F as it is written down, row by row.
double naive_objective(const Problem& problem, const testing::Table& table, const Vector& w) {
  const Loss loss(problem.spec().loss);
  double sum = 0;
  for (Index i = 0; i < table.rows; ++i) {
    double u = problem.has_intercept() ? w.back() : 0.0;
    for (Index j = 0; j < table.cols; ++j) u += table.at(i, j) * w[static_cast<std::size_t>(j)];
    sum += problem.weight(i) * loss.value(u, problem.targets()[static_cast<std::size_t>(i)]);
  }
  return sum + testing::penalty_of(problem).value(std::span<const double>(w));
}

Vector naive_transpose(const Problem& problem, const testing::Table& table, const Vector& c) {
  Vector out(static_cast<std::size_t>(problem.dim()), 0.0);
  for (Index i = 0; i < table.rows; ++i) {
    for (Index j = 0; j < table.cols; ++j)
      out[static_cast<std::size_t>(j)] += c[static_cast<std::size_t>(i)] * table.at(i, j);
    if (problem.has_intercept()) out.back() += c[static_cast<std::size_t>(i)];
  }
  return out;
}

TEST(FullPass, ObjectiveAndGradientAreThoseOfTheFormulaInEveryLayout) {
  const auto sample = random_sample(61, 13, 1);
  for (const auto& loss : testing::all_losses())
    for (const auto intercept : testing::kIntercepts)
      for (const bool weighted : {false, true})
        for (const auto& x : sample.table.layouts()) {
          ProblemSpec spec;
          spec.loss = loss;
          spec.intercept = intercept;
          const Problem problem(sample.data(x, loss, weighted), spec);
          const Vector w = testing::random_vector(problem.dim(), 2, 0.5);
          EXPECT_NEAR(objective(problem, w), naive_objective(problem, sample.table, w), 1e-12);
          Vector gradient(w.size()), u(static_cast<std::size_t>(problem.rows()));
          const double value = loss_and_gradient(problem, w, gradient, u);
          EXPECT_NEAR(value, objective(problem, w) - testing::penalty_of(problem).value(std::span<const double>(w)),
                      1e-12);
          Vector c(u.size());
          const Loss slopes(loss);
          for (std::size_t i = 0; i < c.size(); ++i)
            c[i] = problem.weight(static_cast<Index>(i)) * slopes.slope(u[i], problem.targets()[i]);
          const Vector expected = naive_transpose(problem, sample.table, c);
          for (std::size_t j = 0; j < w.size(); ++j) EXPECT_NEAR(gradient[j], expected[j], 1e-13);
        }
}

TEST(FullPass, GradientEqualsFiniteDifferences) {
  const auto sample = random_sample(40, 5, 3);
  for (const auto& loss : testing::all_losses()) {
    ProblemSpec spec;
    spec.loss = loss;
    spec.penalty.kind = PenaltyKind::none;
    spec.class_weight = !Loss(loss).classifies() ? ClassWeight::none : ClassWeight::paper;
    const Problem problem(sample.data(sample.table.dense<double>(), loss), spec);
    Vector w = testing::random_vector(problem.dim(), 4, 0.3), gradient(w.size());
    smooth_gradient(problem, w, gradient);
    for (std::size_t j = 0; j < w.size(); ++j) {
      const double h = 1e-5, at = w[j];
      w[j] = at + h;
      const double above = objective(problem, w);
      w[j] = at - h;
      const double below = objective(problem, w);
      w[j] = at;
      EXPECT_NEAR(gradient[j], (above - below) / (2 * h), 1e-6);
    }
  }
}

// Sizes that take every branch: one chunk, many chunks, and cut by columns.
TEST(FullPass, TheSameBitsAtOneTwoAndSevenThreads) {
  struct Size {
    Index rows, cols;
    double density;
  };
  for (const Size size : {Size{50, 7, 0.5}, Size{4000, 60, 0.5}, Size{50, 20000, 0.1}}) {
    const auto sample = random_sample(size.rows, size.cols, 5, size.density);
    for (const auto& x : sample.table.layouts()) {
      Vector first_gradient, first_mean;
      double first_value = 0;
      for (const int threads : {1, 2, 7}) {
        ProblemSpec spec;
        spec.threads = threads;
        const Problem problem(sample.data(x, {}, true), spec);
        const Vector w = testing::random_vector(problem.dim(), 6, 0.1);
        Vector gradient(w.size());
        const double value = loss_and_gradient(problem, w, gradient);
        const Vector mean(problem.mean_row().begin(), problem.mean_row().end());
        if (threads == 1) {
          first_gradient = gradient;
          first_mean = mean;
          first_value = value;
        }
        EXPECT_EQ(gradient, first_gradient);
        EXPECT_EQ(mean, first_mean);
        EXPECT_EQ(value, first_value);
      }
      Vector c(static_cast<std::size_t>(size.rows));
      for (auto& v : c) v = 1.0 / static_cast<double>(size.rows);
      const Problem problem(sample.data(x, {}), {});
      const Vector expected = naive_transpose(problem, sample.table, c);
      Vector sum(expected.size());
      transpose_times(problem, c, sum);
      for (std::size_t j = 0; j < sum.size(); ++j) ASSERT_NEAR(sum[j], expected[j], 1e-13);
    }
  }
}

TEST(FullPass, AWeightOfTwoIsARowTwice) {
  const auto sample = random_sample(30, 4, 7);
  Dataset weighted = sample.data(sample.table.dense<double>(), {});
  Vector weights(30, 1.0), labels = sample.classes;
  Vector values = sample.table.values;
  for (const Index twice : {Index{3}, Index{11}}) {
    weights[static_cast<std::size_t>(twice)] = 2;
    for (Index j = 0; j < 4; ++j) values.push_back(sample.table.at(twice, j));
    labels.push_back(sample.classes[static_cast<std::size_t>(twice)]);
  }
  weighted.weights = Array<double>(weights);
  Dataset repeated;
  repeated.x = Matrix::own_dense(values, 32, 4);
  repeated.y = {Array<double>(labels), LabelKind::classes, {}};
  for (const auto class_weight : {ClassWeight::none, ClassWeight::balanced, ClassWeight::paper}) {
    ProblemSpec spec;
    spec.class_weight = class_weight;
    const Problem a(weighted, spec), b(repeated, spec);
    const Vector w = testing::random_vector(5, 8);
    EXPECT_NEAR(objective(a, w), objective(b, w), 1e-14);
    Vector ga(5), gb(5);
    smooth_gradient(a, w, ga);
    smooth_gradient(b, w, gb);
    for (std::size_t j = 0; j < 5; ++j) EXPECT_NEAR(ga[j], gb[j], 1e-14);
  }
}

TEST(Problem, UnderAnotherPenaltyIsTheOneMadeAnew) {
  const auto sample = random_sample(50, 6, 3);
  const Vector w{0.5, -1, 2, 0, 3, -0.25, 0.125};
  for (const auto& loss : testing::all_losses()) {
    ProblemSpec spec;
    spec.loss = loss;
    spec.class_weight = !Loss(loss).classifies() ? ClassWeight::none : ClassWeight::paper;
    const Problem first(sample.data(sample.table.csr<float, std::int32_t>(), loss, true), spec);
    spec.penalty = {PenaltyKind::elastic_net, 0.3, 0.2, {1, 2, 0, 1, 1, 3}, {}};
    const Problem anew(first.data(), spec), changed = first.with_penalty(spec.penalty);
    EXPECT_EQ(objective(changed, w), objective(anew, w));
    EXPECT_EQ(changed.formula(), anew.formula());
    EXPECT_EQ(changed.targets().data(), first.targets().data());  // not made again
    EXPECT_EQ(changed.mean_row().data(), first.mean_row().data());
    spec.penalty.factors = {1, 2};
    EXPECT_THROW(first.with_penalty(spec.penalty), Error);
  }
}

// Many rows for several chunks, few for one; either class the smaller one; columns so many that passes go by them.
TEST(RowSums, OfTheRowsAboveZeroAreThoseOfThatClassAlone) {
  struct Shape {
    Index rows, cols;
  };
  for (const Shape shape : {Shape{60, 5}, Shape{30000, 6}, Shape{700, 3000}}) {
    const auto sample = random_sample(shape.rows, shape.cols, 5, shape.cols > 100 ? 0.3 : 0.6);
    for (const char* positive : {"0", "1"})
      for (const bool dense : {true, false}) {
        ProblemSpec spec;
        spec.positive = positive;
        const Matrix x = dense ? sample.table.dense<float>() : sample.table.csr<float, std::int32_t>();
        const auto sums = [&](int threads, Vector& gradient, Vector& ups) {
          spec.threads = threads;
          const Problem problem(sample.data(x, spec.loss, true), spec);
          const Vector w = testing::random_vector(problem.dim(), 8, 0.1);
          gradient.resize(w.size());
          ups.resize(w.size());
          return sum_rows(problem, {}, w, Arithmetic::exact, gradient, {{}, {}, ups});
        };
        Vector gradient, ups, again(gradient), again_ups;
        const RowSums found = sums(1, gradient, ups);
        EXPECT_EQ(sums(3, again, again_ups).positive_loss, found.positive_loss);
        EXPECT_EQ(again_ups, ups);
        EXPECT_EQ(again, gradient);
        const Problem problem(sample.data(x, spec.loss, true), spec);
        const Vector w = testing::random_vector(problem.dim(), 8, 0.1);
        Vector slow(w.size(), 0.0), one(w.size());
        double loss = 0;
        for (Index i = 0; i < shape.rows; ++i) {
          if (!(problem.targets()[static_cast<std::size_t>(i)] > 0)) continue;
          const Index row[] = {i};
          loss += sum_rows(problem, row, w, Arithmetic::exact, one).loss;
          for (std::size_t j = 0; j < slow.size(); ++j) slow[j] += one[j];
        }
        EXPECT_NEAR(found.positive_loss, loss, 1e-12);
        for (std::size_t j = 0; j < slow.size(); ++j) EXPECT_NEAR(ups[j], slow[j], 1e-12);
      }
  }
}

TEST(FullPass, AVectorOfTheWrongLengthIsRefused) {
  const auto sample = random_sample(10, 4, 9);
  const Problem problem(sample.data(sample.table.dense<double>(), {}), {});
  EXPECT_THROW(objective(problem, Vector(4)), Error);
}

}  // namespace
}  // namespace s3gd
