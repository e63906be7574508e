#include <gtest/gtest.h>

#include <numeric>

#include "exact/softmax_hessian.hpp"
#include "exact/softmax_quadratic.hpp"
#include "support/softmax_sample.hpp"

namespace s3gd {
namespace {

using testing::Vector;

SoftmaxProblem make_problem(const testing::SoftmaxSample& sample, const Matrix& x, bool weighted = true) {
  SoftmaxSpec spec;
  spec.penalty = {MatrixPenaltyKind::l2, 0.02, 0.5, {}};
  spec.threads = 1;
  return SoftmaxProblem(sample.data(x, weighted), spec);
}

Vector sizes_at(const SoftmaxProblem& problem, const Vector& w, std::span<const Index> rows = {}) {
  Curvatures curvatures(problem);
  SoftmaxPass pass;
  pass.rows = rows;
  pass.arithmetic = Arithmetic::exact;
  curvatures.watch(pass);
  run_pass(problem, w, pass);
  return {curvatures.of_rows().begin(), curvatures.of_rows().end()};
}

// Differences of the gradient: the Hessian of F times v.
Vector hessian_times(const SoftmaxProblem& problem, const Vector& w, const Vector& v) {
  const double h = 1e-5;
  Vector above = w, below = w, up(w.size()), down(w.size()), result(w.size());
  for (std::size_t j = 0; j < w.size(); ++j) {
    above[j] += h * v[j];
    below[j] -= h * v[j];
  }
  smooth_gradient(problem, above, up);
  smooth_gradient(problem, below, down);
  const MatrixPenalty penalty(problem);
  for (std::size_t j = 0; j < w.size(); ++j)
    result[j] = (up[j] - down[j]) / (2 * h) + 2 * penalty.ridge(static_cast<Index>(j) / problem.classes()) * v[j];
  return result;
}

TEST(SampledCurvature, FromAllRowsItIsTheHessianAndItsInverse) {
  const auto sample = testing::softmax_sample(150, 6, 4, 61);
  for (const Matrix& x : sample.table.layouts()) {
    const SoftmaxProblem problem = make_problem(sample, x);
    const MatrixPenalty penalty(problem);
    const Vector w = testing::random_vector(problem.dim(), 1, 0.5), v = testing::random_vector(problem.dim(), 2);
    Rng rng(3);
    ClassMetric preconditioner(problem, penalty);
    const Vector sizes = sizes_at(problem, w);
    preconditioner.build({}, sizes, problem.rows(), rng);
    SampledCurvature hessian(problem, penalty, preconditioner);
    hessian.build(w, {}, sizes, 1.0, problem.rows(), rng);
    const Vector expected = hessian_times(problem, w, v);
    Vector image(v.size());
    hessian.times(v, image);
    for (std::size_t j = 0; j < v.size(); ++j) EXPECT_NEAR(image[j], expected[j], 1e-6);
    Vector solved = expected;
    hessian.solve(solved);
    double error = 0, size = 0;  // in the norm of H, as far as the residual was asked for
    Vector difference = v, bent(v.size());
    for (std::size_t j = 0; j < v.size(); ++j) difference[j] -= solved[j];
    hessian.times(difference, bent);
    for (std::size_t j = 0; j < v.size(); ++j) {
      error += difference[j] * bent[j];
      size += v[j] * image[j];
    }
    EXPECT_LT(error, 0.1 * size);
  }
}

TEST(SampledCurvature, ASampleHasTheHessianAsItsMean) {
  const auto sample = testing::softmax_sample(200, 4, 3, 62);
  const SoftmaxProblem problem = make_problem(sample, sample.table.dense<double>());
  const MatrixPenalty penalty(problem);
  const Vector w = testing::random_vector(problem.dim(), 1, 0.5), v = testing::random_vector(problem.dim(), 2);
  const Vector expected = hessian_times(problem, w, v), sizes = sizes_at(problem, w);
  ClassMetric preconditioner(problem, penalty);
  Rng rng(4);
  Vector mean(v.size(), 0.0), image(v.size());
  const int draws = 4000;
  for (int draw = 0; draw < draws; ++draw) {
    SampledCurvature hessian(problem, penalty, preconditioner);
    hessian.build(w, {}, sizes, 1.0, 40, rng);
    hessian.times(v, image);
    for (std::size_t j = 0; j < v.size(); ++j) mean[j] += image[j] / draws;
  }
  for (std::size_t j = 0; j < v.size(); ++j) EXPECT_NEAR(mean[j], expected[j], 0.01);
}

TEST(SampledCurvature, RowsThatAreHalfOfAllCountTwice) {
  const auto sample = testing::softmax_sample(100, 4, 3, 63);
  testing::SoftmaxSample twice = sample;
  twice.table.rows = 200;
  twice.table.values.insert(twice.table.values.end(), sample.table.values.begin(), sample.table.values.end());
  twice.labels.insert(twice.labels.end(), sample.labels.begin(), sample.labels.end());
  const SoftmaxProblem one = make_problem(sample, sample.table.dense<double>(), false);
  const SoftmaxProblem two = make_problem(twice, twice.table.dense<double>(), false);
  const MatrixPenalty penalty(one);
  std::vector<Index> half(100);
  std::iota(half.begin(), half.end(), Index{100});
  const Vector w = testing::random_vector(one.dim(), 1, 0.5), v = testing::random_vector(one.dim(), 2);
  ClassMetric preconditioner(two, penalty);
  SampledCurvature hessian(two, penalty, preconditioner);
  Rng rng(5);
  hessian.build(w, half, sizes_at(two, w, half), 2.0, 100, rng);
  Vector image(v.size());
  hessian.times(v, image);
  const Vector expected = hessian_times(one, w, v);
  for (std::size_t j = 0; j < v.size(); ++j) EXPECT_NEAR(image[j], expected[j], 1e-6);
}

TEST(ClassMetric, AtZeroItIsTheHessianOnDirectionsThatSumToNothing) {
  const auto sample = testing::softmax_sample(300, 5, 4, 64);
  const SoftmaxProblem problem = make_problem(sample, sample.table.csr<double, std::int32_t>());
  const MatrixPenalty penalty(problem);
  const Vector w(static_cast<std::size_t>(problem.dim()), 0.0);
  Vector v = testing::random_vector(problem.dim(), 2);
  for (std::size_t j = 0; j < v.size(); j += 4) {
    const double mean = (v[j] + v[j + 1] + v[j + 2] + v[j + 3]) / 4;
    for (std::size_t k = 0; k < 4; ++k) v[j + k] -= mean;
  }
  Vector image = hessian_times(problem, w, v);
  ClassMetric metric(problem, penalty);
  Rng rng(6);
  metric.build({}, sizes_at(problem, w), problem.rows(), rng);
  metric.solve(image);
  for (std::size_t j = 0; j < v.size(); ++j) EXPECT_NEAR(image[j], v[j], 2e-4 * (1 + std::abs(v[j])));
}

// The factor of H over all its rows is its inverse.
TEST(CoupledHessian, AsAFactorIsInvertedWithTheCouplingOfTheClasses) {
  const auto sample = testing::softmax_sample(150, 6, 4, 65);
  for (const Matrix& x : sample.table.layouts()) {
    const SoftmaxProblem problem = make_problem(sample, x, false);
    const MatrixPenalty penalty(problem);
    const Vector w = testing::random_vector(problem.dim(), 1, 0.5);
    std::vector<float> probabilities;
    SoftmaxPass pass;
    pass.arithmetic = Arithmetic::exact;
    keep_probabilities(problem, pass, probabilities);
    run_pass(problem, w, pass);
    Vector weights(static_cast<std::size_t>(problem.rows()), problem.weight(0)), ridge;
    for (Index c = 0; c < problem.dim(); ++c) ridge.push_back(2 * penalty.ridge(c / problem.classes()));
    const CoupledSample all{problem.x(), problem.has_intercept(), problem.classes(), weights, probabilities, 1};
    const ScaledFactor factor(coupled_hessian(all, problem.rows()), ridge, 1e-7);
    Vector v = testing::random_vector(problem.dim(), 2);  // without what all classes share, which nothing bends
    for (Index j = 0; j < problem.features(); ++j) {
      double mean = 0;
      for (Index k = 0; k < problem.classes(); ++k)
        mean += v[static_cast<std::size_t>(j * problem.classes() + k)] / static_cast<double>(problem.classes());
      for (Index k = 0; k < problem.classes(); ++k) v[static_cast<std::size_t>(j * problem.classes() + k)] -= mean;
    }
    Vector solved = v;
    factor.solve(solved);
    const Vector image = hessian_times(problem, w, solved);
    for (std::size_t c = 0; c < v.size(); ++c) EXPECT_NEAR(image[c], v[c], 1e-3);
  }
}

// Over chosen features: rows and columns of the whole Hessian, which is found by differences.
TEST(HessianPart, IsThePartOfTheHessianThatWasChosen) {
  const auto sample = testing::softmax_sample(150, 6, 4, 64);
  const std::vector<Index> chosen{1, 2, 5, 6};  // the last is the constant one
  for (const Matrix& x : sample.table.layouts()) {
    const SoftmaxProblem problem = make_problem(sample, x);
    const Vector w = testing::random_vector(problem.dim(), 1, 0.5);
    std::vector<float> probabilities;
    SoftmaxPass pass;
    pass.arithmetic = Arithmetic::exact;
    keep_probabilities(problem, pass, probabilities);
    run_pass(problem, w, pass);
    const HessianPart part(problem, probabilities, chosen);
    const auto classes = static_cast<std::size_t>(problem.classes());
    const Vector v = testing::random_vector(static_cast<Index>(chosen.size() * classes), 2);
    Vector whole(w.size(), 0.0), image(v.size());
    for (std::size_t c = 0; c < v.size(); ++c)
      whole[static_cast<std::size_t>(chosen[c / classes]) * classes + c % classes] = v[c];
    const Vector expected = hessian_times(problem, w, whole);
    part.times(v, image);
    const MatrixPenalty penalty(problem);
    for (std::size_t c = 0; c < v.size(); ++c) {
      const Index j = chosen[c / classes];
      EXPECT_NEAR(image[c] + 2 * penalty.ridge(j) * v[c], expected[static_cast<std::size_t>(j) * classes + c % classes],
                  1e-5);
    }
    const Vector diagonal = part.diagonal();
    for (std::size_t c = 0; c < v.size(); ++c) {
      Vector unit(v.size(), 0.0);
      unit[c] = 1;
      part.times(unit, image);
      EXPECT_NEAR(diagonal[c], image[c], 1e-6);
    }
  }
}

// B must map the last step that is remembered to the change of the gradient along it, and be symmetric and positive.
TEST(LossQuadratic, FollowsTheLastSecantAndIsSymmetric) {
  const auto sample = testing::softmax_sample(200, 5, 3, 65);
  const SoftmaxProblem problem = make_problem(sample, sample.table.dense<double>());
  Curvatures curvatures(problem);
  SoftmaxPass pass;
  curvatures.watch(pass);
  Vector w = testing::random_vector(problem.dim(), 1, 0.3);
  run_pass(problem, w, pass);
  LossQuadratic quadratic(problem);
  Rng rng(7);
  quadratic.build(w, curvatures, problem.rows(), rng);
  Vector moved, change;
  for (std::uint64_t round = 0; round < 4; ++round) {
    Vector next = w, before(w.size()), after(w.size());
    const Vector away = testing::random_vector(problem.dim(), 10 + round, 0.1);
    for (std::size_t j = 0; j < w.size(); ++j) next[j] += away[j];
    smooth_gradient(problem, w, before);
    smooth_gradient(problem, next, after);
    for (std::size_t j = 0; j < w.size(); ++j) after[j] -= before[j];
    moved = away;
    change = after;
    quadratic.remember(moved, change);
    w = next;
  }
  std::vector<Index> all(static_cast<std::size_t>(problem.features()));
  std::iota(all.begin(), all.end(), Index{0});
  const auto whole = quadratic.part(all);
  Vector image(w.size()), other(w.size());
  whole.times(moved, image);
  for (std::size_t j = 0; j < w.size(); ++j) EXPECT_NEAR(image[j], change[j], 1e-10);
  const Vector a = testing::random_vector(problem.dim(), 20), b = testing::random_vector(problem.dim(), 21);
  whole.times(a, image);
  whole.times(b, other);
  double ab = 0, ba = 0, aa = 0;
  for (std::size_t j = 0; j < w.size(); ++j) {
    ab += b[j] * image[j];
    ba += a[j] * other[j];
    aa += a[j] * image[j];
  }
  EXPECT_NEAR(ab, ba, 1e-10);
  EXPECT_GT(aa, 0);
  // Over some features it is the same matrix without the others' rows and columns.
  const std::vector<Index> some{1, 3, 5};
  const auto part = quadratic.part(some);
  Vector small(9), out(9), spread(w.size(), 0.0);
  for (std::size_t c = 0; c < 3; ++c)
    for (std::size_t k = 0; k < 3; ++k)
      spread[static_cast<std::size_t>(some[c]) * 3 + k] = small[c * 3 + k] = a[c * 3 + k];
  part.times(small, out);
  whole.times(spread, image);
  for (std::size_t c = 0; c < 3; ++c)
    for (std::size_t k = 0; k < 3; ++k)
      EXPECT_NEAR(out[c * 3 + k], image[static_cast<std::size_t>(some[c]) * 3 + k], 1e-12);
}

}  // namespace
}  // namespace s3gd
