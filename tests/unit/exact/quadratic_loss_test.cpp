#include "exact/quadratic_loss.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "support/random_problem.hpp"

namespace s3gd {
namespace {

using testing::Vector;

std::size_t at(Index j) { return static_cast<std::size_t>(j); }

// sum_i q_i (w.x_i + b - y_i)^2 and its slopes in more digits than double has.
struct Exact {
  long double loss = 0;
  std::vector<long double> slopes;
};

Exact exact_at(const Problem& problem, const testing::Table& table, const Vector& w) {
  Exact exact{0, std::vector<long double>(w.size(), 0)};
  for (Index i = 0; i < problem.rows(); ++i) {
    const auto x = [&](Index j) { return j == table.cols ? 1.0L : static_cast<long double>(table.at(i, j)); };
    long double residual = -static_cast<long double>(problem.targets()[at(i)]);
    for (Index j = 0; j < problem.dim(); ++j) residual += static_cast<long double>(w[at(j)]) * x(j);
    exact.loss += problem.weight(i) * residual * residual;
    for (Index j = 0; j < problem.dim(); ++j) exact.slopes[at(j)] += 2 * problem.weight(i) * residual * x(j);
  }
  return exact;
}

// The walk goes far and comes near a perfect fit, where little is left of the loss.
TEST(QuadraticLoss, ErrorsStayWithinTheirBounds) {
  for (const double offset : {0.0, 1e4})
    for (const double noise : {1.0, 1e-6})
      for (const auto intercept : testing::kIntercepts)
        for (const bool weighted : {false, true}) {
          auto sample = testing::random_sample(500, 9, 41, 0.7, noise);
          for (double& value : sample.table.values) value += value != 0 ? offset : 0;
          ProblemSpec spec;
          spec.loss.kind = LossKind::squared;
          spec.intercept = intercept;
          const Problem problem(sample.data(sample.table.dense<double>(), spec.loss, weighted), spec);
          QuadraticLoss loss(problem, Vector(at(problem.dim()), 0.0));
          for (int walk = 0; walk < 20; ++walk) {
            Vector w =
                testing::random_vector(loss.size(), static_cast<std::uint64_t>(walk), std::pow(10.0, walk % 7 - 3));
            if (walk % 3 == 1) w = solve_reference(problem).w;
            w.resize(at(loss.size()));
            loss.move_to(w);
            if (walk == 10) loss.anchor();
            const Exact exact = exact_at(problem, sample.table, loss.full_w());
            // What a pass rounds at the anchor: residuals are differences of larger numbers.
            const double own = 1e-14 * (static_cast<double>(exact.loss) + (5 + offset) * std::sqrt(loss.loss()));
            EXPECT_LE(std::abs(static_cast<double>(exact.loss - loss.loss())), loss.loss_error() + own);
            for (Index j = 0; j < loss.size() && !loss.at_anchor(); ++j)
              EXPECT_LE(std::abs(static_cast<double>(exact.slopes[at(j)] - loss.slopes()[at(j)])), loss.slope_error(j));
            const double left = intercept == Intercept::free ? static_cast<double>(exact.slopes.back()) : 0.0;
            EXPECT_NEAR(left, 0, 1e-6 * (1 + offset));
          }
        }
}

TEST(QuadraticLoss, AnAnchorFindsTheBestInterceptHoweverFar) {
  auto sample = testing::random_sample(200, 4, 42, 1.0);
  for (double& y : sample.reals) y += 1e9;
  ProblemSpec spec;
  spec.loss.kind = LossKind::squared;
  const Problem problem(sample.data(sample.table.dense<double>(), spec.loss), spec);
  const QuadraticLoss loss(problem, Vector(5, 0.0));
  const Exact exact = exact_at(problem, sample.table, loss.full_w());
  EXPECT_NEAR(loss.loss(), static_cast<double>(exact.loss), 1e-6 * loss.loss());
  EXPECT_LT(loss.loss(), 100);
}

}  // namespace
}  // namespace s3gd
