#include <gtest/gtest.h>

#include "problem/matrix_penalty.hpp"
#include "s3gd/error.hpp"
#include "support/softmax_sample.hpp"

namespace s3gd {
namespace {

using testing::Vector;

double product(const Vector& a, const Vector& b) {
  double sum = 0;
  for (std::size_t j = 0; j < a.size(); ++j) sum += a[j] * b[j];
  return sum;
}

std::vector<MatrixPenaltySpec> with_factors() {
  auto specs = testing::matrix_penalties();
  specs.push_back({MatrixPenaltyKind::group_lasso, 0.3, 0.5, {1, 2, 0, 0.5, 1}});
  specs.push_back({MatrixPenaltyKind::elastic_net, 0.3, 0.5, {1, 2, 0, 0.5, 1}});
  for (auto& spec : specs) spec.lambda *= 10;
  return specs;
}

// Moreau: p = prox_{eta R}(v) exactly when v - p, over eta, is a subgradient of R at p: inside the domain of R* and with
// R(p) + R*((v - p) / eta) = p.(v - p) / eta.
TEST(MatrixPenalty, TheProxSatisfiesMoreausIdentity) {
  for (const auto& spec : with_factors())
    for (const auto intercept : testing::kIntercepts)
      for (const Index classes : {2, 4, 7})
        for (const double eta : {0.1, 1.0, 5.0}) {
          const MatrixPenalty penalty(spec, 5, classes, intercept);
          const Index dim = (intercept == Intercept::none ? 5 : 6) * classes;
          const Vector v = testing::random_vector(dim, 3);
          Vector p = v, slope(v.size());
          penalty.prox(eta, p);
          for (std::size_t j = 0; j < v.size(); ++j) slope[j] = (v[j] - p[j]) / eta;
          EXPECT_GE(penalty.feasible_scale(slope), 1 - 1e-11) << name_of(spec.kind);
          const double scale = penalty.feasible_scale(slope);
          for (double& value : slope) value *= scale;
          EXPECT_NEAR(penalty.value(p) + penalty.conjugate(slope), product(p, slope), 1e-10) << name_of(spec.kind);
        }
}

TEST(MatrixPenalty, StepsByWeightAreTheProxOfEachOnItsOwn) {
  for (const auto& spec : with_factors()) {
    if (spec.kind == MatrixPenaltyKind::nuclear) continue;
    const MatrixPenalty penalty(spec, 5, 3, Intercept::free);
    const Vector v = testing::random_vector(18, 9), by_feature{0.1, 2, 1, 0.5, 3, 1};
    Vector p = v, etas;
    for (std::size_t c = 0; c < 18; ++c)
      etas.push_back(by_feature[c / 3] * (penalty.couples_classes() ? 1.0 : 1.0 + 0.3 * static_cast<double>(c % 3)));
    penalty.prox(etas, p);
    for (std::size_t c = 0; c < 18; ++c) {
      Vector whole = v;
      penalty.prox(etas[c], whole);
      EXPECT_NEAR(p[c], whole[c], 1e-15);
    }
  }
}

TEST(MatrixPenalty, NoOtherPointHasALowerProxObjective) {
  Rng rng(4);
  for (const auto& spec : with_factors()) {
    const MatrixPenalty penalty(spec, 5, 3, Intercept::regularised);
    const Vector v = testing::random_vector(18, 8);
    const auto value = [&](const Vector& x) {
      double sum = penalty.value(x);
      for (std::size_t j = 0; j < x.size(); ++j) sum += 0.5 * (x[j] - v[j]) * (x[j] - v[j]);
      return sum;
    };
    Vector p = v;
    penalty.prox(1.0, p);
    for (int trial = 0; trial < 300; ++trial) {
      Vector other = p;
      const double size = std::pow(10.0, -3.0 * rng.uniform());
      for (double& x : other) x += size * rng.normal();
      EXPECT_GE(value(other), value(p) - 1e-13);
    }
  }
}

TEST(MatrixPenalty, ValuesAreTheirDefinitions) {
  const Vector w{3, 0, 4, 0, 0, 0, 0, 2, 0};  // rows (3,0,4), 0, (0,2,0): orthogonal, so these are its singular vectors
  const auto value = [&](MatrixPenaltyKind kind) {
    return MatrixPenalty({kind, 0.5, 0.25, {}}, 3, 3, Intercept::none).value(w);
  };
  EXPECT_NEAR(value(MatrixPenaltyKind::l2), 0.5 * 29, 1e-14);
  EXPECT_NEAR(value(MatrixPenaltyKind::l1), 0.5 * 9, 1e-14);
  EXPECT_NEAR(value(MatrixPenaltyKind::elastic_net), 0.5 * (0.75 * 9 + 0.25 * 29), 1e-14);
  EXPECT_NEAR(value(MatrixPenaltyKind::group_lasso), 0.5 * 7, 1e-14);
  EXPECT_NEAR(value(MatrixPenaltyKind::nuclear), 0.5 * 7, 1e-14);
  EXPECT_EQ(value(MatrixPenaltyKind::none), 0);
  const MatrixPenalty nuclear({MatrixPenaltyKind::nuclear, 1, 0.5, {}}, 3, 3, Intercept::none);
  EXPECT_EQ(nuclear.rank(w), 2);
  Vector shrunk = w;
  nuclear.prox(2.5, shrunk);
  EXPECT_EQ(nuclear.rank(shrunk), 1);
  EXPECT_NEAR(shrunk[0], 1.5, 1e-14);
  EXPECT_NEAR(shrunk[2], 2.0, 1e-14);
  EXPECT_NEAR(shrunk[7], 0.0, 1e-14);
}

TEST(MatrixPenalty, FreeInterceptsCostNothingAndRegularisedOnesAreAFeature) {
  for (const auto& spec : testing::matrix_penalties()) {
    const Vector w = testing::random_vector(4 * 3, 5);
    Vector without = w;
    std::fill(without.end() - 3, without.end(), 0.0);
    const MatrixPenalty free(spec, 3, 3, Intercept::free), constant(spec, 4, 3, Intercept::none);
    EXPECT_NEAR(free.value(w), constant.value(without), 1e-14);
    EXPECT_NEAR(MatrixPenalty(spec, 3, 3, Intercept::regularised).value(w), constant.value(w), 1e-14);
    Vector p = w;
    free.prox(1.0, p);
    EXPECT_EQ(Vector(p.end() - 3, p.end()), Vector(w.end() - 3, w.end()));
  }
}

TEST(MatrixPenalty, WrongSpecsAreRefused) {
  const auto make = [](const MatrixPenaltySpec& spec) { MatrixPenalty(spec, 3, 2, Intercept::free); };
  EXPECT_THROW(make({MatrixPenaltyKind::l2, -1, 0.5, {}}), Error);
  EXPECT_THROW(make({MatrixPenaltyKind::group_lasso, std::nan(""), 0.5, {}}), Error);
  EXPECT_THROW(make({MatrixPenaltyKind::elastic_net, 1, 2, {}}), Error);
  EXPECT_THROW(make({MatrixPenaltyKind::group_lasso, 1, 0.5, {1, 2}}), Error);
  EXPECT_THROW(make({MatrixPenaltyKind::nuclear, 1, 0.5, {1, 2, 3}}), Error);
  EXPECT_THROW(matrix_penalty({PenaltyKind::l1_l2norm, 1, 0.5, {}, {}}), Error);
  EXPECT_EQ(matrix_penalty({PenaltyKind::elastic_net, 1, 0.5, {}, {}}).kind, MatrixPenaltyKind::elastic_net);
  EXPECT_EQ(matrix_penalty_named("group-lasso"), MatrixPenaltyKind::group_lasso);
  EXPECT_EQ(matrix_penalty_named("grouplasso"), std::nullopt);
}

}  // namespace
}  // namespace s3gd
