#include "problem/penalty.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "base/random.hpp"
#include "s3gd/error.hpp"

namespace s3gd {
namespace {

using Vector = std::vector<double>;
constexpr Index kCols = 6;
constexpr double kRounding = std::numeric_limits<double>::epsilon();
const Vector kFactors = {1.0, 0.0, 2.5, 1.0, 0.3, 1.0};

PenaltySpec term(PenaltyKind kind, double lambda, double alpha = 0.4, Vector factors = {}) {
  return {kind, lambda, alpha, std::move(factors), {}};
}

PenaltySpec sum(PenaltySpec first, std::vector<PenaltySpec> rest) {
  first.also = std::move(rest);
  return first;
}

std::vector<PenaltySpec> exact_penalties() {
  using enum PenaltyKind;
  return {term(l2, 0.3),
          term(l1, 0.3),
          term(elastic_net, 0.5),
          term(l1_l2norm, 0.5),
          term(none, 0.3),
          term(l2, 0.3, 0, kFactors),
          term(l1, 0.3, 0, kFactors),
          term(elastic_net, 0.5, 0.2, kFactors),
          term(l1_l2norm, 0.5, 0.7, kFactors),
          term(l1_l2norm, 0.5, 1.0, kFactors),
          sum(term(l2, 0.2), {term(l1, 0.3), term(elastic_net, 0.1)}),
          sum(term(l2, 0.2, 0, kFactors), {term(l1, 0.3)}),
          sum(term(l1_l2norm, 0.4), {term(l2, 0.3)}),
          sum(term(l1_l2norm, 0.4, 0.8), {term(l2, 0.3, 0, kFactors), term(l1, 0.1)}),
          sum(term(l1_l2norm, 0.4), {term(l1_l2norm, 0.2)})};
}

PenaltySpec averaged_penalty() {
  return sum(term(PenaltyKind::l1_l2norm, 0.4), {term(PenaltyKind::l1_l2norm, 0.3, 0.6, kFactors)});
}

Vector random_vector(Index size, Rng& rng, double scale = 1.0) {
  Vector v(static_cast<std::size_t>(size));
  for (auto& x : v) x = scale * rng.normal();
  return v;
}

double squared_distance(const Vector& a, const Vector& b) {
  double total = 0;
  for (std::size_t j = 0; j < a.size(); ++j) total += (a[j] - b[j]) * (a[j] - b[j]);
  return total;
}

double product(const Vector& a, const Vector& b) {
  double total = 0;
  for (std::size_t j = 0; j < a.size(); ++j) total += a[j] * b[j];
  return total;
}

Vector prox(const Penalty& penalty, double eta, Vector w) {
  penalty.prox(eta, std::span<double>(w));
  return w;
}

template <class F>
void for_each_exact_penalty(F&& body) {
  const auto specs = exact_penalties();
  for (std::size_t k = 0; k < specs.size(); ++k)
    for (const auto intercept : {Intercept::free, Intercept::regularised, Intercept::none}) {
      SCOPED_TRACE("penalty " + std::to_string(k) + " intercept " + std::to_string(static_cast<int>(intercept)));
      const Penalty penalty(specs[k], kCols, intercept);
      ASSERT_TRUE(penalty.prox_is_exact());
      body(penalty);
    }
}

TEST(Penalty, ValuesAreThoseOfTheFormulas) {
  using enum PenaltyKind;
  const Vector w = {1.0, -2.0, 0.5, 0.0, -1.0, 3.0, 7.0};
  double l1_sum = 0, l2_sum = 0, norm_sum = 0;
  for (std::size_t j = 0; j < 6; ++j) {
    l1_sum += kFactors[j] * std::abs(w[j]);
    l2_sum += kFactors[j] * w[j] * w[j];
    norm_sum += kFactors[j] > 0 ? w[j] * w[j] : 0.0;
  }
  const auto value = [&](PenaltyKind kind, Intercept intercept) {
    return Penalty(term(kind, 0.5, 0.2, kFactors), kCols, intercept).value(std::span<const double>(w));
  };
  EXPECT_NEAR(value(l2, Intercept::free), 0.5 * l2_sum, 1e-14);
  EXPECT_NEAR(value(l1, Intercept::free), 0.5 * l1_sum, 1e-14);
  EXPECT_NEAR(value(elastic_net, Intercept::free), 0.4 * l1_sum + 0.1 * l2_sum, 1e-14);
  EXPECT_NEAR(value(l1_l2norm, Intercept::free), 0.4 * l1_sum + 0.1 * std::sqrt(norm_sum), 1e-14);
  EXPECT_EQ(value(none, Intercept::free), 0.0);
  EXPECT_NEAR(value(l2, Intercept::regularised), 0.5 * (l2_sum + 49.0), 1e-13);
  EXPECT_NEAR(value(l1_l2norm, Intercept::regularised), 0.4 * (l1_sum + 7.0) + 0.1 * std::sqrt(norm_sum + 49.0), 1e-14);
}

TEST(Penalty, NoPointNearTheProxIsBetter) {
  Rng rng(1);
  for_each_exact_penalty([&](const Penalty& penalty) {
    for (const double eta : {0.1, 1.0, 10.0}) {
      const Vector z = random_vector(penalty.dim(), rng, 2.0);
      const Vector p = prox(penalty, eta, z);
      const auto goal = [&](const Vector& w) {
        return 0.5 * squared_distance(w, z) + eta * penalty.value(std::span<const double>(w));
      };
      const double best = goal(p);
      for (int repeat = 0; repeat < 60; ++repeat) {
        Vector w = p;
        const double size = std::pow(10.0, -rng.uniform() * 6);
        for (auto& x : w) x += size * rng.normal();
        ASSERT_GE(goal(w), best - 1e-13 * (1 + best));
      }
    }
  });
}

TEST(Penalty, ProxIsFirmlyNonExpansive) {
  Rng rng(2);
  const auto check = [&](const Penalty& penalty) {
    for (int repeat = 0; repeat < 50; ++repeat) {
      const Vector a = random_vector(penalty.dim(), rng, 2.0), b = random_vector(penalty.dim(), rng, 2.0);
      const Vector pa = prox(penalty, 0.7, a), pb = prox(penalty, 0.7, b);
      Vector between(a.size()), images(a.size());
      for (std::size_t j = 0; j < a.size(); ++j) {
        between[j] = a[j] - b[j];
        images[j] = pa[j] - pb[j];
      }
      ASSERT_LE(product(images, images), product(images, between) + 1e-13);
    }
  };
  for_each_exact_penalty(check);
  check(Penalty(averaged_penalty(), kCols, Intercept::free));
}

TEST(Penalty, FloatProxIsCloseToDouble) {
  Rng rng(3);
  for_each_exact_penalty([&](const Penalty& penalty) {
    const Vector z = random_vector(penalty.dim(), rng, 2.0);
    std::vector<float> single(z.begin(), z.end());
    penalty.prox(0.7, std::span<float>(single));
    const Vector twice = prox(penalty, 0.7, z);
    for (std::size_t j = 0; j < z.size(); ++j) EXPECT_NEAR(single[j], twice[j], 2e-6);
  });
}

TEST(Penalty, FenchelYoungHoldsWithEqualityAtTheProx) {
  Rng rng(4);
  for_each_exact_penalty([&](const Penalty& penalty) {
    for (int repeat = 0; repeat < 20; ++repeat) {
      // (z - prox(z)) / eta is a subgradient at the prox.
      const double eta = 0.8;
      const Vector z = random_vector(penalty.dim(), rng, 2.0);
      const Vector p = prox(penalty, eta, z);
      Vector v(z.size());
      for (std::size_t j = 0; j < z.size(); ++j) v[j] = (z[j] - p[j]) / eta;
      const Vector w = random_vector(penalty.dim(), rng);
      // Rounding may leave v outside the domain by an ulp: shrink by hardly anything.
      for (auto& x : v) x *= 1 - 1e-14;
      const double conjugate = penalty.conjugate(v);
      ASSERT_TRUE(std::isfinite(conjugate));
      EXPECT_NEAR(penalty.value(std::span<const double>(p)) + conjugate, product(p, v), 1e-12);
      EXPECT_GE(penalty.value(std::span<const double>(w)) + conjugate, product(w, v) - 1e-12);
    }
  });
}

TEST(Penalty, FeasibleScaleIsTheLargestOne) {
  Rng rng(5);
  for_each_exact_penalty([&](const Penalty& penalty) {
    for (int repeat = 0; repeat < 20; ++repeat) {
      const Vector z = random_vector(penalty.dim(), rng);
      const double s = penalty.feasible_scale(z);
      ASSERT_GE(s, 0.0);
      ASSERT_LE(s, 1.0);
      const auto scaled = [&](double by) {
        Vector v = z;
        for (auto& x : v) x *= by;
        return penalty.conjugate(v);
      };
      EXPECT_TRUE(std::isfinite(scaled(s)));
      if (s < 1) {
        EXPECT_TRUE(std::isinf(scaled(s * (1 + 1e-9) + 1e-300)));
      }
    }
  });
}

TEST(Penalty, SeveralNormsUseTheProximalAverage) {
  const Penalty penalty(averaged_penalty(), kCols, Intercept::none);
  EXPECT_FALSE(penalty.prox_is_exact());
  // The mean of the proxes of twice each part: here the first has the whole 1-norm, which is exact with its norm.
  Rng rng(6);
  const Vector z = random_vector(kCols, rng, 3.0);
  const double eta = 0.5;
  Vector first_factors(6);
  for (std::size_t j = 0; j < 6; ++j) first_factors[j] = (0.4 * 0.6 + 0.3 * 0.4 * kFactors[j]);
  const Penalty first(sum(term(PenaltyKind::l1_l2norm, 0.4 * 0.4, 1.0), {term(PenaltyKind::l1, 1.0, 0, first_factors)}),
                      kCols, Intercept::none);
  const Penalty second(term(PenaltyKind::l1_l2norm, 0.3 * 0.6, 1.0, kFactors), kCols, Intercept::none);
  const Vector a = prox(first, 2 * eta, z), b = prox(second, 2 * eta, z), both = prox(penalty, eta, z);
  for (std::size_t j = 0; j < 6; ++j) EXPECT_NEAR(both[j], 0.5 * (a[j] + b[j]), 1e-14);
}

TEST(Penalty, SumsOfSimpleTermsCombineExactly) {
  using enum PenaltyKind;
  const Penalty combined(sum(term(l2, 0.2), {term(l1, 0.3), term(elastic_net, 0.5, 0.4), term(none, 9)}), kCols,
                         Intercept::free);
  EXPECT_TRUE(combined.separable());
  EXPECT_DOUBLE_EQ(combined.l1_strength(), 0.6);
  EXPECT_DOUBLE_EQ(combined.l2_strength(), 0.4);
  EXPECT_FALSE(Penalty(sum(term(l2, 0.2, 0, kFactors), {term(l1, 0.3)}), kCols, Intercept::free).separable());
}

TEST(Penalty, UniformShrinkIsTheProxOfEveryPenalisedCoordinate) {
  Rng rng(7);
  const Penalty penalty(term(PenaltyKind::l2, 0.3), kCols, Intercept::free);
  ASSERT_TRUE(penalty.uniform_shrink());
  const Vector z = random_vector(penalty.dim(), rng), p = prox(penalty, 0.5, z);
  for (std::size_t j = 0; j < kCols; ++j) EXPECT_DOUBLE_EQ(p[j], penalty.shrink(0.5) * z[j]);
  EXPECT_EQ(p.back(), z.back()) << "the free intercept is left alone";
  EXPECT_FALSE(Penalty(term(PenaltyKind::l2, 0.3, 0, kFactors), kCols, Intercept::free).uniform_shrink());
  EXPECT_FALSE(Penalty(term(PenaltyKind::l1, 0.3), kCols, Intercept::free).uniform_shrink());
}

TEST(Penalty, WrongNumbersAreRefused) {
  using enum PenaltyKind;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto build = [](const PenaltySpec& spec) { Penalty(spec, kCols, Intercept::free); };
  EXPECT_THROW(build(term(l2, -1)), Error);
  EXPECT_THROW(build(term(l2, nan)), Error);
  EXPECT_THROW(build(term(l2, std::numeric_limits<double>::infinity())), Error);
  EXPECT_THROW(build(term(elastic_net, 1, 1.5)), Error);
  EXPECT_THROW(build(term(elastic_net, 1, nan)), Error);
  EXPECT_THROW(build(term(l2, 1, 0, {1, 2})), Error);
  EXPECT_THROW(build(term(l2, 1, 0, {1, 2, 3, -4, 5, 6})), Error);
  EXPECT_THROW(build(sum(term(l2, 1), {term(l1, -1)})), Error);
  EXPECT_THROW(build(sum(term(l2, 1), {sum(term(l1, 1), {term(l1, 1)})})), Error);
}

// Also notes the largest |w| on the way: one rounding of it at each step is what the loop itself may be off by.
double naive_steps(double w, double g, double eta, double l1, double l2, Index steps, double& peak) {
  peak = std::abs(w) + eta * std::abs(g);
  for (Index k = 0; k < steps; ++k) {
    const double z = w - eta * g, t = eta * l1;
    w = (z > t ? z - t : (z < -t ? z + t : 0.0)) / (1 + 2 * eta * l2);
    peak = std::max(peak, std::abs(w));
  }
  return w;
}

TEST(LazyAdvance, EqualsTheStepsOneByOne) {
  Rng rng(8);
  for (const double l1 : {0.0, 1e-4, 0.3})
    for (const double l2 : {0.0, 1e-9, 1e-5, 0.01, 3.0})
      for (const double eta : {1e-3, 0.1, 5.0}) {
        const PenaltySpec spec = sum(term(PenaltyKind::l1, l1), {term(PenaltyKind::l2, l2)});
        const LazyAdvance advance(Penalty(spec, kCols, Intercept::free), eta);
        for (const Index steps : {0, 1, 2, 3, 17, 1023, 1024, 10000})
          for (const double factor : {1.0, 0.0, 2.5})
            for (int repeat = 0; repeat < 6; ++repeat) {
              const double w = repeat == 0 ? 0.0 : rng.normal() * std::pow(10.0, -4 * rng.uniform());
              const double g = repeat == 1 ? 0.0 : rng.normal() * std::pow(10.0, -5 * rng.uniform());
              double peak = 0;
              const double naive = naive_steps(w, g, eta, factor * l1, factor * l2, steps, peak);
              const double roundings = static_cast<double>(steps + 8);
              ASSERT_NEAR(advance(w, g, steps, factor), naive, roundings * kRounding * peak)
                  << "w " << w << " g " << g << " l1 " << l1 << " l2 " << l2 << " eta " << eta << " steps " << steps
                  << " factor " << factor;
            }
      }
}

TEST(LazyAdvance, LandsOnZeroExactlyAndStaysThere) {
  const LazyAdvance advance(Penalty(term(PenaltyKind::elastic_net, 0.5, 0.5), kCols, Intercept::free), 0.1);
  EXPECT_EQ(advance(1.0, 0.1, 100000), 0.0);
  EXPECT_EQ(advance(-1.0, 0.24, 100000), 0.0);
  EXPECT_EQ(advance(0.0, 0.25, 100000), 0.0);
  EXPECT_LT(advance(0.0, 0.26, 100000), 0.0);
}

TEST(LazyAdvance, ManyShortRunsEqualOneLongRun) {
  Rng rng(9);
  const LazyAdvance advance(Penalty(term(PenaltyKind::elastic_net, 0.02, 0.5), kCols, Intercept::free), 0.05);
  for (int repeat = 0; repeat < 50; ++repeat) {
    const double w = rng.normal(), g = 0.05 * rng.normal();
    double pieces = w;
    Index done = 0;
    while (done < 10000) {
      const Index run = std::min<Index>(1 + rng.below(500), 10000 - done);
      pieces = advance(pieces, g, run);
      done += run;
    }
    EXPECT_NEAR(pieces, advance(w, g, 10000), 10000 * kRounding * std::max(std::abs(w), std::abs(pieces)));
  }
}

}  // namespace
}  // namespace s3gd
