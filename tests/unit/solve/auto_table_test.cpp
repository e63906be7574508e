// The solver `auto` keeps its promise on a table of problems, awkward ones above all: it says converged, and F at its
// parameters is no further from the least F known than the gap it states.
#include <gtest/gtest.h>

#include <algorithm>

#include "s3gd/solve.hpp"
#include "unit/solve/auto_cases.hpp"

namespace s3gd {
namespace {

using namespace s3gd::testing;

Problem make(const Case& one, const Matrix& x, const Sample& sample) {
  return Problem(sample.data(x, one.loss, one.weighted),
                 {one.loss, one.penalty, one.intercept, one.class_weight, "", one.threads});
}

// F by the definition, a row at a time.
double slow_objective(const Problem& problem, const Table& table, const Vector& w) {
  const Loss loss(problem.spec().loss);
  double sum = penalty_of(problem).value(std::span<const double>(w));
  for (Index i = 0; i < table.rows; ++i) {
    double u = problem.has_intercept() ? w.back() : 0.0;
    for (Index j = 0; j < table.cols; ++j) u += table.at(i, j) * w[static_cast<std::size_t>(j)];
    sum += problem.weight(i) * loss.value(u, problem.targets()[static_cast<std::size_t>(i)]);
  }
  return sum;
}

void expect_kept_promise(const Problem& problem, const Table& table, double tol) {
  SolveOptions options;
  options.tol = tol;
  const Solution found = solve(problem, options);
  std::string stages;
  for (const Stage& stage : found.summary.stages)
    stages += stage.name + " (" + std::to_string(stage.iterations) + ", " + stage.ended + ") ";
  SCOPED_TRACE(stages);
  const Certificate& certificate = found.summary.certificate;
  EXPECT_EQ(found.summary.status, Status::converged) << name_of(found.summary.status);
  EXPECT_LE(certificate.relative_gap, tol);
  const double value = slow_objective(problem, table, found.w);
  EXPECT_NEAR(certificate.primal, value, 1e-11 * value);
  OptimumOptions to_the_end;
  to_the_end.tol = 1e-13;
  to_the_end.max_iterations = 300;
  Optimum reference = solve_reference(problem, to_the_end);
  if (reference.certificate.relative_gap > tol) {  // lost its way from zero: whether it gets any lower from here
    to_the_end.start = found.w;
    to_the_end.max_iterations = 50;
    reference = solve_reference(problem, to_the_end);
  }
  const double best = std::min(value, slow_objective(problem, table, reference.w));
  const double promised = certificate.kind == Certificate::Kind::duality_gap ? certificate.relative_gap : 1e-5;
  EXPECT_LE(value - best, promised * value + 1e-11 * value) << "reference gap " << reference.certificate.relative_gap;
}

class AutoTable : public ::testing::TestWithParam<Case> {};

TEST_P(AutoTable, InFloat) {
  const Case& one = GetParam();
  const Sample sample = one.sample();
  const Matrix x = one.sparse ? sample.table.csr<float, std::int32_t>() : sample.table.dense<float>();
  expect_kept_promise(make(one, x, sample), sample.table, one.tol);
}

TEST_P(AutoTable, InDouble) {
  const Case& one = GetParam();
  const Sample sample = one.sample();
  const Matrix x = one.sparse ? sample.table.csr<double, std::int64_t>() : sample.table.dense<double>();
  expect_kept_promise(make(one, x, sample), sample.table, one.tol_double);
}

std::string name(const ::testing::TestParamInfo<Case>& info) { return info.param.name; }

INSTANTIATE_TEST_SUITE_P(EveryKind, AutoTable, ::testing::ValuesIn(every_loss_and_penalty()), name);
INSTANTIATE_TEST_SUITE_P(Shapes, AutoTable, ::testing::ValuesIn(shapes()), name);
INSTANTIATE_TEST_SUITE_P(Degenerate, AutoTable, ::testing::ValuesIn(degenerate_rows_and_columns()), name);
INSTANTIATE_TEST_SUITE_P(Scales, AutoTable, ::testing::ValuesIn(scales()), name);
INSTANTIATE_TEST_SUITE_P(Separable, AutoTable, ::testing::ValuesIn(separable_classes()), name);
INSTANTIATE_TEST_SUITE_P(Weights, AutoTable, ::testing::ValuesIn(imbalance_and_weights()), name);

}  // namespace
}  // namespace s3gd
