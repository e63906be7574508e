#include <gtest/gtest.h>

#include "support/random_problem.hpp"
#include "support/slow_solver.hpp"

namespace s3gd {
namespace {

using testing::Vector;

std::vector<PenaltySpec> penalties() {
  using enum PenaltyKind;
  PenaltySpec both{l1_l2norm, 0.02, 0.5, {}, {{l2, 0.01, 0.5, {}, {}}}};
  return {{l2, 0.05, 0.5, {}, {}},
          {l2, 0.002, 0.5, {}, {}},
          {l1, 0.02, 0.5, {}, {}},
          {elastic_net, 0.05, 0.3, {}, {}},
          {l1_l2norm, 0.05, 0.5, {}, {}},
          both,
          {l2, 0.05, 0.5, {1, 2, 0.5, 1, 3}, {}}};
}

struct Solved {
  Problem problem;
  testing::SlowOptimum slow;
};

// Every loss, penalty, kind of intercept, with and without weights; solved once for all tests here.
const std::vector<Solved>& solved_problems() {
  static const std::vector<Solved> all = [] {
    std::vector<Solved> solved;
    const auto sample = testing::random_sample(40, 5, 11);
    const auto specs = penalties();
    for (const auto& loss : testing::all_losses())
      for (std::size_t k = 0; k < specs.size(); ++k)
        for (const auto intercept : testing::kIntercepts)
          for (const bool weighted : {false, true}) {
            ProblemSpec spec;
            spec.loss = loss;
            spec.penalty = specs[k];
            spec.intercept = intercept;
            if (weighted && Loss(loss).classifies()) spec.class_weight = ClassWeight::paper;
            const Matrix x = k % 2 == 0 ? sample.table.dense<float>() : sample.table.csr<double, std::int32_t>();
            const Problem problem(sample.data(x, loss, weighted), spec);
            solved.push_back({problem, testing::solve_slowly(problem)});
          }
    return solved;
  }();
  return all;
}

TEST(Certificate, TheGapIsNeverBelowTheTrueSuboptimalityAndVanishesAtTheOptimum) {
  for (const auto& [problem, slow] : solved_problems()) {
    SCOPED_TRACE(problem.formula());
    const double best = slow.objective;
    const auto check = [&, &problem = problem](const Vector& w) {
      const Certificate certificate = certify(problem, w);
      ASSERT_EQ(certificate.kind, Certificate::Kind::duality_gap);
      EXPECT_NEAR(certificate.primal, objective(problem, w), 1e-13 * (1 + certificate.primal));
      EXPECT_GE(certificate.relative_gap, 0.0);
      EXPECT_LE(certificate.dual, best * (1 + 1e-14));
    };
    for (std::uint64_t seed = 0; seed < 5; ++seed) check(testing::random_vector(problem.dim(), seed, 0.7));
    for (const auto& w : slow.path) check(w);
    EXPECT_LE(certify(problem, slow.w).relative_gap, 1e-12);
  }
}

TEST(Certificate, GapsShrinkAlongWithTheSuboptimality) {
  for (const auto& [problem, slow] : solved_problems()) {
    SCOPED_TRACE(problem.formula());
    for (const auto& w : slow.path) {
      const double suboptimality = objective(problem, w) / slow.objective - 1;
      if (suboptimality < 1e-10) continue;
      // With a conjugate that is finite everywhere the gap is of the suboptimality's order, times the conditioning;
      // a scaling to feasibility costs the distance from the optimum, that is its root.
      const bool smooth = testing::penalty_of(problem).l2_strength() > 0;
      const double gap = certify(problem, w).relative_gap;
      EXPECT_LE(gap, 1e3 * (smooth ? suboptimality : std::sqrt(suboptimality)));
    }
  }
}

TEST(Certificate, WithoutAPenaltyItIsTheProxGradientStep) {
  const auto sample = testing::random_sample(40, 3, 12);
  ProblemSpec spec;
  spec.loss.kind = LossKind::squared;
  spec.penalty.kind = PenaltyKind::none;
  const Problem problem(sample.data(sample.table.dense<double>(), spec.loss), spec);
  const auto slow = testing::solve_slowly(problem);
  const Certificate at_optimum = certify(problem, slow.w);
  EXPECT_EQ(at_optimum.kind, Certificate::Kind::prox_gradient);
  EXPECT_TRUE(std::isnan(at_optimum.dual));
  EXPECT_LE(at_optimum.relative_gap, 1e-6);
  EXPECT_GE(certify(problem, Vector(4, 1.0)).relative_gap, 1e-3);
}

TEST(Certificate, APointThatIsNotANumberIsInfinitelyFar) {
  const auto sample = testing::random_sample(20, 3, 13);
  const Problem problem(sample.data(sample.table.dense<double>(), {}), {});
  EXPECT_TRUE(std::isinf(certify(problem, Vector(4, std::nan(""))).relative_gap));
}

}  // namespace
}  // namespace s3gd
