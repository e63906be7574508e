#include "exact/class_newton.hpp"

#include <gtest/gtest.h>

#include "problem/table_pass.hpp"
#include "support/class_problems.hpp"

namespace s3gd {
namespace {

using testing::Vector;

constexpr double kLambda = 0.02;

struct Classes {
  std::vector<Problem> problems;
  std::vector<Vector> w, curvatures;
  std::vector<ClassCurvature> parts;
};

Classes make_classes(const Dataset& data) {
  ProblemSpec spec;
  spec.penalty.lambda = kLambda;
  spec.intercept = Intercept::regularised;
  spec.threads = 1;
  Classes all{testing::class_problems(data, spec), {}, {}, {}};
  for (std::size_t k = 0; k < all.problems.size(); ++k) {
    const Problem& problem = all.problems[k];
    all.w.push_back(testing::random_vector(problem.dim(), 20 + k, 0.5));
    Vector gradient(all.w[k].size()), curvatures(static_cast<std::size_t>(problem.rows()));
    sum_rows(problem, {}, all.w[k], Arithmetic::exact, gradient, {{}, curvatures});
    all.curvatures.push_back(std::move(curvatures));
  }
  for (const Vector& one : all.curvatures) all.parts.push_back({one, 1.0});
  return all;
}

// Differences of the gradient: the Hessian of F times v.
Vector hessian_times(const Problem& problem, const Vector& w, const Vector& v) {
  const double h = 1e-5;
  Vector above = w, below = w, up(w.size()), down(w.size()), result(w.size());
  for (std::size_t j = 0; j < w.size(); ++j) {
    above[j] += h * v[j];
    below[j] -= h * v[j];
  }
  smooth_gradient(problem, above, up);
  smooth_gradient(problem, below, down);
  for (std::size_t j = 0; j < w.size(); ++j) result[j] = (up[j] - down[j]) / (2 * h) + 2 * kLambda * v[j];
  return result;
}

double length(const Vector& v) {
  double sum = 0;
  for (const double value : v) sum += value * value;
  return std::sqrt(sum);
}

TEST(ClassHessians, FromAllRowsEachSystemIsSolvedToItsAccuracy) {
  const auto sample = testing::softmax_sample(300, 8, 5, 31);
  for (const Matrix& x : sample.table.layouts()) {
    const Classes all = make_classes(sample.data(x, true));
    const Index rows = all.problems[0].rows();
    Rng rng(3);
    ClassHessians hessians(all.problems[0], Vector(all.w[0].size(), 2 * kLambda));
    hessians.precondition(all.parts, {}, rows, rng);
    hessians.build(all.parts, {}, rows, rng);
    std::vector<Vector> v;
    for (std::size_t k = 0; k < all.w.size(); ++k) v.push_back(testing::random_vector(all.problems[0].dim(), 40 + k));
    const std::vector<Vector> asked = v;
    const std::vector<Index> products = hessians.solve(v);
    for (std::size_t k = 0; k < v.size(); ++k) {
      Vector residual = hessian_times(all.problems[k], all.w[k], v[k]);
      for (std::size_t j = 0; j < residual.size(); ++j) residual[j] -= asked[k][j];
      EXPECT_LT(length(residual), 0.3 * length(asked[k]));  // one tenth in the norm of the preconditioner
      EXPECT_GT(products[k], 0);
    }
  }
}

// The preconditioner of a single class is its Hessian: one product solves the system.
TEST(ClassHessians, OfOneClassTheFactorIsTheHessian) {
  const auto sample = testing::softmax_sample(300, 8, 3, 32);
  const Classes all = make_classes(sample.data(sample.table.layouts()[0]));
  Rng rng(3);
  for (std::size_t k = 0; k < all.w.size(); ++k) {
    const std::span<const ClassCurvature> alone(&all.parts[k], 1);
    ClassHessians hessians(all.problems[0], Vector(all.w[0].size(), 2 * kLambda));
    hessians.precondition(alone, {}, all.problems[0].rows(), rng);
    hessians.build(alone, {}, all.problems[0].rows(), rng);
    std::vector<Vector> v{testing::random_vector(all.problems[0].dim(), 7)};
    const Vector asked = v[0];
    EXPECT_EQ(hessians.solve(v), std::vector<Index>{1});
    const Vector image = hessian_times(all.problems[k], all.w[k], v[0]);
    for (std::size_t j = 0; j < image.size(); ++j) EXPECT_NEAR(image[j], asked[j], 1e-4 * length(asked));
  }
}

// Rows that stand for others, and the scale of a part of the rows: right on average.
TEST(ClassHessians, ASampleIsRightOnAverage) {
  const auto sample = testing::softmax_sample(600, 3, 3, 33);
  const Classes all = make_classes(sample.data(sample.table.layouts()[0]));
  std::vector<Index> half;
  for (Index i = 0; i < 600; i += 2) half.push_back(i);
  std::vector<Vector> parts(all.w.size());
  std::vector<ClassCurvature> scaled;
  for (std::size_t k = 0; k < all.w.size(); ++k) {
    for (const Index i : half) parts[k].push_back(all.curvatures[k][static_cast<std::size_t>(i)]);
    scaled.push_back({parts[k], 2.0});
  }
  const Vector v = testing::random_vector(all.problems[0].dim(), 9);
  std::vector<Vector> exact(all.w.size(), v), mean(all.w.size(), Vector(v.size(), 0.0));
  Rng rng(5);
  ClassHessians whole(all.problems[0], Vector(v.size(), 2 * kLambda));
  whole.precondition(scaled, half, 300, rng);
  whole.build(scaled, half, 300, rng);
  EXPECT_EQ(whole.sample(), 300);
  whole.solve(exact);
  constexpr int kDraws = 60;
  for (int draw = 0; draw < kDraws; ++draw) {
    whole.build(scaled, half, 150, rng);
    EXPECT_LT(whole.sample(), 200);
    std::vector<Vector> solved(all.w.size(), v);
    whole.solve(solved);
    for (std::size_t k = 0; k < solved.size(); ++k)
      for (std::size_t j = 0; j < v.size(); ++j) mean[k][j] += solved[k][j] / kDraws;
  }
  for (std::size_t k = 0; k < mean.size(); ++k)
    for (std::size_t j = 0; j < v.size(); ++j) EXPECT_NEAR(mean[k][j], exact[k][j], 0.12 * length(exact[k]));
}

}  // namespace
}  // namespace s3gd
