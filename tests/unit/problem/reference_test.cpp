#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include <unistd.h>

#include "base/index.hpp"
#include "problem/hessian.hpp"
#include "problem/loss.hpp"
#include "problem/penalty.hpp"
#include "problem/reference_cache.hpp"
#include "s3gd/error.hpp"
#include "support/slow_solver.hpp"

namespace s3gd {
namespace {

using testing::Vector;

std::vector<PenaltySpec> penalties() {
  using enum PenaltyKind;
  return {{l2, 0.05, 0.5, {}, {}},
          {l2, 1e-4, 0.5, {}, {}},
          {l1, 0.02, 0.5, {}, {}},
          {l1, 0.001, 0.5, {}, {}},
          {elastic_net, 0.05, 0.3, {}, {}},
          {l1_l2norm, 0.05, 0.5, {}, {}},
          {l1_l2norm, 0.02, 0.5, {}, {{l2, 0.01, 0.5, {}, {}}}},
          {l1, 0.02, 0.5, {1, 2, 0.5, 1, 3, 1, 1, 4}, {}}};
}

TEST(Reference, ReachesTheOptimumOfEveryProblem) {
  const auto sample = testing::random_sample(60, 8, 21);
  for (const auto& loss : testing::all_losses())
    for (const auto& penalty : penalties())
      for (const auto intercept : testing::kIntercepts)
        for (const bool sparse : {false, true}) {
          ProblemSpec spec{loss, penalty, intercept, ClassWeight::none, "", 0};
          const Matrix x = sparse ? sample.table.csr<float, std::int32_t>() : sample.table.dense<double>();
          const Problem problem(sample.data(x, loss, sparse), spec);
          SCOPED_TRACE(problem.formula());
          const Optimum optimum = solve_reference(problem);
          EXPECT_LE(optimum.certificate.relative_gap, 1e-12);
          EXPECT_LE(optimum.iterations, 60);
          EXPECT_DOUBLE_EQ(optimum.objective, optimum.certificate.primal);
        }
}

TEST(Reference, AgreesWithTheSlowSolver) {
  const auto sample = testing::random_sample(60, 8, 22);
  for (const auto& loss : testing::all_losses()) {
    ProblemSpec spec;
    spec.loss = loss;
    spec.penalty = {PenaltyKind::elastic_net, 0.05, 0.5, {}, {}};
    const Problem problem(sample.data(sample.table.dense<float>(), loss), spec);
    const auto slow = testing::solve_slowly(problem);
    OptimumOptions options;
    options.tol = 0;  // as far as double goes
    const Optimum fast = solve_reference(problem, options);
    for (std::size_t j = 0; j < slow.w.size(); ++j) EXPECT_NEAR(fast.w[j], slow.w[j], 1e-8);
  }
}

// How near to feasible a dual point made of slopes can be: a margin is the sum of terms w_k x_ik, each with a rounding, which
// reaches the gradient of column j by the curvature, and is measured there against the threshold of the 1-norm. Rows round
// independently of each other.
double rounding_of_a_dual_point(const Problem& problem, const std::vector<double>& x, const std::vector<double>& w) {
  const Loss loss(problem.spec().loss);
  const Penalty penalty(problem);
  std::vector<double> error(at(problem.cols()), 0.0);
  for (Index i = 0; i < problem.rows(); ++i) {
    const double* row = x.data() + i * problem.cols();
    double u = w.back(), terms = std::abs(w.back());
    for (Index k = 0; k < problem.cols(); ++k) {
      u += w[at(k)] * row[k];
      terms += std::abs(w[at(k)] * row[k]);
    }
    const double curvature = loss.curvature(u, problem.targets()[at(i)]);
    for (Index j = 0; j < problem.cols(); ++j)
      error[at(j)] = std::hypot(error[at(j)], problem.weight(i) * curvature * row[j] * terms);
  }
  double worst = 0;
  for (Index j = 0; j < problem.cols(); ++j)
    if (penalty.l1_of(j) > 0) worst = std::max(worst, error[at(j)] / penalty.l1_of(j));
  return std::numeric_limits<double>::epsilon() * worst;
}

// Columns 1e-4 to 1e4 apart in scale, lambda = 1/n.
TEST(Reference, FeaturesOnBadScalesAreNoObstacle) {
  auto sample = testing::random_sample(200, 12, 23, 1.0);
  for (Index i = 0; i < 200; ++i)
    for (Index j = 0; j < 12; ++j)
      sample.table.values[static_cast<std::size_t>(i * 12 + j)] *= std::pow(10.0, static_cast<double>(j % 9) - 4.0);
  for (const auto kind : {PenaltyKind::l2, PenaltyKind::l1, PenaltyKind::elastic_net})
    for (const auto& loss : testing::all_losses()) {
      ProblemSpec spec;
      spec.loss = loss;
      spec.penalty = {kind, 1.0 / 200, 0.5, {}, {}};
      const Problem problem(sample.data(sample.table.dense<double>(), loss), spec);
      SCOPED_TRACE(problem.formula());
      const Optimum optimum = solve_reference(problem);
      const double rounding = rounding_of_a_dual_point(problem, sample.table.values, optimum.w);
      EXPECT_LE(optimum.certificate.relative_gap, std::max(1e-11, rounding));
    }
}

TEST(Reference, WithoutAPenaltyTheGradientVanishes) {
  const auto sample = testing::random_sample(80, 4, 24);
  for (const auto& loss : testing::all_losses()) {
    ProblemSpec spec;
    spec.loss = loss;
    spec.penalty.kind = PenaltyKind::none;
    const Problem problem(sample.data(sample.table.dense<double>(), loss), spec);
    const Optimum optimum = solve_reference(problem);
    EXPECT_EQ(optimum.certificate.kind, Certificate::Kind::prox_gradient);
    EXPECT_LE(optimum.certificate.relative_gap, 1e-12);
  }
}

// More columns than are factorised, so conjugate gradients do it.
TEST(Reference, WideSparseDataIsSolvedByConjugateGradients) {
  const auto sample = testing::random_sample(120, 1800, 25, 0.02);
  for (const auto kind : {PenaltyKind::l2, PenaltyKind::l1}) {
    ProblemSpec spec;
    spec.penalty = {kind, 0.002, 0.5, {}, {}};
    const Problem problem(sample.data(sample.table.csr<float, std::int32_t>(), {}), spec);
    const Optimum optimum = solve_reference(problem);
    EXPECT_LE(optimum.certificate.relative_gap, 1e-12);
    if (kind == PenaltyKind::l2) {
      EXPECT_EQ(optimum.method, "newton-cg");
    }
  }
}

// Rows of scales far apart, hardly penalised: the products for one direction cost more than a factor.
TEST(Reference, WhereConjugateGradientsAreSlowAFactorTakesOver) {
  auto sample = testing::random_sample(400, 1510, 27, 0.3);
  for (Index i = 0; i < 400; ++i)
    for (Index j = 0; j < 1510; ++j)
      sample.table.values[static_cast<std::size_t>(i * 1510 + j)] *= std::pow(10.0, static_cast<double>(i % 7) - 3.0);
  ProblemSpec spec;
  spec.penalty = {PenaltyKind::l2, 1e-9, 0.5, {}, {}};
  const Problem problem(sample.data(sample.table.csr<double, std::int32_t>(), {}), spec);
  OptimumOptions options;
  options.tol = 1e-4;
  const Optimum optimum = solve_reference(problem, options);
  EXPECT_EQ(optimum.method, "newton");
  EXPECT_LE(optimum.certificate.relative_gap, 1e-4);
}

TEST(Reference, TheSameBitsAtOneTwoAndSevenThreads) {
  const auto sample = testing::random_sample(3000, 30, 26);
  Vector first;
  for (const int threads : {1, 2, 7}) {
    ProblemSpec spec;
    spec.threads = threads;
    const Problem problem(sample.data(sample.table.dense<float>(), {}), spec);
    const Vector w = solve_reference(problem).w;
    if (first.empty()) first = w;
    EXPECT_EQ(w, first);
  }
}

TEST(Reference, LimitsAreKeptAndAWrongStartIsRefused) {
  const auto sample = testing::random_sample(60, 8, 27);
  const Problem problem(sample.data(sample.table.dense<double>(), {}), {});
  OptimumOptions options;
  options.max_iterations = 1;
  EXPECT_EQ(solve_reference(problem, options).iterations, 1);
  options.start = {1, 2};
  EXPECT_THROW(solve_reference(problem, options), Error);
  options.start = solve_reference(problem).w;
  EXPECT_EQ(solve_reference(problem, options).iterations, 0) << "a solved start needs no step";
}

TEST(Hessian, EqualsTheSumOfOuterProductsInEveryLayout) {
  const auto sample = testing::random_sample(300, 9, 28);
  for (const auto& x : sample.table.layouts()) {
    const Problem problem(sample.data(x, {}), {});
    Vector h(300);
    for (std::size_t i = 0; i < h.size(); ++i) h[i] = i % 7 == 0 ? 0.0 : 0.01 * static_cast<double>(i);
    const std::vector<Index> chosen = {1, 4, 5, 9};
    const Vector matrix = hessian(problem, h, chosen), diagonal = hessian_diagonal(problem, h);
    const auto entry = [&](Index i, Index j) { return j == 9 ? 1.0 : sample.table.at(i, j); };
    for (Index a = 0; a < 4; ++a)
      for (Index b = 0; b <= a; ++b) {
        double expected = 0;
        for (Index i = 0; i < 300; ++i)
          expected += h[static_cast<std::size_t>(i)] * entry(i, chosen[static_cast<std::size_t>(a)]) *
                      entry(i, chosen[static_cast<std::size_t>(b)]);
        EXPECT_NEAR(matrix[static_cast<std::size_t>(4 * a + b)], expected, 1e-10);
        if (a == b) {
          EXPECT_NEAR(diagonal[static_cast<std::size_t>(chosen[static_cast<std::size_t>(a)])], expected, 1e-10);
        }
      }
    Vector p(10, 0.0), hp(10);
    p[4] = 1;
    hessian_times(problem, h, p, hp);
    EXPECT_NEAR(hp[5], matrix[4 * 2 + 1], 1e-10);
  }
}

class CacheFolder : public ::testing::Test {
 protected:
  CacheFolder() {
    folder_ = ::testing::TempDir() + "/s3gd-reference-" + std::to_string(::getpid());
    std::filesystem::remove_all(folder_);
  }
  ~CacheFolder() override { std::filesystem::remove_all(folder_); }
  std::string folder_;
};

TEST_F(CacheFolder, KeepsOptimaByContentAndIgnoresDamagedFiles) {
  const auto sample = testing::random_sample(60, 8, 29);
  const Problem problem(sample.data(sample.table.dense<double>(), {}), {});
  OptimumOptions options;
  options.cache_folder = folder_;
  const Optimum computed = solve_reference(problem, options), cached = solve_reference(problem, options);
  EXPECT_EQ(cached.method, "cached");
  EXPECT_EQ(cached.w, computed.w);
  EXPECT_EQ(cached.objective, computed.objective);

  ProblemSpec other;
  other.penalty.lambda = 0.5;
  const Problem another(sample.data(sample.table.dense<double>(), {}), other);
  EXPECT_NE(solve_reference(another, options).method, "cached");

  const std::string path = ReferenceCache(problem, folder_).path();
  for (const char* damage : {"", "s3gdopt1", "anything else that is long enough to look like a header of some file"}) {
    std::ofstream(path, std::ios::binary) << damage;
    const Optimum again = solve_reference(problem, options);
    EXPECT_NE(again.method, "cached");
    EXPECT_EQ(again.w, computed.w);
  }
}

}  // namespace
}  // namespace s3gd
