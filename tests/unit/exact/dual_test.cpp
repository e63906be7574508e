// Dual coordinate ascent against the reference solver.
#include <gtest/gtest.h>

#include <functional>

#include "exact/dual_ascent.hpp"
#include "exact/finisher.hpp"
#include "problem/constant_model.hpp"
#include "support/random_problem.hpp"

namespace s3gd {
namespace {

using namespace s3gd::testing;

// Newton tells of objectives, the ascent does not: so a test can see which of them did the work.
class Recorder : public Progress {
 public:
  bool moved(std::span<const double> w, double passes, double objective, double) override {
    EXPECT_GE(passes, passes_);
    passes_ = passes;
    newton_ += std::isnan(objective) ? 0 : 1;
    last_.assign(w.begin(), w.end());
    return ++calls_ < most_;
  }
  bool must_stop() const override { return must_stop_; }

  int calls_ = 0, newton_ = 0, most_ = 1 << 30;
  bool must_stop_ = false;
  double passes_ = 0;
  Vector last_;
};

Problem make(const Dataset& data, const LossSpec& loss, Intercept intercept, double lambda, int threads = 1) {
  ProblemSpec spec;
  spec.loss = loss;
  spec.intercept = intercept;
  spec.penalty.lambda = lambda;
  spec.threads = threads;
  return Problem(data, spec);
}

Vector zeros(const Problem& problem) { return Vector(static_cast<std::size_t>(problem.dim())); }

Finish solve(const Problem& problem, double tol, Recorder& recorder, std::uint64_t seed = 0) {
  return finish_by_dual_ascent({problem, tol, seed}, zeros(problem), recorder);
}

// Converged, and the gap is not smaller than what is left.
void expect_optimal(const Problem& problem, const Finish& finish, double tol) {
  EXPECT_EQ(finish.end, FinishEnd::converged);
  EXPECT_LE(finish.certificate.relative_gap, tol);
  const Optimum optimum = solve_reference(problem);
  const double value = objective(problem, finish.w);
  EXPECT_EQ(finish.certificate.primal, certify(problem, finish.w).primal);
  EXPECT_LE(value - optimum.objective, finish.certificate.relative_gap * value + 1e-14 * value);
}

TEST(DualAscent, EveryLossInterceptWeightAndLayoutReachesTheOptimum) {
  const Sample sample = random_sample(80, 12, 5);
  for (const LossSpec& loss : bounded_losses())
    for (const Intercept intercept : kIntercepts)
      for (const bool weighted : {false, true})
        for (const Matrix& x : sample.table.layouts())
          for (const double tol : {1e-6, 1e-11}) {
            const Problem problem = make(sample.data(x, loss, weighted), loss, intercept, 0.1);
            SCOPED_TRACE(problem.formula());
            Recorder recorder;
            const Finish finish = solve(problem, tol, recorder);
            expect_optimal(problem, finish, tol);
            EXPECT_EQ(recorder.newton_, 0) << "weighted " << weighted << ", tol " << tol;
            EXPECT_DOUBLE_EQ(finish.w.front(), recorder.last_.front());
          }
}

TEST(DualAscent, PenaltyFactorsAreItsOwnScalesOfTheFeatures) {
  const Sample sample = random_sample(60, 8, 6);
  for (const Matrix& x : sample.table.layouts()) {
    ProblemSpec spec;
    spec.penalty.lambda = 0.1;
    for (int j = 0; j < 8; ++j) spec.penalty.factors.push_back(0.5 + j);
    const Problem problem(sample.data(x, spec.loss), spec);
    ASSERT_TRUE(kRidgeAlone.met(problem));
    Recorder recorder;
    expect_optimal(problem, solve(problem, 1e-11, recorder), 1e-11);
    EXPECT_EQ(recorder.newton_, 0);
  }
}

TEST(DualAscent, AppliesToL2OnEveryFeatureAlone) {
  const Sample sample = random_sample(20, 4, 7);
  const auto applies = [&](PenaltyKind kind, const Vector& factors = {}) {
    ProblemSpec spec;
    spec.penalty.kind = kind;
    spec.penalty.factors = factors;
    return kRidgeAlone.met(Problem(sample.data(sample.table.dense<float>(), spec.loss), spec));
  };
  EXPECT_TRUE(applies(PenaltyKind::l2));
  EXPECT_TRUE(applies(PenaltyKind::l2, {1, 2, 3, 4}));
  EXPECT_FALSE(applies(PenaltyKind::l2, {1, 0, 3, 4}));
  for (const PenaltyKind kind : {PenaltyKind::l1, PenaltyKind::elastic_net, PenaltyKind::l1_l2norm, PenaltyKind::none})
    EXPECT_FALSE(applies(kind));
}

TEST(DualAscent, SuitsSparseRowsThatAreWideOrLooselyCoupled) {
  const auto suits = [](Index cols, double lambda, bool dense) {
    const Sample sample = random_sample(50, cols, 7, 0.1);
    const LossSpec loss;
    const Matrix x = dense ? sample.table.dense<float>() : sample.table.csr<float, std::int32_t>();
    return find_finisher("dual")->suits(make(sample.data(x, loss), loss, Intercept::free, lambda));
  };
  EXPECT_TRUE(suits(2000, 1e-6, false));
  EXPECT_TRUE(suits(10, 1, false));
  EXPECT_FALSE(suits(10, 1e-6, false));
  EXPECT_FALSE(suits(10, 1, true));
}

// A row visited until nothing moves solves the problem that has this row alone.
TEST(DualAscent, AVisitSolvesItsRow) {
  const Sample sample = random_sample(30, 5, 8, 1.0);
  for (const LossSpec& loss : bounded_losses())
    for (const double lambda : {1.0, 1e-2, 1e-6}) {  // from loosely to tightly coupled
      const Dataset data = sample.data(sample.table.dense<double>(), loss);
      const Problem problem = make(data, loss, Intercept::regularised, lambda);
      const auto& view = std::get<DenseView<double>>(problem.x().view());
      DualAscent<DenseView<double>, double> ascent(problem, view);
      ascent.set_damping(0);
      const std::vector<Index> again(40, 3);
      ascent.visit(again, false);
      Vector w = zeros(problem);
      ascent.parameters(w);
      double u = w.back();
      for (Index j = 0; j < 5; ++j) u += w[static_cast<std::size_t>(j)] * view.row(3)[j];
      const double a = -Loss(loss).slope(u, problem.targets()[3]) / 30;
      for (Index j = 0; j < 5; ++j)
        EXPECT_NEAR(2 * lambda * w[static_cast<std::size_t>(j)], a * view.row(3)[j], 1e-9 * (std::abs(a) + 1e-3));
      EXPECT_NEAR(2 * lambda * w.back(), a, 1e-9 * (std::abs(a) + 1e-3));
    }
}

// Streaming over k rows until they are known is the problem of those rows: their weights add up to the total.
TEST(DualAscent, StreamingGivesTheRowsSeenTheWholeWeight) {
  const Sample sample = random_sample(40, 5, 9, 1.0);
  const LossSpec loss{LossKind::squared, 1};
  const Problem problem = make(sample.data(sample.table.dense<double>(), loss), loss, Intercept::none, 0.5);
  const auto& view = std::get<DenseView<double>>(problem.x().view());
  DualAscent<DenseView<double>, double> ascent(problem, view);
  ascent.set_damping(0);
  const std::vector<Index> first{7};
  ascent.visit(first, true);
  Vector w = zeros(problem);
  ascent.parameters(w);
  // One row of weight 1: minimise (w.x - y)^2 + 0.5 |w|^2, that is w = x y / (|x|^2 + 0.5).
  const double square = row_square(view, 7), y = problem.targets()[7];
  for (Index j = 0; j < 5; ++j) EXPECT_NEAR(w[static_cast<std::size_t>(j)], view.row(7)[j] * y / (square + 0.5), 1e-12);
}

TEST(DualAscent, TheConstantModelIsTheBest) {
  const Sample sample = random_sample(50, 3, 10);
  for (const LossSpec& loss : bounded_losses())
    for (const double l2 : {0.0, 0.2}) {
      const Intercept intercept = l2 == 0 ? Intercept::free : Intercept::regularised;
      const Problem problem = make(sample.data(sample.table.dense<double>(), loss, true), loss, intercept, 0.2);
      const ConstantModel model = best_constant(problem, l2);
      const auto value = [&](double b) {
        Vector w = zeros(problem);
        w.back() = b;
        return objective(problem, w);
      };
      EXPECT_NEAR(value(model.b), model.loss + l2 * model.b * model.b, 1e-12);
      EXPECT_LE(value(model.b), value(model.b + 1e-3) + 1e-12);
      EXPECT_LE(value(model.b), value(model.b - 1e-3) + 1e-12);
      Vector slope = zeros(problem);
      Vector w = zeros(problem);
      w.back() = model.b;
      smooth_gradient(problem, w, slope);
      EXPECT_NEAR(slope.back() + 2 * l2 * model.b, 0, 1e-9);
    }
}

TEST(DualAscent, AnOptimalStartIsOnlyCertifiedAndANearOneIsUsed) {
  const Sample sample = random_sample(200, 10, 11);
  const LossSpec loss;
  const Problem problem =
      make(sample.data(sample.table.csr<double, std::int32_t>(), loss), loss, Intercept::free, 0.05);
  const Vector best = solve_reference(problem).w;
  Recorder recorder;
  const Finish same = finish_by_dual_ascent({problem, 1e-8}, best, recorder);
  EXPECT_EQ(same.w, best);
  EXPECT_EQ(same.passes, 1);
  EXPECT_EQ(recorder.calls_, 0);

  Vector near = best;
  for (double& v : near) v *= 1.001;
  ASSERT_LT(certify(problem, near).relative_gap, 1e-3);
  expect_optimal(problem, finish_by_dual_ascent({problem, 1e-11}, near, recorder), 1e-11);
  EXPECT_EQ(recorder.newton_, 0);
}

TEST(DualAscent, StopsWhenToldAndAnswersWithWhatItHas) {
  const Sample sample = random_sample(400, 6, 12);
  const LossSpec loss;
  const Problem problem = make(sample.data(sample.table.csr<float, std::int32_t>(), loss), loss, Intercept::free, 1e-3);
  for (const int calls : {1, 3, 8, 9}) {
    Recorder recorder;
    recorder.most_ = calls;
    const Finish finish = solve(problem, 1e-12, recorder);
    EXPECT_EQ(recorder.calls_, calls);
    EXPECT_EQ(finish.end, FinishEnd::stopped);
    EXPECT_EQ(finish.certificate.relative_gap, certify(problem, finish.w).relative_gap);
  }
  Recorder at_once;
  at_once.must_stop_ = true;
  EXPECT_EQ(solve(problem, 1e-12, at_once).end, FinishEnd::stopped);
  EXPECT_EQ(at_once.calls_, 0);
  Recorder recorder;
  const Finish two = finish_by_dual_ascent({problem, 1e-12, 0, 2}, zeros(problem), recorder);
  EXPECT_EQ(two.end, FinishEnd::stopped);
  EXPECT_EQ(two.iterations, 2);
}

TEST(DualAscent, SameBitsAtAnyNumberOfThreadsAndOthersWithAnotherSeed) {
  const Sample sample = random_sample(300, 20, 13);
  const LossSpec loss;
  const Dataset data = sample.data(sample.table.csr<float, std::int32_t>(), loss);
  Recorder recorder;
  const Vector expected = solve(make(data, loss, Intercept::free, 1e-2), 1e-9, recorder).w;
  for (const int threads : {1, 2, 7}) {
    Recorder other;
    EXPECT_EQ(solve(make(data, loss, Intercept::free, 1e-2, threads), 1e-9, other).w, expected);
  }
  Recorder other;
  EXPECT_NE(solve(make(data, loss, Intercept::free, 1e-2), 1e-9, other, 1).w, expected);
}

// Data that breaks assumptions; Newton may help out here.
struct Odd {
  const char* name;
  double lambda;
  std::function<Sample()> make;
};

Sample with(Sample sample, const std::function<double(Index i, Index j, double value)>& change) {
  for (Index i = 0; i < sample.table.rows; ++i)
    for (Index j = 0; j < sample.table.cols; ++j) {
      double& value = sample.table.values[static_cast<std::size_t>(i * sample.table.cols + j)];
      value = static_cast<float>(change(i, j, value));
    }
  return sample;
}

const Odd kOdd[] = {
    {"zero rows", 0.01,
     [] { return with(random_sample(50, 6, 1), [](Index i, Index, double v) { return i % 3 == 0 ? 0 : v; }); }},
    {"all zero", 0.01, [] { return with(random_sample(20, 3, 2), [](Index, Index, double) { return 0.0; }); }},
    {"zero columns", 0.01,
     [] { return with(random_sample(50, 6, 3), [](Index, Index j, double v) { return j % 2 == 0 ? 0 : v; }); }},
    {"duplicate rows", 0.01,
     [] { return with(random_sample(50, 6, 4), [](Index, Index j, double) { return 1.0 + static_cast<double>(j); }); }},
    {"constant column", 0.01,
     [] { return with(random_sample(50, 6, 4), [](Index, Index j, double v) { return j == 0 ? 1.0 : v; }); }},
    {"two rows", 0.1, [] { return random_sample(2, 3, 5); }},
    {"wide", 0.001, [] { return random_sample(20, 200, 6); }},
    {"one feature", 0.01, [] { return random_sample(100, 1, 7); }},
    {"separable, tiny lambda", 1e-8, [] { return random_sample(40, 20, 8, 1.0, 0.0); }},
    {"small scale", 1e-3,
     [] { return with(random_sample(60, 5, 9), [](Index, Index, double v) { return 1e-5 * v; }); }},
    {"large scale", 1e-3,
     [] { return with(random_sample(60, 5, 10), [](Index, Index, double v) { return 1e3 * v; }); }},
    {"large lambda", 100, [] { return random_sample(60, 5, 11); }},
    {"imbalance", 1e-3,
     [] {
       Sample sample = random_sample(1000, 5, 12);
       for (std::size_t i = 0; i < 1000; ++i) sample.classes[i] = i == 500 ? 1.0 : 0.0;
       return sample;
     }},
};

TEST(DualAscent, OddDataConvergesToo) {
  for (const Odd& odd : kOdd)
    for (const LossSpec& loss : bounded_losses())
      for (const Intercept intercept : kIntercepts)
        for (const bool single : {false, true}) {
          const Sample sample = odd.make();
          const Matrix x = single ? sample.table.csr<float, std::int32_t>() : sample.table.dense<double>();
          const Problem problem = make(sample.data(x, loss), loss, intercept, odd.lambda);
          SCOPED_TRACE(odd.name + (": " + problem.formula()));
          Recorder recorder;
          expect_optimal(problem, solve(problem, 1e-7, recorder), 1e-7);
        }
}

// w in float: its rounding shows below about 1e-9, more with features that all rows share.
TEST(DualAscent, WideFloatDataConvergesFarBelowTheRoundingOfFloat) {
  const Index cols = 9000;
  Rng rng(15);
  Table table{400, cols, Vector(static_cast<std::size_t>(400 * cols))};
  for (Index i = 0; i < 400; ++i)
    for (Index k = 0; k < 40; ++k)
      table.values[static_cast<std::size_t>(i * cols + (k < 20 ? k : rng.below(cols)))] =
          static_cast<float>(3 + rng.normal());
  Sample sample = random_sample(400, 1, 15);
  sample.table = table;
  for (const LossSpec& loss : bounded_losses())
    for (const Intercept intercept : kIntercepts) {
      const Dataset data = sample.data(table.csr<float, std::int32_t>(), loss);
      const Problem problem = make(data, loss, intercept, 0.1);
      Recorder recorder;
      expect_optimal(problem, solve(problem, 1e-9, recorder), 1e-9);
    }
}

TEST(DualAscent, OneRowOfRegression) {
  Sample sample = random_sample(1, 4, 14, 1.0);
  const LossSpec loss{LossKind::squared, 1};
  for (const Intercept intercept : {Intercept::none, Intercept::regularised}) {
    const Problem problem = make(sample.data(sample.table.dense<float>(), loss), loss, intercept, 0.3);
    Recorder recorder;
    expect_optimal(problem, solve(problem, 1e-10, recorder), 1e-10);
  }
}

}  // namespace
}  // namespace s3gd
