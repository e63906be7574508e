#include <gtest/gtest.h>

#include "problem/certificate.hpp"
#include "problem/optimality.hpp"
#include "solve/inputs.hpp"
#include "support/softmax_sample.hpp"

namespace s3gd {
namespace {

using testing::Vector;

struct Solved {
  SoftmaxProblem problem;
  Vector w;
};

// Every penalty and kind of intercept, with and without weights; solved once for all tests here.
const std::vector<Solved>& solved_problems() {
  static const std::vector<Solved> all = [] {
    std::vector<Solved> solved;
    const auto sample = testing::softmax_sample(60, 4, 3, 21);
    for (const auto& penalty : testing::matrix_penalties())
      for (const auto intercept : testing::kIntercepts)
        for (const bool weighted : {false, true}) {
          SoftmaxSpec spec;
          spec.penalty = penalty;
          spec.intercept = intercept;
          spec.threads = 1;
          if (weighted) spec.class_weight = ClassWeight::balanced;
          const Matrix x = weighted ? sample.table.dense<float>() : sample.table.csr<double, std::int32_t>();
          const SoftmaxProblem problem(sample.data(x, weighted), spec);
          solved.push_back({problem, testing::solve_softmax_slowly(problem, sample.table)});
        }
    return solved;
  }();
  return all;
}

TEST(SoftmaxCertificate, TheGapIsNeverBelowTheTrueSuboptimalityAndVanishesAtTheOptimum) {
  for (const auto& [problem, best] : solved_problems()) {
    SCOPED_TRACE(problem.formula());
    const double least = objective(problem, best);
    for (std::uint64_t seed = 0; seed < 5; ++seed)
      for (const double size : {0.0, 0.01, 0.7}) {
        Vector w = testing::random_vector(problem.dim(), seed, size);
        for (std::size_t j = 0; j < w.size() && seed % 2 == 0; ++j) w[j] += best[j];
        const Certificate certificate = certify(problem, w);
        ASSERT_EQ(certificate.kind, Certificate::Kind::duality_gap);
        EXPECT_NEAR(certificate.primal, objective(problem, w), 1e-13 * certificate.primal);
        EXPECT_LE(certificate.dual, least * (1 + 1e-13));
        EXPECT_GE(certificate.relative_gap, (certificate.primal - least) / certificate.primal - 1e-13);
      }
    EXPECT_LE(certify(problem, best).relative_gap, 1e-10);
  }
}

TEST(SoftmaxCertificate, GapsShrinkWithTheDistance) {
  for (const auto& [problem, best] : solved_problems()) {
    SCOPED_TRACE(problem.formula());
    const Vector away = testing::random_vector(problem.dim(), 3);
    double last = 1e300;
    for (const double size : {0.3, 0.03, 0.003}) {
      Vector w = best;
      for (std::size_t j = 0; j < w.size(); ++j) w[j] += size * away[j];
      const double gap = certify(problem, w).relative_gap;
      EXPECT_LT(gap, 0.3 * last);
      last = gap;
    }
  }
}

TEST(SoftmaxCertificate, TheEstimateFromTheGradientIsCloseToIt) {
  for (const auto& [problem, best] : solved_problems()) {
    SCOPED_TRACE(problem.formula());
    Vector w = best, gradient(best.size());
    const Vector away = testing::random_vector(problem.dim(), 4, 0.002);
    for (std::size_t j = 0; j < w.size(); ++j) w[j] += away[j];
    const double loss = smooth_gradient(problem, w, gradient);
    const MatrixPenalty penalty(problem);
    const double estimate = estimated_gap(problem, penalty, w, gradient, loss + penalty.value(w));
    const double gap = certify(problem, w).relative_gap;
    EXPECT_LT(estimate, 10 * gap);
    EXPECT_GT(estimate, 0.1 * gap);
  }
}

TEST(SoftmaxCertificate, WithTwoClassesItIsTheBinaryOne) {
  const auto sample = testing::softmax_sample(80, 5, 2, 6);
  for (const auto intercept : testing::kIntercepts) {
    ProblemSpec binary;
    binary.penalty.lambda = 0.01;
    binary.intercept = intercept;
    const Problem one(sample.data(sample.table.dense<double>()), binary);
    SoftmaxSpec spec;
    spec.penalty.lambda = 0.02;
    spec.intercept = intercept;
    const SoftmaxProblem two(sample.data(sample.table.dense<double>()), spec);
    const Vector v = testing::random_vector(one.dim(), 2, 0.4);
    Vector w;
    for (const double value : v) w.insert(w.end(), {-0.5 * value, 0.5 * value});
    const Certificate a = certify(one, v), b = certify(two, w);
    EXPECT_NEAR(a.primal, b.primal, 1e-14);
    EXPECT_NEAR(a.dual, b.dual, 1e-13);
  }
}

TEST(SoftmaxCertificate, WithoutAPenaltyItIsTheProxGradientStep) {
  const auto sample = testing::softmax_sample(80, 3, 3, 6);
  SoftmaxSpec spec;
  spec.penalty.kind = MatrixPenaltyKind::none;
  const SoftmaxProblem problem(sample.data(sample.table.dense<double>()), spec);
  const Vector w = testing::random_vector(problem.dim(), 1);
  Vector gradient(w.size());
  smooth_gradient(problem, w, gradient);
  double step = 0, size = 0;
  for (std::size_t j = 0; j < w.size(); ++j) {
    step += gradient[j] * gradient[j];
    size += w[j] * w[j];
  }
  // Intercepts count as those that sum to zero, which is how they are shown: shifted together, they change nothing.
  const double mean = (w[w.size() - 3] + w[w.size() - 2] + w[w.size() - 1]) / 3;
  size -= 3 * mean * mean;
  const Certificate certificate = certify(problem, w);
  EXPECT_EQ(certificate.kind, Certificate::Kind::prox_gradient);
  EXPECT_NEAR(certificate.relative_gap, std::sqrt(step) / std::max(1.0, std::sqrt(size)), 1e-12);
  Vector shifted = w;
  for (std::size_t j = w.size() - 3; j < w.size(); ++j) shifted[j] += 5;
  EXPECT_NEAR(certify(problem, shifted).relative_gap, certificate.relative_gap, 1e-12);
}

TEST(BalancingScales, MakeFlowsACirculation) {
  for (const Index classes : {2, 3, 5, 12}) {
    Rng rng(static_cast<std::uint64_t>(classes));
    Vector flows(static_cast<std::size_t>(classes * classes));
    for (double& flow : flows) flow = std::exp(3 * rng.normal());
    const Vector scales = balancing_scales(flows, classes);
    EXPECT_EQ(*std::max_element(scales.begin(), scales.end()), 1.0);
    for (Index k = 0; k < classes; ++k) {
      double in = 0, out = 0;
      for (Index l = 0; l < classes; ++l) {
        if (l == k) continue;
        in += scales[static_cast<std::size_t>(l)] * flows[static_cast<std::size_t>(l * classes + k)];
        out += scales[static_cast<std::size_t>(k)] * flows[static_cast<std::size_t>(k * classes + l)];
      }
      EXPECT_NEAR(in, out, 1e-12 * out);
      EXPECT_GE(scales[static_cast<std::size_t>(k)], 0);
    }
  }
  EXPECT_EQ(balancing_scales(Vector{0, 0, 0, 0}, 2), (Vector{0, 0}));
}

}  // namespace
}  // namespace s3gd
