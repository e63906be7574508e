// Every piece of advice on many classes: a problem that calls for it, and a healthy one that does not.
#include "solve/advice.hpp"

#include <gtest/gtest.h>

#include "base/random.hpp"
#include "solve/inputs.hpp"

namespace s3gd {
namespace {

constexpr std::size_t kRows = 900, kCols = 4, kClasses = 3;

struct Rows {
  std::vector<double> values, labels;

  SoftmaxProblem problem(MatrixPenaltyKind kind = MatrixPenaltyKind::l2, double lambda = 1e-3) const {
    Dataset data;
    data.x = Matrix::own_dense(values, static_cast<Index>(kRows), static_cast<Index>(kCols));
    data.y = {Array<double>(labels), LabelKind::classes, {"red", "green", "blue"}};
    SoftmaxSpec spec;
    spec.penalty = {kind, lambda, 0.5, {}};
    spec.threads = 1;
    return SoftmaxProblem(data, spec);
  }
  double& at(std::size_t i, std::size_t j) { return values[i * kCols + j]; }
};

// A feature for each class, with a good deal of noise, and one that says nothing.
Rows healthy(double noise = 1) {
  Rng rng(5);
  Rows rows;
  for (std::size_t i = 0; i < kRows; ++i) {
    rows.labels.push_back(static_cast<double>(i % kClasses));
    for (std::size_t j = 0; j < kCols; ++j) rows.values.push_back(noise * rng.normal() + (j == i % kClasses ? 1.5 : 0));
  }
  return rows;
}

std::string advice(const SoftmaxProblem& problem, const SolveOptions& options = {}) {
  std::string all;
  for (const Advice& one : solve_softmax(problem, options).summary.advice) all += one.sentence() + "\n";
  return all;
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(SoftmaxAdvice, AHealthyProblemNeedsNone) {
  using enum MatrixPenaltyKind;
  for (const auto kind : {l2, l1, elastic_net, group_lasso, nuclear, none})
    EXPECT_EQ(advice(healthy().problem(kind)), "") << name_of(kind);
}

TEST(SoftmaxAdvice, SeparableClassesNeedAPenalty) {
  const Rows rows = healthy(0.1);
  EXPECT_TRUE(has(advice(rows.problem(MatrixPenaltyKind::none, 0)), "told apart without a mistake, and there is no"));
  EXPECT_TRUE(has(advice(rows.problem(MatrixPenaltyKind::l2, 1e-9)), "the penalty is next to nothing"));
  EXPECT_FALSE(has(advice(rows.problem(MatrixPenaltyKind::l2, 1e-2)), "told apart"));
}

TEST(SoftmaxAdvice, ScalesAndRowsWithoutEntriesAreNoticed) {
  Rows wild = healthy();
  for (std::size_t i = 0; i < kRows; ++i) wild.at(i, 3) *= 1e6;
  EXPECT_TRUE(has(advice(wild.problem()), "features differ in scale"));
  Rows bare = healthy();
  for (std::size_t i = 0; i < kRows; i += 4)
    for (std::size_t j = 0; j < kCols; ++j) bare.at(i, j) = 0;
  EXPECT_TRUE(has(advice(bare.problem()), "25 % of the rows are all zero"));
}

TEST(SoftmaxAdvice, LabelsOfOneClassThatLookLikeAnother) {
  Rows noisy = healthy(0.3);
  for (std::size_t i = 1; i < kRows; i += 12) noisy.labels[i] = 2;  // green ones called blue
  const std::string text = advice(noisy.problem());
  EXPECT_TRUE(has(text, "rows labelled blue look like a typical green")) << text;
  EXPECT_FALSE(has(text, "red")) << text;
}

TEST(SoftmaxAdvice, PenaltiesThatLeaveNothing) {
  using enum MatrixPenaltyKind;
  for (const auto kind : {l1, elastic_net, group_lasso, nuclear}) {
    const std::string text = advice(healthy().problem(kind, 10));
    EXPECT_TRUE(has(text, "all weights are zero (lambda 10, they are from ")) << name_of(kind) << text;
  }
  // From the lambda it names on, and not before.
  const std::string text = advice(healthy().problem(group_lasso, 10));
  const double largest = std::stod(text.substr(text.find("from ") + 5));
  EXPECT_TRUE(has(advice(healthy().problem(group_lasso, 1.02 * largest)), "all weights are zero"));
  EXPECT_FALSE(has(advice(healthy().problem(group_lasso, 0.9 * largest)), "all weights are zero"));
  EXPECT_TRUE(has(advice(healthy().problem(l2, 1e30)), "the weights vanish"));
}

TEST(SoftmaxAdvice, ARunThatStoppedShortIsToldByWhatLimit) {
  SolveOptions options;
  options.tol = 1e-14;
  options.iterations = 2;
  EXPECT_TRUE(has(advice(healthy().problem(), options), "allow more iterations"));
  options = {};
  options.solver = "s3gd";
  options.tol = 1e-12;
  options.passes = 2;
  EXPECT_TRUE(has(advice(healthy().problem(), options), "solver auto finishes exactly"));
}

}  // namespace
}  // namespace s3gd
