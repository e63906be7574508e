#include "problem/table_pass.hpp"

#include <gtest/gtest.h>

#include "kernel/kernel.hpp"
#include "support/softmax_sample.hpp"

namespace s3gd {
namespace {

using testing::Vector;

SoftmaxSpec spec_with(Intercept intercept, int threads = 1) {
  SoftmaxSpec spec;
  spec.intercept = intercept;
  spec.threads = threads;
  return spec;
}

Vector gradient_of(const SoftmaxProblem& problem, const Vector& w, Arithmetic arithmetic) {
  Vector gradient(w.size());
  SoftmaxPass pass;
  pass.arithmetic = arithmetic;
  pass.gradient = gradient;
  run_pass(problem, w, pass);
  return gradient;
}

TEST(SoftmaxPass, LossAndGradientAreThoseOfThreePlainLoops) {
  for (const Index classes : {2, 3, 8, 9, 17, 40}) {
    const auto sample = testing::softmax_sample(150, 11, classes, 3);
    for (const Matrix& x : sample.table.layouts())
      for (const Intercept intercept : testing::kIntercepts)
        for (const bool weighted : {false, true}) {
          const SoftmaxProblem problem(sample.data(x, weighted), spec_with(intercept));
          ASSERT_EQ(problem.classes(), classes);
          const Vector w = testing::random_vector(problem.dim(), 5);
          Vector expected, gradient(w.size());
          const double loss = testing::naive_loss(problem, sample.table, w, expected);
          EXPECT_NEAR(smooth_gradient(problem, w, gradient), loss, 1e-13 * loss);
          for (std::size_t j = 0; j < w.size(); ++j) EXPECT_NEAR(gradient[j], expected[j], 1e-14);
          const Vector quick = gradient_of(problem, w, Arithmetic::data);
          for (std::size_t j = 0; j < w.size(); ++j) EXPECT_NEAR(quick[j], expected[j], 3e-6);
        }
  }
}

TEST(SoftmaxPass, TheGradientIsTheDerivativeOfTheObjective) {
  const auto sample = testing::softmax_sample(60, 4, 3, 8);
  SoftmaxSpec spec = spec_with(Intercept::free);
  spec.penalty.kind = MatrixPenaltyKind::none;
  const SoftmaxProblem problem(sample.data(sample.table.dense<double>()), spec);
  Vector w = testing::random_vector(problem.dim(), 6), gradient(w.size());
  smooth_gradient(problem, w, gradient);
  for (std::size_t j = 0; j < w.size(); ++j) {
    const double h = 1e-5, kept = w[j];
    w[j] = kept + h;
    const double above = objective(problem, w);
    w[j] = kept - h;
    const double below = objective(problem, w);
    w[j] = kept;
    EXPECT_NEAR(gradient[j], (above - below) / (2 * h), 1e-9);
  }
}

TEST(SoftmaxPass, SameBitsAtAnyNumberOfThreads) {
  const auto sample = testing::softmax_sample(12000, 30, 5, 4);
  for (const Matrix& x : sample.table.layouts()) {
    const SoftmaxProblem one(sample.data(x), spec_with(Intercept::free, 1));
    ASSERT_GT(pass_chunks(one), 1);
    const Vector w = testing::random_vector(one.dim(), 9);
    for (const int threads : {2, 3, 7}) {
      const SoftmaxProblem many(sample.data(x), spec_with(Intercept::free, threads));
      for (const Arithmetic arithmetic : {Arithmetic::data, Arithmetic::exact})
        EXPECT_EQ(gradient_of(one, w, arithmetic), gradient_of(many, w, arithmetic));
      EXPECT_EQ(objective(one, w), objective(many, w));
      EXPECT_EQ(certify(one, w).dual, certify(many, w).dual);
    }
  }
}

// Sums so large that only as many wait to be added as there are threads.
TEST(SoftmaxPass, SameBitsAtAnyNumberOfThreadsWhereTheTableIsWide) {
  const Index rows = 9000, cols = 150'000, classes = 5;
  std::vector<float> values;
  std::vector<std::int32_t> columns;
  std::vector<std::int64_t> starts{0};
  Vector labels;
  for (Index i = 0; i < rows; ++i) {
    for (const Index j : {i % 7, 1000 + 13 * i}) {
      columns.push_back(static_cast<std::int32_t>(j));
      values.push_back(1.0F / static_cast<float>(1 + (i + j) % 5));
    }
    starts.push_back(std::ssize(columns));
    labels.push_back(static_cast<double>(i * i % classes));
  }
  Dataset data;
  data.x = Matrix::own_csr(values, columns, starts, cols);
  data.y = {Array<double>(labels), LabelKind::classes, {}};
  const SoftmaxProblem one(data, spec_with(Intercept::free, 1));
  ASSERT_GT(pass_chunks(one), 2);
  const Vector w = testing::random_vector(one.dim(), 9);
  for (const int threads : {2, 3}) {
    const SoftmaxProblem many(data, spec_with(Intercept::free, threads));
    for (const Arithmetic arithmetic : {Arithmetic::data, Arithmetic::exact})
      EXPECT_EQ(gradient_of(one, w, arithmetic), gradient_of(many, w, arithmetic));
  }
}

TEST(SoftmaxPass, SomeRowsGiveTheirSumAndClassScalesMultiplyTheirSlopes) {
  const auto sample = testing::softmax_sample(90, 6, 3, 2);
  for (const Matrix& x : sample.table.layouts()) {
    const SoftmaxProblem problem(sample.data(x, true), spec_with(Intercept::free));
    const Vector w = testing::random_vector(problem.dim(), 7);
    Vector whole(w.size()), sum(w.size(), 0.0), part(w.size());
    const Vector scales{0.5, 1.0, 0.25};
    SoftmaxPass pass;
    pass.arithmetic = Arithmetic::exact;
    pass.gradient = whole;
    pass.class_scale = scales;
    const RowSums all = run_pass(problem, w, pass);
    std::vector<Index> of_class[3];
    for (Index i = 0; i < problem.rows(); ++i) of_class[problem.targets()[static_cast<std::size_t>(i)]].push_back(i);
    double loss = 0, weight = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      SoftmaxPass some;
      some.arithmetic = Arithmetic::exact;
      some.gradient = part;
      some.rows = of_class[k];
      const RowSums sums = run_pass(problem, w, some);
      loss += sums.loss;
      weight += sums.weight;
      for (std::size_t j = 0; j < w.size(); ++j) sum[j] += scales[k] * part[j];
    }
    EXPECT_NEAR(all.loss, loss, 1e-14);
    EXPECT_NEAR(weight, 1, 1e-14);
    for (std::size_t j = 0; j < w.size(); ++j) EXPECT_NEAR(whole[j], sum[j], 1e-14);
  }
}

TEST(SoftmaxPass, ExtremeMarginsStayFinite) {
  for (const double far : {1e3, 1e5, 1e30}) {
    std::vector<double> u(16, 0.0), log_sums(2);
    u = {far, -far, 0, 7, 7, 7, 7, 7, -far, -far, -far, 1, 1, 1, 1, 1};
    kernel::softmax_rows(2, 3, 8, u.data(), log_sums.data());
    EXPECT_EQ(u[0], 1);
    EXPECT_EQ(u[1], 0);
    EXPECT_EQ(u[3], 0);  // behind the classes
    EXPECT_NEAR(log_sums[0], far, 1e-12 * far);
    for (std::size_t k = 8; k < 11; ++k) EXPECT_NEAR(u[k], 1.0 / 3, 1e-15);
  }
  std::vector<float> bad{std::numeric_limits<float>::quiet_NaN(), 1, 2, 0, 0, 0, 0, 0};
  double log_sum = 0;
  kernel::softmax_rows(1, 3, 8, bad.data(), &log_sum);
  EXPECT_TRUE(std::isnan(log_sum));
}

}  // namespace
}  // namespace s3gd
