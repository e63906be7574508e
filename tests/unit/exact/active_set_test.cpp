#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "exact/finisher.hpp"
#include "problem/full_pass.hpp"
#include "s3gd/solve.hpp"
#include "support/random_problem.hpp"

namespace s3gd {
namespace {

using testing::Vector;

class Counting : public Progress {
 public:
  bool moved(std::span<const double> w, double passes, double objective, double) override {
    ++moves;
    last_w.assign(w.begin(), w.end());
    if (!std::isnan(objective)) objectives.push_back(objective);  // a start from fewer rows does not know F
    increasing = increasing && passes > last_passes;
    last_passes = passes;
    return moves < allowed_moves;
  }
  bool must_stop() const override { return ++questions > allowed_questions; }

  int moves = 0, allowed_moves = std::numeric_limits<int>::max();
  mutable int questions = 0;
  int allowed_questions = std::numeric_limits<int>::max();
  double last_passes = 0;
  bool increasing = true;
  Vector last_w, objectives;
};

const Finisher& active_set() { return *find_finisher("active-set"); }

Finish finish(const Problem& problem, double tol = 1e-10, Vector start = {}) {
  Counting progress;
  return active_set().run({problem, tol}, std::move(start), progress);
}

// Zero is a subgradient of F at w: read off coordinate by coordinate from the gradient, up to `slack`.
void expect_stationary(const Problem& problem, const Vector& w, double slack) {
  const Penalty penalty = testing::penalty_of(problem);
  Vector g(w.size());
  smooth_gradient(problem, w, g);
  double norm = 0;
  for (Index j = 0; j < problem.dim(); ++j)
    if (penalty.in_norm(j)) norm += std::pow(w[static_cast<std::size_t>(j)], 2);
  norm = std::sqrt(norm);
  for (Index j = 0; j < problem.dim(); ++j) {
    const auto k = static_cast<std::size_t>(j);
    if (norm == 0 && penalty.in_norm(j)) continue;  // the subgradient is a ball: the certificate's business
    double slope = g[k] + 2 * penalty.l2_of(j) * w[k];
    if (norm > 0 && penalty.in_norm(j)) slope += penalty.norm_strength() * w[k] / norm;
    if (w[k] == 0)
      EXPECT_LE(std::abs(slope), penalty.l1_of(j) + slack) << "coordinate " << j;
    else
      EXPECT_NEAR(slope, w[k] > 0 ? -penalty.l1_of(j) : penalty.l1_of(j), slack) << "coordinate " << j;
  }
}

std::vector<PenaltySpec> penalties() {
  using enum PenaltyKind;
  return {{l1, 0.02, 0.5, {}, {}},
          {l1, 0.001, 0.5, {}, {}},
          {elastic_net, 0.05, 0.3, {}, {}},
          {l1_l2norm, 0.05, 0.5, {}, {}},
          {l1_l2norm, 0.02, 0.5, {}, {{l2, 0.01, 0.5, {}, {}}}},
          {l1, 0.02, 0.5, {1, 2, 0.5, 1, 3, 1, 1, 4}, {}},
          {l1, 0.02, 0.5, {1, 2, 0.5, 1, 3, 1, 1, 4}, {{l2, 0.1, 0.5, {1, 0, 1, 2, 1, 1, 5, 1}, {}}}},
          {l1, 0.02, 0.5, {1, 0, 1, 1, 0, 1, 1, 1}, {}}};
}

TEST(ActiveSet, AgreesWithTheReferenceOnEveryKindOfProblem) {
  const auto sample = testing::random_sample(60, 8, 21);
  for (const auto& loss : testing::all_losses())
    for (const auto& penalty : penalties())
      for (const auto intercept : testing::kIntercepts)
        for (const bool weighted : {false, true})
          for (const auto& x : sample.table.layouts()) {
            const Problem problem(sample.data(x, loss, weighted), {loss, penalty, intercept, ClassWeight::none, "", 0});
            SCOPED_TRACE(problem.formula());
            ASSERT_TRUE(active_set().suits(problem));
            const Finish found = finish(problem);
            const Optimum optimum = solve_reference(problem);
            EXPECT_EQ(found.end, FinishEnd::converged);
            EXPECT_LE(found.certificate.relative_gap, 1e-10);
            EXPECT_NEAR(found.certificate.primal, optimum.objective, 1e-10 * (1 + std::abs(optimum.objective)));
            EXPECT_DOUBLE_EQ(objective(problem, found.w), found.certificate.primal);
            expect_stationary(problem, found.w, 1e-5);
          }
}

TEST(ActiveSet, TheGapIsNeverBelowTheSuboptimality) {
  const auto sample = testing::random_sample(200, 30, 31);
  for (const auto& loss : testing::all_losses()) {
    ProblemSpec spec;
    spec.loss = loss;
    spec.penalty = {PenaltyKind::l1, 0.01, 0.5, {}, {}};
    const Problem problem(sample.data(sample.table.dense<float>(), loss), spec);
    const double best = solve_reference(problem).objective;
    for (const double tol : {0.5, 1e-1, 1e-2, 1e-4, 1e-8}) {
      const Finish found = finish(problem, tol);
      EXPECT_LE(found.certificate.relative_gap, tol);
      EXPECT_GE(found.certificate.relative_gap * found.certificate.primal + 1e-14, found.certificate.primal - best);
    }
  }
}

// Enough columns that the working set is a small part of them, grows, and is solved by Gram matrix and along columns.
TEST(ActiveSet, WideProblemsAreSolvedThroughSmallWorkingSets) {
  const auto sparse = testing::random_sample(120, 1800, 25, 0.02), dense = testing::random_sample(90, 700, 26, 1.0);
  for (const auto& loss : testing::all_losses())
    for (const double lambda : {0.02, 0.002})
      for (const auto kind : {PenaltyKind::l1, PenaltyKind::l1_l2norm}) {
        ProblemSpec spec;
        spec.loss = loss;
        spec.penalty = {kind, lambda, 0.2, {}, {}};
        for (const Problem& problem : {Problem(sparse.data(sparse.table.csr<float, std::int32_t>(), loss), spec),
                                       Problem(dense.data(dense.table.dense<double>(), loss), spec)}) {
          SCOPED_TRACE(problem.formula() + (problem.x().is_dense() ? " dense" : " sparse"));
          const Finish found = finish(problem, 1e-9);
          EXPECT_EQ(found.end, FinishEnd::converged);
          EXPECT_NEAR(found.certificate.primal, certify(problem, found.w).dual, 1e-9 * found.certificate.primal);
          expect_stationary(problem, found.w, 1e-5);
        }
      }
}

// A plane parts the classes, and the penalty is next to nothing: F is all but flat.
// Margins differ from 1 by some 1e-8 at the optimum, which leaves double about as many digits.
Problem barely_penalised() {
  auto sample = testing::random_sample(100, 60, 5, 1.0, 0.0);
  for (std::size_t i = 0; i < sample.classes.size(); ++i) sample.classes[i] = sample.reals[i] > 0.5 ? 1.0 : 0.0;
  ProblemSpec spec;
  spec.loss = {LossKind::squared_hinge, 10.0};
  spec.penalty = {PenaltyKind::l1, 1e-8, 0.5, {}, {}};
  return Problem(sample.data(sample.table.dense<double>(), spec.loss), spec);
}

TEST(ActiveSet, APenaltyNextToNothingIsReachedThroughStrongerOnes) {
  const Problem problem = barely_penalised();
  Counting progress;
  const Finish found = active_set().run({problem, 1e-6}, {}, progress);
  EXPECT_EQ(found.end, FinishEnd::converged);
  EXPECT_LE(certify(problem, found.w).relative_gap, 1e-6);
  EXPECT_TRUE(progress.increasing);
  EXPECT_EQ(progress.moves, found.iterations);
}

TEST(ActiveSet, OnTheWayToAWeakPenaltyItStopsWhenTold) {
  const Problem problem = barely_penalised();
  Counting all;
  const auto needed = static_cast<int>(active_set().run({problem, 1e-6}, {}, all).iterations);
  for (const int allowed : {needed - 40, needed - 20, needed - 2}) {
    Counting few;
    few.allowed_moves = allowed;
    const Finish told = active_set().run({problem, 1e-6}, {}, few);
    EXPECT_EQ(told.end, FinishEnd::stopped);
    EXPECT_EQ(few.moves, allowed);
    EXPECT_EQ(told.w.size(), static_cast<std::size_t>(problem.dim()));
    Counting counted;
    const Finish limited = active_set().run({problem, 1e-6, 0, allowed}, {}, counted);
    EXPECT_EQ(limited.end, FinishEnd::stopped);
    EXPECT_EQ(limited.iterations, allowed);
  }
}

// Many rows: Hessians from samples of them, the start of a run by a part of them.
TEST(ActiveSet, ManyRowsAreNoDifferentFromFew) {
  const auto sample = testing::random_sample(30000, 40, 32);
  for (const auto& loss : testing::all_losses())
    for (const bool sparse : {false, true}) {
      ProblemSpec spec;
      spec.loss = loss;
      spec.penalty = {PenaltyKind::elastic_net, 0.01, 0.1, {}, {}};
      const Matrix x = sparse ? sample.table.csr<float, std::int32_t>() : sample.table.dense<float>();
      const Problem problem(sample.data(x, loss, sparse), spec);
      SCOPED_TRACE(problem.formula());
      const Finish found = finish(problem);
      EXPECT_EQ(found.end, FinishEnd::converged);
      EXPECT_NEAR(found.certificate.primal, solve_reference(problem).objective, 1e-10);
    }
}

TEST(ActiveSet, FeaturesOnBadScalesAreNoObstacle) {
  auto sample = testing::random_sample(300, 26, 23, 1.0);
  for (Index i = 0; i < 300; ++i)
    for (Index j = 0; j < 26; ++j)
      sample.table.values[static_cast<std::size_t>(i * 26 + j)] *= std::pow(10.0, static_cast<double>(j % 13) - 6.0);
  for (const auto kind : {PenaltyKind::l1, PenaltyKind::elastic_net})
    for (const auto& loss : testing::all_losses())
      for (const auto& x : {sample.table.dense<double>(), sample.table.csr<float, std::int32_t>()}) {
        ProblemSpec spec;
        spec.loss = loss;
        spec.penalty = {kind, 1.0 / 300, 0.5, {}, {}};
        const Problem problem(sample.data(x, loss), spec);
        SCOPED_TRACE(problem.formula());
        const Finish found = finish(problem, 1e-9);
        EXPECT_LE(found.iterations, 100);
        if (loss.kind == LossKind::huber && found.end == FinishEnd::stalled) {
          // Which rows are beyond the knee is a matter of rounding on such scales: the finisher it gives way to decides.
          SolveOptions options;
          options.solver = "active-set";
          options.tol = 1e-9;
          EXPECT_EQ(solve(problem, options).summary.status, Status::converged);
          continue;
        }
        EXPECT_EQ(found.end, FinishEnd::converged);
      }
}

TEST(ActiveSet, DuplicateConstantAndEmptyColumnsAreNoObstacle) {
  auto sample = testing::random_sample(80, 9, 24, 1.0);
  for (Index i = 0; i < 80; ++i) {
    double* row = &sample.table.values[static_cast<std::size_t>(i * 9)];
    row[1] = row[0];
    row[2] = -2 * row[0];
    row[3] = 1;
    row[4] = 0;
    row[5] = 1;
  }
  for (const auto& loss : testing::all_losses())
    for (const auto intercept : testing::kIntercepts)
      for (const double lambda : {0.05, 1e-4}) {
        const Problem problem(sample.data(sample.table.dense<float>(), loss),
                              {loss, {PenaltyKind::l1, lambda, 0.5, {}, {}}, intercept, ClassWeight::none, "", 0});
        SCOPED_TRACE(problem.formula());
        const Finish found = finish(problem, 1e-9);
        EXPECT_EQ(found.end, FinishEnd::converged);
        EXPECT_EQ(found.w[4], 0.0);
        EXPECT_NEAR(found.certificate.primal, solve_reference(problem).objective, 1e-9);
      }
}

TEST(ActiveSet, AboveTheLargestUsefulLambdaTheAnswerIsZero) {
  const auto sample = testing::random_sample(100, 12, 33);
  for (const auto& loss : testing::all_losses())
    for (const auto kind : {PenaltyKind::l1, PenaltyKind::elastic_net, PenaltyKind::l1_l2norm})
      for (const auto intercept : testing::kIntercepts) {
        const Problem problem(sample.data(sample.table.dense<double>(), loss),
                              {loss, {kind, 100.0, 0.5, {}, {}}, intercept, ClassWeight::none, "", 0});
        SCOPED_TRACE(problem.formula());
        for (const Vector& start : {Vector(), testing::random_vector(problem.dim(), 5)}) {
          const Finish found = finish(problem, 1e-9, start);
          EXPECT_EQ(found.end, FinishEnd::converged);
          for (std::size_t j = 0; j < 12; ++j) EXPECT_EQ(found.w[j], 0.0);
        }
        if (intercept == Intercept::none) {
          const Finish at_once = finish(problem, 1e-9);
          EXPECT_LE(at_once.iterations, 1);
        }
      }
}

TEST(ActiveSet, EveryStartLeadsToTheSameOptimum) {
  const auto sample = testing::random_sample(150, 20, 34);
  for (const auto kind : {PenaltyKind::l1, PenaltyKind::l1_l2norm}) {
    ProblemSpec spec;
    spec.penalty = {kind, 0.02, 0.4, {}, {}};
    const Problem problem(sample.data(sample.table.csr<double, std::int64_t>(), {}), spec);
    const double best = solve_reference(problem).objective;
    for (const double size : {1e-3, 1.0, 100.0}) {
      const Finish found = finish(problem, 1e-10, testing::random_vector(problem.dim(), 6, size));
      EXPECT_EQ(found.end, FinishEnd::converged);
      EXPECT_NEAR(found.certificate.primal, best, 1e-10);
    }
    const Finish again = finish(problem, 1e-8, finish(problem, 1e-10).w);
    EXPECT_EQ(again.iterations, 0) << "a solved start needs no step";
  }
}

TEST(ActiveSet, ProgressIsToldAndObeyed) {
  const auto sample = testing::random_sample(400, 300, 35, 0.3);
  ProblemSpec spec;
  spec.penalty = {PenaltyKind::l1, 0.005, 0.5, {}, {}};
  const Problem problem(sample.data(sample.table.dense<float>(), {}), spec);

  Counting whole;
  const Finish full = active_set().run({problem, 1e-10}, {}, whole);
  EXPECT_TRUE(whole.increasing);
  EXPECT_GT(whole.moves, 1);
  EXPECT_LE(whole.last_passes, full.passes);
  for (std::size_t k = 1; k < whole.objectives.size(); ++k)
    EXPECT_LE(whole.objectives[k], whole.objectives[k - 1] * (1 + 1e-12));

  Counting once;
  once.allowed_moves = 1;
  const Finish stopped = active_set().run({problem, 1e-10}, {}, once);
  EXPECT_EQ(once.moves, 1);
  EXPECT_EQ(stopped.end, FinishEnd::stopped);
  EXPECT_EQ(stopped.w, once.last_w);
  EXPECT_EQ(stopped.certificate.primal, certify(problem, stopped.w).primal);

  for (const int allowed : {0, 1, 5, 20}) {
    Counting interrupted;
    interrupted.allowed_questions = allowed;
    const Finish early = active_set().run({problem, 1e-12}, {}, interrupted);
    EXPECT_EQ(early.end, FinishEnd::stopped);
    EXPECT_LE(interrupted.questions, allowed + 20) << "it ends soon after it is told to";
    EXPECT_LE(early.certificate.primal, objective(problem, Vector(301, 0.0)) * (1 + 1e-12));
  }

  Counting limited;
  FinishInput input{problem, 1e-10};
  input.max_iterations = 2;
  EXPECT_EQ(active_set().run(input, {}, limited).iterations, 2);
}

TEST(ActiveSet, TheSameBitsAtOneTwoAndSevenThreads) {
  const auto sample = testing::random_sample(20000, 60, 36);
  for (const auto& x : {sample.table.dense<float>(), sample.table.csr<float, std::int32_t>()}) {
    Vector first;
    for (const int threads : {1, 2, 7}) {
      ProblemSpec spec;
      spec.threads = threads;
      spec.penalty = {PenaltyKind::l1, 0.01, 0.5, {}, {}};
      const Problem problem(sample.data(x, {}), spec);
      const Vector w = finish(problem, 1e-9).w;
      if (first.empty()) first = w;
      EXPECT_EQ(w, first);
    }
  }
}

TEST(ActiveSet, SuitsPenaltiesWithAOneNormAndOneTwoNormAtMost) {
  const auto sample = testing::random_sample(30, 4, 37);
  const auto suits = [&](const PenaltySpec& penalty) {
    ProblemSpec spec;
    spec.penalty = penalty;
    return active_set().suits(Problem(sample.data(sample.table.dense<float>(), {}), spec));
  };
  using enum PenaltyKind;
  EXPECT_TRUE(suits({l1, 0.1, 0.5, {}, {}}));
  EXPECT_TRUE(suits({l2, 0.1, 0.5, {}, {{l1, 0.1, 0.5, {}, {}}}}));
  EXPECT_TRUE(suits({l1_l2norm, 0.1, 0.5, {}, {}}));
  EXPECT_FALSE(suits({l2, 0.1, 0.5, {}, {}}));
  EXPECT_FALSE(suits({none, 0.1, 0.5, {}, {}}));
  EXPECT_FALSE(suits({l1_l2norm, 0.1, 0.5, {1, 1, 0, 1}, {{l1_l2norm, 0.1, 0.5, {1, 1, 1, 0}, {}}}}));
}

}  // namespace
}  // namespace s3gd
