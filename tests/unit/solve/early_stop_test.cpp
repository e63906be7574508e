#include "solve/early_stop.hpp"

#include <gtest/gtest.h>

#include "exact/finisher.hpp"
#include "s3gd/error.hpp"
#include "support/problems.hpp"

namespace s3gd {
namespace {

using testing::small_data;
using testing::SmallData;

// More features than the labels can bear, and next to no penalty: what fits the rows best does not fit others best.
SmallData overfitting(Index rows) {
  SmallData shape;
  shape.rows = rows;
  shape.cols = 40;
  shape.seed = 8;
  return shape;
}

ProblemSpec weak_penalty(PenaltyKind kind) {
  ProblemSpec spec;
  spec.penalty.kind = kind;
  spec.penalty.lambda = 1e-5;
  return spec;
}

struct Rows {
  Problem train, test;
};

// Both from one draw, so that they follow the same truth.
Rows rows_for(PenaltyKind kind, bool sparse) {
  const Dataset all = small_data<double>(overfitting(600), sparse);
  std::vector<Index> first, rest;
  for (Index i = 0; i < 600; ++i) (i < 90 ? first : rest).push_back(i);
  const ProblemSpec spec = weak_penalty(kind);
  return {Problem(take_rows(all, first), spec), Problem(take_rows(all, rest), spec)};
}

double test_loss(const Rows& rows, const std::vector<double>& w) {
  std::vector<double> ignored(w.size());
  return smooth_gradient(rows.test, w, ignored);
}

TEST(EarlyStop, EverySolverStopsAndKeepsTheBestOfWhatItSaw) {
  for (const SolverInfo& info : solvers()) {
    const bool smooth = info.name != "active-set";
    const Rows rows = rows_for(smooth ? PenaltyKind::l2 : PenaltyKind::l1, info.name == "dual");
    const Finisher* finisher = find_finisher(info.name);
    if (finisher != nullptr && !finisher->suits(rows.train)) continue;
    SolveOptions options;
    options.solver = info.name;
    if (info.name == "s3gd") options.graph.anchors = 6;
    options.passes = 3000;
    options.tol = 1e-9;
    options.patience = 4;
    options.trace_every = -1;
    SolveInput input;
    input.test = &rows.test.data();
    const Solution stopped = solve(rows.train, options, input);
    EXPECT_EQ(stopped.summary.status, Status::early_stopped) << info.name;
    options.patience = 0;
    const double optimum = test_loss(rows, solve_reference(rows.train).w);
    EXPECT_LT(test_loss(rows, stopped.w), optimum) << info.name;
    EXPECT_DOUBLE_EQ(stopped.summary.objective, objective(rows.train, stopped.w)) << info.name;
  }
}

TEST(EarlyStop, ARunThatConvergesFirstKeepsItsOptimum) {
  const Rows rows = rows_for(PenaltyKind::l2, false);
  ProblemSpec spec = weak_penalty(PenaltyKind::l2);
  spec.penalty.lambda = 1;
  const Problem easy(rows.train.data(), spec), test(rows.test.data(), spec);
  SolveOptions options;
  options.patience = 50;
  SolveInput input;
  input.test = &test.data();
  const Solution solution = solve(easy, options, input);
  EXPECT_EQ(solution.summary.status, Status::converged);
  EXPECT_LE(solution.summary.certificate.relative_gap, options.tol);
}

TEST(EarlyStop, CountsLooksSinceTheLastProgressAndKeepsTheStrictlyBest) {
  EarlyStop watch(3, [](std::span<const double>) { return 0.0; });
  const auto at = [](double value) { return std::vector<double>{0, value}; };
  EXPECT_FALSE(watch.look(at(1), 1.0));
  EXPECT_FALSE(watch.look(at(2), 0.5));
  EXPECT_FALSE(watch.look(at(3), 0.49999));  // better, but not by enough to count as progress
  EXPECT_FALSE(watch.look(at(4), 0.6));
  EXPECT_TRUE(watch.look(at(5), 0.7));
  EXPECT_EQ(watch.best().back(), 3);
}

TEST(EarlyStop, NeedsRowsToLookAt) {
  const Rows rows = rows_for(PenaltyKind::l2, false);
  SolveOptions options;
  options.patience = 1;
  EXPECT_THROW(solve(rows.train, options), Error);
}

}  // namespace
}  // namespace s3gd
