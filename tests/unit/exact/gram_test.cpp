#include <gtest/gtest.h>

#include <cmath>

#include "exact/finisher.hpp"
#include "s3gd/path.hpp"
#include "support/random_problem.hpp"

namespace s3gd {
namespace {

using testing::Sample;
using testing::Vector;

constexpr LossSpec kSquared{LossKind::squared, 10.0};

class Silent : public Progress {
 public:
  bool moved(std::span<const double> w, double, double objective, double) override {
    last_w.assign(w.begin(), w.end());
    last_objective = objective;
    return ++moves < allowed_moves;
  }
  bool must_stop() const override { return stopped; }
  int moves = 0, allowed_moves = 1 << 30;
  bool stopped = false;
  Vector last_w;
  double last_objective = 0;
};

std::size_t at(Index j) { return static_cast<std::size_t>(j); }

Finish finish(const Problem& problem, double tol = 1e-11, const char* name = "gram", Vector start = {}) {
  Silent progress;
  return find_finisher(name)->run({problem, tol}, std::move(start), progress);
}

std::vector<Finish> along(const char* name, const Problem& problem, const Vector& lambdas, double tol) {
  Silent progress;
  const auto sequence = find_finisher(name)->sequence(problem, Vector(at(problem.dim()), 0.0));
  std::vector<Finish> found;
  for (const double lambda : lambdas) found.push_back(sequence->next({with_lambda(problem, lambda), tol}, progress));
  return found;
}

Vector falling(double from, double ratio, int count) {
  Vector lambdas;
  for (int k = 0; k < count; ++k) lambdas.push_back(from * std::pow(ratio, k));
  return lambdas;
}

Vector column_of(const Problem& problem, Index j) {
  Vector column(at(problem.rows()), 1.0);
  if (j == problem.cols()) return column;
  problem.x().visit([&](const auto& view) {
    for (Index i = 0; i < problem.rows(); ++i) {
      if constexpr (requires { view.stride; }) {
        column[at(i)] = static_cast<double>(view.row(i)[j]);
      } else {
        column[at(i)] = 0;
        for (auto k = view.starts[i]; k < view.starts[i + 1]; ++k)
          if (static_cast<Index>(view.columns[k]) == j) column[at(i)] = static_cast<double>(view.values[k]);
      }
    }
  });
  return column;
}

// One coordinate after the other, each to its minimum, the residuals kept row by row.
Vector descend_slowly(const Problem& problem, int sweeps) {
  const Penalty penalty = testing::penalty_of(problem);
  Vector w(at(problem.dim()), 0.0), residual(at(problem.rows()));
  for (Index i = 0; i < problem.rows(); ++i) residual[at(i)] = -problem.targets()[at(i)];
  std::vector<Vector> columns;
  for (Index j = 0; j < problem.dim(); ++j) columns.push_back(column_of(problem, j));
  for (int sweep = 0; sweep < sweeps; ++sweep)
    for (Index j = 0; j < problem.dim(); ++j) {
      double slope = 0, curvature = 2 * penalty.l2_of(j);
      for (Index i = 0; i < problem.rows(); ++i) {
        const double x = columns[at(j)][at(i)];
        slope += 2 * problem.weight(i) * x * (residual[at(i)] - x * w[at(j)]);
        curvature += 2 * problem.weight(i) * x * x;
      }
      if (curvature == 0) continue;
      const double kept = std::max(0.0, std::abs(slope) - penalty.l1_of(j));
      const double next = (slope > 0 ? -kept : kept) / curvature;
      for (Index i = 0; i < problem.rows(); ++i) residual[at(i)] += columns[at(j)][at(i)] * (next - w[at(j)]);
      w[at(j)] = next;
    }
  return w;
}

std::vector<PenaltySpec> penalties() {
  using enum PenaltyKind;
  return {{l1, 0.05, 0.5, {}, {}},
          {l1, 0.001, 0.5, {}, {}},
          {elastic_net, 0.05, 0.3, {}, {}},
          {l2, 0.05, 0.5, {}, {}},
          {none, 0.0, 0.5, {}, {}},
          {l1, 0.02, 0.5, {1, 2, 0.5, 1, 3, 1, 1, 4}, {}},
          {l1, 0.02, 0.5, {1, 2, 0.5, 1, 3, 1, 1, 4}, {{l2, 0.1, 0.5, {1, 0, 1, 2, 1, 1, 5, 1}, {}}}},
          {l1, 0.02, 0.5, {1, 0, 1, 1, 0, 1, 1, 1}, {}}};
}

TEST(Gram, AgreesWithCoordinateDescentAlongTheRows) {
  const auto sample = testing::random_sample(60, 8, 21);
  for (const auto& penalty : penalties())
    for (const auto intercept : testing::kIntercepts)
      for (const bool weighted : {false, true}) {
        const ProblemSpec spec{kSquared, penalty, intercept, ClassWeight::none, "", 0};
        const Problem first(sample.data(sample.table.dense<double>(), kSquared, weighted), spec);
        const double best = objective(first, descend_slowly(first, 500));
        for (const auto& x : sample.table.layouts()) {
          const Problem problem(sample.data(x, kSquared, weighted), spec);
          SCOPED_TRACE(problem.formula());
          ASSERT_TRUE(find_finisher("gram")->suits(problem));
          const Finish found = finish(problem);
          EXPECT_EQ(found.end, FinishEnd::converged);
          EXPECT_NEAR(objective(problem, found.w), best, 1e-10 * best);
          EXPECT_NEAR(found.certificate.primal, objective(problem, found.w), 1e-13 * best);
        }
      }
}

// (X'QX + lambda I) w = X'Qy, eliminated by hand.
TEST(Gram, RidgeSolvesTheNormalEquations) {
  const auto sample = testing::random_sample(90, 6, 22);
  ProblemSpec spec{kSquared, {PenaltyKind::l2, 0.07, 0.5, {}, {}}, Intercept::regularised, ClassWeight::none, "", 0};
  const Problem problem(sample.data(sample.table.dense<double>(), kSquared, true), spec);
  const Index d = problem.dim();
  std::vector<Vector> a(at(d), Vector(at(d + 1), 0.0));
  for (Index j = 0; j < d; ++j) {
    const Vector xj = column_of(problem, j);
    a[at(j)][at(j)] = 0.07;
    for (Index i = 0; i < problem.rows(); ++i)
      a[at(j)][at(d)] += problem.weight(i) * xj[at(i)] * problem.targets()[at(i)];
    for (Index k = 0; k < d; ++k) {
      const Vector xk = column_of(problem, k);
      for (Index i = 0; i < problem.rows(); ++i) a[at(j)][at(k)] += problem.weight(i) * xj[at(i)] * xk[at(i)];
    }
  }
  for (Index p = 0; p < d; ++p)
    for (Index r = 0; r < d; ++r)
      if (const double factor = a[at(r)][at(p)] / a[at(p)][at(p)]; r != p)
        for (Index k = 0; k <= d; ++k) a[at(r)][at(k)] -= factor * a[at(p)][at(k)];
  const Finish found = finish(problem, 1e-13);
  for (Index j = 0; j < d; ++j) EXPECT_NEAR(found.w[at(j)], a[at(j)][at(d)] / a[at(j)][at(j)], 1e-7);
}

TEST(Gram, APathIsThatOfTheRows) {
  const auto sample = testing::random_sample(400, 40, 23, 0.4, 2.0);
  for (const auto kind : {PenaltyKind::l1, PenaltyKind::elastic_net})
    for (const auto intercept : testing::kIntercepts)
      for (const bool factors : {false, true}) {
        ProblemSpec spec{kSquared, {kind, 1, 0.3, {}, {}}, intercept, ClassWeight::none, "", 0};
        if (factors)
          for (int j = 0; j < 40; ++j) spec.penalty.factors.push_back(j == 5 ? 0 : 1 + 0.1 * j);
        const Problem problem(sample.data(sample.table.csr<float, std::int32_t>(), kSquared, true), spec);
        const Vector lambdas = falling(3, 0.7, 25);
        const auto ours = along("gram", problem, lambdas, 1e-12), rows = along("active-set", problem, lambdas, 1e-12);
        for (std::size_t k = 0; k < lambdas.size(); ++k) {
          SCOPED_TRACE(with_lambda(problem, lambdas[k]).formula());
          EXPECT_EQ(ours[k].end, FinishEnd::converged);
          EXPECT_NEAR(ours[k].certificate.primal, rows[k].certificate.primal, 1e-10 * rows[k].certificate.primal);
          for (std::size_t j = 0; j < ours[k].w.size(); ++j)
            EXPECT_EQ(ours[k].w[j] != 0, rows[k].w[j] != 0) << "coordinate " << j;
        }
      }
}

TEST(Gram, TheGapIsThatOfTheRows) {
  const auto sample = testing::random_sample(400, 15, 34, 0.5);
  for (const auto& penalty : penalties())
    for (const auto intercept : testing::kIntercepts)
      for (const double tol : {0.1, 1e-2, 1e-4, 1e-6, 1e-8, 1e-10}) {
        ProblemSpec spec{kSquared, penalty, intercept, ClassWeight::none, "", 0};
        if (!penalty.factors.empty()) continue;
        const Problem problem(sample.data(sample.table.dense<float>(), kSquared, true), spec);
        SCOPED_TRACE(problem.formula());
        const Finish found = finish(problem, tol);
        const Certificate rows = certify(problem, found.w);
        EXPECT_EQ(found.certificate.kind, rows.kind);
        EXPECT_LE(rows.relative_gap, found.certificate.relative_gap + 1e-14);
        EXPECT_NEAR(rows.relative_gap, found.certificate.relative_gap, 1e-8);  // what rounding may do, at most
      }
}

TEST(Gram, RowsAreReadForTheFirstLambdaOnly) {
  const auto sample = testing::random_sample(500, 20, 24);
  ProblemSpec spec{kSquared, {PenaltyKind::l1, 1, 0.5, {}, {}}, Intercept::free, ClassWeight::none, "", 0};
  const Problem problem(sample.data(sample.table.dense<float>(), kSquared), spec);
  const auto found = along("gram", problem, falling(1, 0.6, 15), 1e-7);
  EXPECT_EQ(found[0].passes, 2);
  for (std::size_t k = 1; k < found.size(); ++k) EXPECT_EQ(found[k].passes, 0);
}

// A weight of k is the row k times over.
TEST(Gram, WeightsAreRepeatedRows) {
  auto sample = testing::random_sample(80, 7, 25);
  Sample repeated;
  repeated.table = {0, 7, {}};
  for (Index i = 0; i < 80; ++i) {
    const auto times = i % 4;
    sample.weights[at(i)] = static_cast<double>(times);
    for (Index k = 0; k < times; ++k) {
      for (Index j = 0; j < 7; ++j) repeated.table.values.push_back(sample.table.at(i, j));
      repeated.reals.push_back(sample.reals[at(i)]);
      ++repeated.table.rows;
    }
  }
  ProblemSpec spec{kSquared, {PenaltyKind::elastic_net, 0.1, 0.2, {}, {}}, Intercept::free, ClassWeight::none, "", 0};
  const Finish weighted = finish(Problem(sample.data(sample.table.dense<double>(), kSquared, true), spec), 1e-14);
  const Finish all = finish(Problem(repeated.data(repeated.table.dense<double>(), kSquared), spec), 1e-14);
  for (std::size_t j = 0; j < all.w.size(); ++j) EXPECT_NEAR(weighted.w[j], all.w[j], 1e-7);
}

TEST(Gram, SameBitsAtAnyNumberOfThreads) {
  const auto sample = testing::random_sample(20000, 30, 26, 0.3);
  for (const auto& x : sample.table.layouts()) {
    std::vector<std::vector<Finish>> runs;
    for (const int threads : {1, 2, 5}) {
      ProblemSpec spec{kSquared, {PenaltyKind::l1, 1, 0.5, {}, {}}, Intercept::free, ClassWeight::none, "", threads};
      runs.push_back(along("gram", Problem(sample.data(x, kSquared, true), spec), falling(2, 0.5, 8), 1e-9));
    }
    for (const auto& run : runs)
      for (std::size_t k = 0; k < run.size(); ++k) EXPECT_EQ(run[k].w, runs[0][k].w);
  }
}

// What is claimed of a point holds of it by the rows, to the rounding of these.
void expect_honest(const Problem& problem, const Finish& found, double tol) {
  SCOPED_TRACE(problem.formula());
  const Certificate rows = certify(problem, found.w);
  EXPECT_EQ(found.end, FinishEnd::converged);
  EXPECT_LE(found.certificate.relative_gap, tol);
  EXPECT_LE(rows.relative_gap, tol + 1e-14);
  EXPECT_LE(std::abs(rows.primal - found.certificate.primal), (tol + 1e-14) * rows.primal);
  EXPECT_LE(found.certificate.dual, rows.primal * (1 + 1e-14));
}

TEST(Gram, TheCertificateHoldsWhereTheFitIsNearlyPerfect) {
  for (const double noise : {1e-3, 1e-6, 1e-9}) {
    const auto sample = testing::random_sample(300, 12, 27, 1.0, noise);
    for (const auto kind : {PenaltyKind::l1, PenaltyKind::elastic_net})
      for (const double tol : {1e-3, 1e-6, 1e-9}) {
        ProblemSpec spec{kSquared, {kind, 1, 0.5, {}, {}}, Intercept::free, ClassWeight::none, "", 0};
        const Problem problem(sample.data(sample.table.dense<double>(), kSquared), spec);
        Vector lambdas = falling(1, 0.1, 12);
        // As far down as the digits of the rows can tell.
        while (!lambdas.empty() && tol * std::min(lambdas.back(), noise) < 1e-15) lambdas.pop_back();
        const auto found = along("gram", problem, lambdas, tol);
        for (std::size_t k = 0; k < lambdas.size(); ++k) expect_honest(with_lambda(problem, lambdas[k]), found[k], tol);
      }
  }
}

TEST(Gram, TheCertificateHoldsFarFromTheOrigin) {
  auto sample = testing::random_sample(300, 6, 28, 1.0);
  for (Index i = 0; i < 300; ++i) {
    sample.reals[at(i)] += 1e6;
    for (Index j = 0; j < 6; ++j) sample.table.values[at(i * 6 + j)] += j % 2 == 0 ? 0 : std::pow(10.0, j);
  }
  for (const double tol : {1e-3, 1e-6, 1e-8}) {
    ProblemSpec spec{kSquared, {PenaltyKind::l1, 1, 0.5, {}, {}}, Intercept::free, ClassWeight::none, "", 0};
    const Problem problem(sample.data(sample.table.dense<double>(), kSquared), spec);
    const Vector lambdas = falling(1, 0.3, 8);
    const auto found = along("gram", problem, lambdas, tol);
    for (std::size_t k = 0; k < lambdas.size(); ++k) {
      expect_honest(with_lambda(problem, lambdas[k]), found[k], tol);
      EXPECT_LT(found[k].certificate.primal, 100);
    }
  }
}

TEST(Gram, ConstantAndEmptyColumnsGetNoWeight) {
  auto sample = testing::random_sample(70, 8, 29, 1.0);
  for (Index i = 0; i < 70; ++i) {
    sample.table.values[at(i * 8 + 2)] = 0.1f;
    sample.table.values[at(i * 8 + 6)] = 0;
  }
  for (const auto& x : sample.table.layouts())
    for (const Vector& start : {Vector(9, 0.0), Vector(9, 0.7)}) {
      ProblemSpec spec{kSquared, {PenaltyKind::l1, 0.01, 0.5, {}, {}}, Intercept::free, ClassWeight::none, "", 0};
      const Problem problem(sample.data(x, kSquared), spec);
      const Finish found = finish(problem, 1e-10, "gram", start);
      EXPECT_EQ(found.w[2], 0);
      EXPECT_EQ(found.w[6], 0);
      expect_honest(problem, found, 1e-10);
      spec.penalty.factors = {1, 1, 0, 1, 1, 1, 0, 1};  // free to have any weight
      const Problem unpenalised(sample.data(x, kSquared), spec);
      EXPECT_NEAR(objective(unpenalised, finish(unpenalised, 1e-10, "gram", start).w), found.certificate.primal, 1e-9);
    }
}

TEST(Gram, DuplicatedColumnsShareTheirWeight) {
  auto sample = testing::random_sample(70, 8, 30, 1.0);
  Sample fewer = sample;
  fewer.table = {70, 5, {}};
  for (Index i = 0; i < 70; ++i) {
    for (Index j = 5; j < 8; ++j) sample.table.values[at(i * 8 + j)] = sample.table.at(i, j - 5);
    for (Index j = 0; j < 5; ++j) fewer.table.values.push_back(sample.table.at(i, j));
  }
  ProblemSpec spec{kSquared, {PenaltyKind::l1, 0.01, 0.5, {}, {}}, Intercept::free, ClassWeight::none, "", 0};
  const Problem doubled(sample.data(sample.table.dense<double>(), kSquared), spec);
  const Problem single(fewer.data(fewer.table.dense<double>(), kSquared), spec);
  const Finish found = finish(doubled, 1e-12), one = finish(single, 1e-12);
  expect_honest(doubled, found, 1e-12);
  EXPECT_NEAR(found.certificate.primal, one.certificate.primal, 1e-11);
  for (std::size_t j = 0; j < 3; ++j) EXPECT_NEAR(found.w[j] + found.w[j + 5], one.w[j], 1e-5);
}

TEST(Gram, EndsWhenAskedTo) {
  const auto sample = testing::random_sample(200, 10, 31);
  ProblemSpec spec{kSquared, {PenaltyKind::l1, 0.01, 0.5, {}, {}}, Intercept::free, ClassWeight::none, "", 0};
  const Problem problem(sample.data(sample.table.dense<float>(), kSquared), spec);
  Silent asked;
  asked.stopped = true;
  EXPECT_EQ(find_finisher("gram")->run({problem, 1e-8}, {}, asked).end, FinishEnd::stopped);
  Silent told;
  told.allowed_moves = 1;
  const Finish after_one = find_finisher("gram")->run({problem, 1e-8}, {}, told);
  EXPECT_EQ(after_one.w, told.last_w);  // what the step has gained is kept
  EXPECT_LT(objective(problem, after_one.w), 0.9 * objective(problem, Vector(at(problem.dim()), 0.0)));
  EXPECT_NEAR(objective(problem, told.last_w), told.last_objective, 1e-12);
  EXPECT_EQ(find_finisher("gram")->run({problem, 0, 0, 1}, {}, told).end, FinishEnd::stopped);
}

TEST(Gram, IsPreferredWhereTheProductsOfColumnsAreCheap) {
  const auto tall = testing::random_sample(300, 10, 32), wide = testing::random_sample(30, 100, 33);
  for (const auto kind : {PenaltyKind::l1, PenaltyKind::elastic_net, PenaltyKind::l1_l2norm}) {
    ProblemSpec spec{kSquared, {kind, 0.01, 0.5, {}, {}}, Intercept::free, ClassWeight::none, "", 0};
    const Problem few(tall.data(tall.table.dense<float>(), kSquared), spec);
    const Problem many(wide.data(wide.table.dense<float>(), kSquared), spec);
    EXPECT_EQ(first_that_suits(few, true).name, kind == PenaltyKind::l1_l2norm ? "active-set" : "gram");
    EXPECT_EQ(first_that_suits(many, true).name, "active-set");
    spec.loss = {};
    const Problem logistic(tall.data(tall.table.dense<float>(), spec.loss), spec);
    EXPECT_FALSE(find_finisher("gram")->suits(logistic));
  }
}

}  // namespace
}  // namespace s3gd
