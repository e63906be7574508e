#include <gtest/gtest.h>

#include "kernel/blas.hpp"
#include "problem/full_pass.hpp"
#include "problem/translate.hpp"
#include "support/random_problem.hpp"

namespace s3gd {
namespace {

using testing::Vector;

Problem make(const testing::Sample& sample, LossKind loss, PenaltySpec penalty, Intercept intercept = Intercept::none) {
  ProblemSpec spec;
  spec.loss.kind = loss;
  spec.penalty = std::move(penalty);
  spec.intercept = intercept;
  return Problem(sample.data(sample.table.dense<double>(), spec.loss), spec);
}

TEST(Theory, SmoothnessOfDiagonalDataIsKnown) {
  // Rows e_1, 2 e_2, 3 e_3: X'X/n = diag(1, 4, 9) / 3.
  testing::Sample sample;
  sample.table = {3, 3, {1, 0, 0, 0, 2, 0, 0, 0, 3}};
  sample.classes = {0, 1, 1};
  for (const auto& x : sample.table.layouts()) {
    ProblemSpec spec;
    spec.intercept = Intercept::none;
    spec.penalty.lambda = 0.01;
    const Problem problem(sample.data(x, {}), spec);
    const Theory t = theory(problem, 1);
    EXPECT_NEAR(t.smoothness_max, 0.25 * 9, 1e-12);
    EXPECT_NEAR(t.smoothness_mean, 0.25 * 14 / 3, 1e-12);
    EXPECT_NEAR(t.smoothness_full, 0.25 * 3, 1e-3);
    EXPECT_DOUBLE_EQ(t.strong_convexity, 0.02);
    EXPECT_DOUBLE_EQ(t.svrg_step_bound, 1 / 9.0);
    EXPECT_DOUBLE_EQ(t.s3gd_step_bound, 1 / 18.0);
    EXPECT_NEAR(t.batch_smoothness, t.smoothness_max, 1e-12) << "one row at a time";
    EXPECT_NEAR(theory(problem, 3).batch_smoothness, t.smoothness_full, 1e-12) << "all rows at a time";
  }
}

TEST(Theory, TheInterceptCountsAndAFreeOneIsNotStronglyConvex) {
  const auto sample = testing::random_sample(50, 4, 1);
  const Theory free = theory(make(sample, LossKind::logistic, {}, Intercept::free));
  const Theory none = theory(make(sample, LossKind::logistic, {}, Intercept::none));
  EXPECT_NEAR(free.smoothness_mean, none.smoothness_mean + 0.25, 1e-12);
  EXPECT_EQ(free.strong_convexity, 0.0);
  EXPECT_GT(none.strong_convexity, 0.0);
}

TEST(Theory, AGradientStepOfOneOverTheFullSmoothnessNeverGoesUp) {
  const auto sample = testing::random_sample(200, 6, 2);
  const Problem problem = make(sample, LossKind::logistic, {PenaltyKind::none, 0, 0, {}, {}}, Intercept::free);
  const double step = 1.0 / theory(problem).smoothness_full;
  Vector w(7, 0.0), gradient(7);
  double last = objective(problem, w);
  for (int k = 0; k < 50; ++k) {
    smooth_gradient(problem, w, gradient);
    for (std::size_t j = 0; j < w.size(); ++j) w[j] -= step * gradient[j];
    const double value = objective(problem, w);
    EXPECT_LE(value, last);
    last = value;
  }
}

// Squares of squares of such values are beyond double, their squares are not.
TEST(Theory, AStepIsFiniteAtAnyScaleAndFollowsItsSquare) {
  testing::Sample sample = testing::random_sample(30, 4, 5);
  const double usual = theory(make(sample, LossKind::logistic, {}), 30).suggested_step;
  for (const double scale : {1e-140, 1e-90, 1e90, 1e140}) {
    testing::Sample scaled = sample;
    for (double& value : scaled.table.values) value *= scale;
    const double step = theory(make(scaled, LossKind::logistic, {}), 30).suggested_step;
    EXPECT_NEAR(step * scale * scale, usual, 1e-3 * usual) << scale;
  }
}

TEST(Theory, RowsOfZerosBearAnyStep) {
  testing::Sample sample = testing::random_sample(30, 4, 5);
  for (double& value : sample.table.values) value = 0;
  const double step = theory(make(sample, LossKind::logistic, {}), 10).suggested_step;
  EXPECT_TRUE(std::isfinite(step) && step > 0) << step;
}

TEST(Theory, TheRateFallsBelowOneForALongInnerLoopOnly) {
  Theory constants;
  constants.smoothness_max = 1;
  constants.strong_convexity = 0.01;
  constants.s3gd_step_bound = 1.0 / 8;
  const double step = 0.02;
  const Rate rate = paper_rate(constants, step, 100000);
  // Eqn. main_1, evaluated by hand: 1/(0.01*0.02*0.92*1e5) + 0.08*(1e5+1)/(0.92*1e5)
  EXPECT_NEAR(rate.rho, 1 / 18.4 + 0.08 * 100001 / 92000.0, 1e-12);
  EXPECT_LT(rate.rho, 1);
  EXPECT_GT(rate.delta_factor, 0);
  EXPECT_TRUE(std::isfinite(rate.delta_factor));
  const Rate hopeless = paper_rate(constants, step, 10);
  EXPECT_GT(hopeless.rho, 1);
  EXPECT_TRUE(std::isinf(hopeless.delta_factor));
  EXPECT_TRUE(std::isnan(paper_rate(constants, 0.2, 1000).rho)) << "beyond 1/(8L)";
  constants.strong_convexity = 0;
  EXPECT_TRUE(std::isinf(paper_rate(constants, step, 1000).rho));
}

// Another program's objective is ours times a constant when both fall together between any two points.
template <class Theirs>
void expect_proportional(const Problem& problem, const testing::Sample& sample, Theirs&& theirs) {
  const auto margin = [&](const Vector& w, Index i) {
    double u = 0;
    for (Index j = 0; j < sample.table.cols; ++j) u += w[static_cast<std::size_t>(j)] * sample.table.at(i, j);
    return u;
  };
  const auto value = [&](const Vector& w) { return theirs(w, [&](Index i) { return margin(w, i); }); };
  const Vector zero(static_cast<std::size_t>(problem.dim()), 0.0);
  const double ratio = value(zero) / objective(problem, zero);
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const Vector w = testing::random_vector(problem.dim(), seed);
    EXPECT_NEAR(value(w), ratio * objective(problem, w), 1e-10 * value(w));
  }
}

double squares(const Vector& w) {
  double sum = 0;
  for (const double v : w) sum += v * v;
  return sum;
}
double absolutes(const Vector& w) {
  double sum = 0;
  for (const double v : w) sum += std::abs(v);
  return sum;
}

TEST(Translate, OtherProgramsMinimiseTheSameFunction) {
  const Index n = 30;
  const double lambda = 0.037;
  const auto sample = testing::random_sample(n, 4, 3);
  const auto y = [&](Index i) { return sample.classes[static_cast<std::size_t>(i)] > 0 ? 1.0 : -1.0; };
  const auto real = [&](Index i) { return sample.reals[static_cast<std::size_t>(i)]; };
  const auto total = [&](auto&& term) {
    double sum = 0;
    for (Index i = 0; i < n; ++i) sum += term(i);
    return sum;
  };
  using namespace translate;
  using enum PenaltyKind;
  const auto logistic = [&](auto&& u) { return total([&](Index i) { return std::log1p(std::exp(-y(i) * u(i))); }); };
  const auto hinge2 = [&](auto&& u) {
    return total([&](Index i) { return std::pow(std::max(0.0, 1 - y(i) * u(i)), 2); });
  };
  const auto squared = [&](auto&& u) { return total([&](Index i) { return std::pow(real(i) - u(i), 2); }); };

  expect_proportional(make(sample, LossKind::logistic, {l2, lambda, 0, {}, {}}), sample,
                      [&](const Vector& w, auto&& u) {
                        return 0.5 * squares(w) + liblinear_c(LossKind::logistic, lambda, n) * logistic(u);
                      });
  expect_proportional(make(sample, LossKind::squared_hinge, {l2, lambda, 0, {}, {}}), sample,
                      [&](const Vector& w, auto&& u) {
                        return 0.5 * squares(w) + liblinear_c(LossKind::squared_hinge, lambda, n) * hinge2(u);
                      });
  expect_proportional(make(sample, LossKind::logistic, {l1, lambda, 0, {}, {}}), sample,
                      [&](const Vector& w, auto&& u) {
                        return absolutes(w) + liblinear_c_for_l1(LossKind::logistic, lambda, n) * logistic(u);
                      });
  expect_proportional(
      make(sample, LossKind::logistic, {l2, lambda, 0, {}, {}}), sample,
      [&](const Vector& w, auto&& u) { return logistic(u) / n + 0.5 * sgd_alpha(lambda) * squares(w); });
  expect_proportional(make(sample, LossKind::squared, {l2, lambda, 0, {}, {}}), sample,
                      [&](const Vector& w, auto&& u) { return squared(u) + ridge_alpha(lambda, n) * squares(w); });
  expect_proportional(make(sample, LossKind::squared, {l1, lambda, 0, {}, {}}), sample, [&](const Vector& w, auto&& u) {
    return squared(u) / (2 * n) + lasso_alpha(lambda) * absolutes(w);
  });
  const auto glmnet_penalty = [](const Glmnet& g, const Vector& w) {
    return g.lambda * ((1 - g.alpha) / 2 * squares(w) + g.alpha * absolutes(w));
  };
  const PenaltySpec net{elastic_net, lambda, 0.3, {}, {}};
  expect_proportional(make(sample, LossKind::logistic, net), sample, [&](const Vector& w, auto&& u) {
    return logistic(u) / n + glmnet_penalty(glmnet(LossKind::logistic, lambda * 0.7, lambda * 0.3), w);
  });
  expect_proportional(make(sample, LossKind::squared, net), sample, [&](const Vector& w, auto&& u) {
    return squared(u) / (2 * n) + glmnet_penalty(glmnet(LossKind::squared, lambda * 0.7, lambda * 0.3), w);
  });
  EXPECT_DOUBLE_EQ(glmnet(LossKind::logistic, 0, lambda).lambda, 2 * lambda) << "ridge";
}

TEST(Translate, RidgeHasItsClosedForm) {
  const Index n = 40, d = 5;
  const auto sample = testing::random_sample(n, d, 4);
  const double lambda = 0.02;
  Vector gram(static_cast<std::size_t>(d * d), 0.0), rhs(static_cast<std::size_t>(d), 0.0);
  blas::syrk_transposed(d, n, 1.0, sample.table.values.data(), d, 0.0, gram.data(), d);
  for (Index j = 0; j < d; ++j) {
    gram[static_cast<std::size_t>(j * d + j)] += translate::ridge_alpha(lambda, n);
    for (Index i = 0; i < n; ++i)
      rhs[static_cast<std::size_t>(j)] += sample.table.at(i, j) * sample.reals[static_cast<std::size_t>(i)];
  }
  ASSERT_TRUE(blas::cholesky(d, gram.data(), d));
  blas::cholesky_solve(d, gram.data(), d, rhs.data());
  const Optimum optimum = solve_reference(make(sample, LossKind::squared, {PenaltyKind::l2, lambda, 0, {}, {}}));
  for (std::size_t j = 0; j < rhs.size(); ++j) EXPECT_NEAR(optimum.w[j], rhs[j], 1e-10);
}

}  // namespace
}  // namespace s3gd
