// What finishers carry from one penalty to the next, against the same made anew.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "exact/finisher.hpp"
#include "exact/metric.hpp"
#include "exact/search.hpp"
#include "exact/working_columns.hpp"
#include "problem/full_pass.hpp"
#include "problem/hessian.hpp"
#include "s3gd/path.hpp"
#include "support/random_problem.hpp"

namespace s3gd {
namespace {

using namespace s3gd::testing;

Problem make(const Sample& sample, const Matrix& x, int threads = 1) {
  ProblemSpec spec;
  spec.threads = threads;
  return Problem(sample.data(x, spec.loss), spec);
}

TEST(Transposed, ProductsAndChosenColumnsAreThoseOfTheRows) {
  const Sample sample = random_sample(150, 40, 31, 0.1);
  const Vector c = random_vector(150, 7, 1.0);
  const std::vector<Index> chosen{0, 3, 4, 17, 39};
  for (const Matrix& x : {sample.table.csr<float, std::int32_t>(), sample.table.csr<double, std::int64_t>()}) {
    const auto transposed = Transposed::of(x, 1 << 30);
    ASSERT_TRUE(transposed);
    Vector out(40), slow(40, 0.0);
    Index stored = 0;
    for (Index i = 0; i < 150; ++i)
      for (Index j = 0; j < 40; ++j)
        slow[static_cast<std::size_t>(j)] += c[static_cast<std::size_t>(i)] * sample.table.at(i, j);
    for (const int threads : {1, 3}) {
      transposed->times(c, out, threads);
      for (std::size_t j = 0; j < out.size(); ++j) EXPECT_NEAR(out[j], slow[j], 1e-5);
    }
    const Problem few = make(sample, transposed->rows_of(chosen));
    for (std::size_t k = 0; k < chosen.size(); ++k) {
      Vector one(static_cast<std::size_t>(few.dim()), 0.0), column(150);
      one[k] = 1;
      margins(few, one, column);
      for (Index i = 0; i < 150; ++i) {
        EXPECT_NEAR(column[static_cast<std::size_t>(i)], sample.table.at(i, chosen[k]), 1e-6);
        stored += sample.table.at(i, chosen[k]) != 0 ? 1 : 0;
      }
    }
    EXPECT_EQ(transposed->stored_in(chosen), stored);
    EXPECT_FALSE(Transposed::of(x, 100));
  }
  EXPECT_FALSE(Transposed::of(sample.table.dense<float>(), 1 << 30));
}

TEST(WorkingColumns, AreTheSameFromAllColumnsAtHand) {
  const Sample sample = random_sample(150, 40, 32, 0.1);
  const Problem problem = make(sample, sample.table.csr<float, std::int32_t>());
  const auto transposed = Transposed::of(problem.x(), 1 << 30);
  const std::vector<Index> chosen{2, 5, 11, 30, 40};  // the intercept last
  const WorkingColumns slow(problem, chosen), fast(problem, chosen, &*transposed);
  const Vector c = random_vector(150, 8, 1.0), d = random_vector(5, 9, 1.0), h(150, 0.01);
  Vector slow_out(150), fast_out(150);
  slow.times(d, slow_out);
  fast.times(d, fast_out);
  const Vector slow_sums = slow.transpose_times(c), fast_sums = fast.transpose_times(c);
  for (std::size_t i = 0; i < 150; ++i) EXPECT_NEAR(slow_out[i], fast_out[i], 1e-14);  // sums in another order
  for (std::size_t k = 0; k < 5; ++k) EXPECT_NEAR(slow_sums[k], fast_sums[k], 1e-13);
  EXPECT_EQ(slow.gram(h), fast.gram(h));
}

// So many, so sparse ones are never gathered: products go along the columns where they lie.
TEST(WorkingColumns, ThatArePreferredAsColumnsHaveTheSameProducts) {
  const Sample sample = random_sample(400, 900, 35, 0.01);
  const Problem problem = make(sample, sample.table.csr<float, std::int32_t>());
  const auto transposed = Transposed::of(problem.x(), 1 << 30);
  std::vector<Index> chosen(801);
  std::iota(chosen.begin(), chosen.end(), Index{100});  // the intercept last
  const WorkingColumns slow(problem, chosen), fast(problem, chosen, &*transposed);
  ASSERT_FALSE(fast.prefers_gram());
  const Vector c = random_vector(400, 8, 1.0), d = random_vector(801, 9, 1.0), h = random_vector(400, 10, 1.0);
  Vector slow_out(400), fast_out(400);
  slow.times(d, slow_out);
  fast.times(d, fast_out);
  for (std::size_t i = 0; i < 400; ++i) EXPECT_NEAR(slow_out[i], fast_out[i], 1e-5);
  const Vector slow_sums = slow.transpose_times(c), fast_sums = fast.transpose_times(c);
  for (Index k = 0; k < 801; ++k) {
    EXPECT_NEAR(slow_sums[static_cast<std::size_t>(k)], fast_sums[static_cast<std::size_t>(k)], 1e-5);
    EXPECT_EQ(slow.store().dot(k, c.data()), fast.store().dot(k, c.data()));
    EXPECT_EQ(slow.store().square(k, h.data()), fast.store().square(k, h.data()));
    Vector slow_sum = c, fast_sum = c;
    slow.store().add(k, 0.3, h.data(), slow_sum.data());
    fast.store().add(k, 0.3, h.data(), fast_sum.data());
    EXPECT_EQ(slow_sum, fast_sum);
  }
}

TEST(SampledMetric, WithAnotherDiagonalIsTheOneBuiltWithIt) {
  const Sample sample = random_sample(200, 8, 33);
  const Problem problem = make(sample, sample.table.dense<double>());
  const auto dim = static_cast<std::size_t>(problem.dim());
  for (const Index count : {60, 200}) {
    std::vector<Index> rows(static_cast<std::size_t>(count));
    std::iota(rows.begin(), rows.end(), Index{0});
    const Vector weights(rows.size(), 0.01);
    SampledMetric carried;
    carried.keep_sum();
    carried.build(problem, rows, weights, Vector(dim, 5.0));
    for (const double strength : {1.0, 1e-3, 0.3}) {
      const Vector added(dim, strength);
      SampledMetric anew;
      anew.keep_sum();
      anew.build(problem, rows, weights, added);
      carried.change_added(added);
      Vector one = random_vector(problem.dim(), 4, 1.0), other = one;
      carried.solve(one);
      anew.solve(other);
      for (std::size_t j = 0; j < dim; ++j) EXPECT_NEAR(one[j], other[j], 1e-4 * std::abs(other[j]) + 1e-7);
    }
  }
}

// Steps of a quadratic whose diagonal changes: the last step must still be known under the new one.
TEST(StepMemory, FollowsAChangeOfCurvature) {
  const Sample sample = random_sample(60, 6, 13);
  const Problem problem = make(sample, sample.table.dense<double>());
  const auto dim = static_cast<std::size_t>(problem.dim());
  const Vector h(60, 1.0 / 60), before(dim, 0.5), after(dim, 0.02);
  std::vector<Index> rows(20);
  std::iota(rows.begin(), rows.end(), Index{0});
  SampledMetric metric;
  metric.build(problem, rows, Vector(20, 1.0 / 20), after);
  StepMemory memory(4);
  Vector moved, change(dim), by(dim);
  for (int step = 0; step < 3; ++step) {
    moved = random_vector(problem.dim(), static_cast<std::uint64_t>(50 + step), 1.0);
    hessian_times(problem, h, moved, change);
    for (std::size_t j = 0; j < dim; ++j) change[j] += before[j] * moved[j];
    memory.add(moved, change);
  }
  for (std::size_t j = 0; j < dim; ++j) {
    by[j] = after[j] - before[j];
    change[j] += by[j] * moved[j];
  }
  memory.curvature_changed(by);
  const Vector direction = memory.direction(change, metric);
  for (std::size_t j = 0; j < dim; ++j) EXPECT_NEAR(direction[j], -moved[j], 1e-9);
}

// A path that is a parabola in log lambda: the tangent misses the same for the same distance, and as its square.
TEST(PathPredictor, IsExactForAParabola) {
  const auto solution = [](double t) { return Vector{3 + 2 * t - 0.7 * t * t, -1 + 0.1 * t * t}; };
  const auto tangent = [&](double from, double to) {
    Vector aim = solution(from);
    aim[0] += (2 - 1.4 * from) * (to - from);
    aim[1] += 0.2 * from * (to - from);
    return aim;
  };
  const auto lambda = [](double t) { return std::exp(-t); };
  PathPredictor bend;
  EXPECT_TRUE(bend.towards(lambda(0)).empty());
  bend.arrived(lambda(0), {}, solution(0));
  EXPECT_TRUE(bend.towards(lambda(1)).empty());
  bend.arrived(lambda(0.5), tangent(0, 0.5), solution(0.5));
  for (const double next : {0.6, 1.0, 1.7}) {
    const Vector missed = bend.towards(lambda(next)), aim = tangent(0.5, next), there = solution(next);
    ASSERT_EQ(missed.size(), 2U);
    for (std::size_t j = 0; j < 2; ++j) EXPECT_NEAR(aim[j] + missed[j], there[j], 1e-12);
  }
  bend.arrived(lambda(0.7), {}, solution(0.5));  // nothing had to move: the next step starts from 0.5 all the same
  const Vector missed = bend.towards(lambda(1.0)), aim = tangent(0.5, 1.0);
  for (std::size_t j = 0; j < 2; ++j) EXPECT_NEAR(aim[j] + missed[j], solution(1.0)[j], 1e-12);
  EXPECT_TRUE(bend.towards(lambda(5)).empty());    // too far
  EXPECT_TRUE(bend.towards(lambda(0.2)).empty());  // backwards
}

class Silent : public Progress {
 public:
  bool moved(std::span<const double>, double, double, double) override { return true; }
  bool must_stop() const override { return false; }
};

// The rows of `problem` under weaker and weaker penalties, in uneven steps; what the finisher finds for each.
std::vector<std::pair<Problem, Finish>> carried_along(const std::string& solver, const Problem& problem, double tol) {
  Silent progress;
  const auto sequence = find_finisher(solver)->sequence(problem, Vector(static_cast<std::size_t>(problem.dim()), 0.0));
  std::vector<std::pair<Problem, Finish>> found;
  for (const double lambda : {0.3, 0.24, 0.2, 0.1, 0.095, 0.09, 0.07, 0.03, 0.02, 0.002}) {
    const Problem here = with_lambda(problem, lambda);
    found.emplace_back(here, sequence->next({here, tol}, progress));
  }
  return found;
}

const std::vector<std::string> kCarriers{"dual", "sampled-newton", "active-set"};

ProblemSpec spec_for(const std::string& solver) {
  ProblemSpec spec;
  spec.penalty.kind = solver == "active-set" ? PenaltyKind::elastic_net : PenaltyKind::l2;
  if (solver == "active-set") spec.penalty.alpha = 0.3;
  return spec;
}

TEST(FinishSequence, WhatIsCarriedDoesNotChangeTheAnswer) {
  const Sample sample = random_sample(120, 9, 28, 0.4);
  for (const std::string& solver : kCarriers)
    for (const LossSpec& loss : all_losses())
      for (const Intercept intercept : kIntercepts)
        for (const double tol : {1e-3, 1e-5, 1e-9}) {
          ProblemSpec spec = spec_for(solver);
          spec.loss = loss;
          spec.intercept = intercept;
          spec.penalty.factors = {1, 2, 1, 1, 0.5, 1, 1, 3, 1};
          const Problem problem(sample.data(sample.table.csr<float, std::int32_t>(), loss, true), spec);
          for (const auto& [here, finish] : carried_along(solver, problem, tol)) {
            const double best = solve_reference(here).objective, value = objective(here, finish.w);
            const auto what = solver + " lambda " + std::to_string(here.spec().penalty.lambda);
            EXPECT_EQ(finish.end, FinishEnd::converged) << what << " tol " << tol;
            EXPECT_LE(value - best, tol * value + 1e-13) << what << " tol " << tol;
            EXPECT_LE(certify(here, finish.w).relative_gap, tol * (1 + 1e-9)) << what;
          }
        }
}

// One solution after the other from the largest lambda down, the steps even: what is carried is used to the full.
std::vector<std::pair<Problem, Finish>> fine_path(const Problem& problem, Index count, double tol) {
  Silent progress;
  const std::vector<double> lambdas = lambda_grid(problem, {.count = count, .ratio = 1e-3});
  const auto sequence =
      find_finisher("active-set")->sequence(problem, Vector(static_cast<std::size_t>(problem.dim()), 0.0));
  std::vector<std::pair<Problem, Finish>> found;
  for (const double lambda : lambdas) {
    const Problem here = with_lambda(problem, lambda);
    found.emplace_back(here, sequence->next({here, tol}, progress));
  }
  return found;
}

// Few columns, which are all taken at once, and many, which come in by and by; a Hessian is kept over several penalties.
TEST(FinishSequence, AFinePathOfAOneNormIsThatOfTheReference) {
  for (const Index cols : {15, 90})
    for (const LossSpec& loss : all_losses())
      for (const bool dense : {true, false}) {
        const Sample sample = random_sample(300, cols, 33, 0.6);
        ProblemSpec spec;
        spec.loss = loss;
        spec.penalty.kind = PenaltyKind::l1;
        const Matrix x = dense ? sample.table.dense<float>() : sample.table.csr<float, std::int32_t>();
        const Problem problem(sample.data(x, loss, true), spec);
        for (const double tol : {1e-4, 1e-8})
          for (const auto& [here, finish] : fine_path(problem, 12, tol)) {
            const double best = solve_reference(here).objective, value = objective(here, finish.w);
            EXPECT_EQ(finish.end, FinishEnd::converged) << here.formula();
            EXPECT_LE(value - best, tol * value + 1e-13) << here.formula();
            EXPECT_LE(certify(here, finish.w).relative_gap, tol * (1 + 1e-9)) << here.formula();
          }
      }
}

// Hundreds of features come in, and the model over them is minimised along columns, from where the solution is going.
TEST(FinishSequence, AWidePathOfTheSquaredLossIsCertifiedAtEveryPoint) {
  const Sample sample = random_sample(900, 1200, 36, 0.02);
  for (const PenaltyKind kind : {PenaltyKind::l1, PenaltyKind::elastic_net}) {
    ProblemSpec spec;
    spec.loss.kind = LossKind::squared;
    spec.penalty.kind = kind;
    if (kind == PenaltyKind::elastic_net) spec.penalty.alpha = 0.1;
    const Problem problem(sample.data(sample.table.csr<float, std::int32_t>(), spec.loss, true), spec);
    for (const double tol : {1e-3, 1e-6}) {
      Index most = 0;
      for (const auto& [here, finish] : fine_path(problem, 15, tol)) {
        EXPECT_EQ(finish.end, FinishEnd::converged) << here.formula();
        EXPECT_LE(certify(here, finish.w).relative_gap, tol * (1 + 1e-9)) << here.formula();
        most = std::max<Index>(most, std::count_if(finish.w.begin(), finish.w.end(), [](double w) { return w != 0; }));
      }
      EXPECT_GT(most, 500);
    }
  }
}

// Near the weak end of a smooth path what the last Hessian missed is known, and one pass for each penalty is enough;
// anew each would take three or more.
TEST(FinishSequence, AFinePathTakesFewPassesAPoint) {
  const Sample sample = random_sample(4000, 15, 34, 1.0, 4.0);
  ProblemSpec spec;
  spec.penalty.kind = PenaltyKind::l1;
  const Problem problem(sample.data(sample.table.dense<float>(), spec.loss), spec);
  const auto path = fine_path(problem, 50, 1e-4);
  double passes = 0;
  for (std::size_t k = 30; k < path.size(); ++k) passes += path[k].second.passes - 0.5;  // half of one certifies
  EXPECT_LT(passes / 20, 1.5);
}

TEST(FinishSequence, SameBitsAtAnyNumberOfThreads) {
  const Sample sample = random_sample(5000, 12, 29, 0.3);
  for (const std::string& solver : kCarriers) {
    std::vector<std::vector<std::pair<Problem, Finish>>> runs;
    for (const int threads : {1, 2, 5}) {
      ProblemSpec spec = spec_for(solver);
      spec.threads = threads;
      const Problem problem(sample.data(sample.table.csr<float, std::int32_t>(), spec.loss), spec);
      runs.push_back(carried_along(solver, problem, 1e-4));
    }
    for (const auto& run : runs)
      for (std::size_t k = 0; k < run.size(); ++k) EXPECT_EQ(run[k].second.w, runs[0][k].second.w) << solver;
  }
}

}  // namespace
}  // namespace s3gd
