#include <gtest/gtest.h>

#include <numeric>

#include "softmax/class_iterate.hpp"
#include "softmax/propagated.hpp"
#include "support/softmax_sample.hpp"

namespace s3gd {
namespace {

using testing::Vector;

Vector margins_of(const testing::Table& table, const SoftmaxProblem& problem, const Vector& w,
                  const std::vector<Index>& rows) {
  Vector u;
  for (const Index i : rows)
    for (Index k = 0; k < problem.classes(); ++k) {
      double sum = problem.has_intercept() ? w[static_cast<std::size_t>(problem.cols() * problem.classes() + k)] : 0.0;
      for (Index j = 0; j < problem.cols(); ++j)
        sum += w[static_cast<std::size_t>(j * problem.classes() + k)] * table.at(i, j);
      u.push_back(sum);
    }
  return u;
}

// sum over rows of n/s q_i h_i x_i' for the rows given.
Vector mean_control(const testing::Table& table, const SoftmaxProblem& problem, const PropagatedClasses& control,
                    const std::vector<Index>& rows) {
  const Index classes = problem.classes();
  Vector sum(static_cast<std::size_t>(problem.dim()), 0.0), h(static_cast<std::size_t>(classes));
  for (const Index i : rows) {
    control.propagate(i, h.data());
    const double weight = problem.weight(i) * static_cast<double>(problem.rows()) / static_cast<double>(rows.size());
    for (Index k = 0; k < classes; ++k) {
      const double slope = control.share() * weight * h[static_cast<std::size_t>(k)];
      for (Index j = 0; j < problem.cols(); ++j)
        sum[static_cast<std::size_t>(j * classes + k)] += slope * table.at(i, j);
      if (problem.has_intercept()) sum[static_cast<std::size_t>(problem.cols() * classes + k)] += slope;
    }
  }
  return sum;
}

// The estimate over all rows is sum_i q_i (slope_i - h_i) x_i' + drift: the exact gradient, if the drift is the mean of the
// controls.
TEST(SoftmaxS3gd, TheDriftIsTheMeanOfTheControlsSoTheEstimateIsUnbiased) {
  const auto sample = testing::softmax_sample(120, 7, 4, 51);
  std::vector<Index> all(120);
  std::iota(all.begin(), all.end(), Index{0});
  GraphOptions options;
  options.anchors = 9;
  options.neighbours = 3;
  for (const Matrix& x : sample.table.layouts())
    for (const bool streaming : {false, true})
      for (const bool weighted : {false, true}) {
        SoftmaxSpec spec;
        spec.intercept = weighted ? Intercept::free : Intercept::none;
        const SoftmaxProblem problem(sample.data(x, weighted), spec);
        const Graph graph = build_graph(x, options);
        PropagatedClasses control(problem, options, ControlMode::paper, streaming ? nullptr : &graph);
        std::vector<Index> rows = all;
        if (streaming) {
          rows.resize(90);
          control.coming(rows, 40);
          rows.resize(40);
          EXPECT_FALSE(control.complete());
        }
        const Vector w = testing::random_vector(problem.dim(), 4);
        control.snapshot(margins_of(sample.table, problem, w, control.anchor_rows()));
        const Vector expected = mean_control(sample.table, problem, control, rows);
        for (std::size_t j = 0; j < w.size(); ++j) EXPECT_NEAR(control.drift()[j], expected[j], 1e-13);
        if (streaming) {
          control.coming(all, 120);
          EXPECT_TRUE(control.complete());
          control.snapshot(margins_of(sample.table, problem, w, control.anchor_rows()));
          const Vector whole = mean_control(sample.table, problem, control, all);
          for (std::size_t j = 0; j < w.size(); ++j) EXPECT_NEAR(control.drift()[j], whole[j], 1e-13);
        }
      }
}

TEST(SoftmaxS3gd, AnAnchorsOwnSlopeIsPropagatedExactlyToItself) {
  const auto sample = testing::softmax_sample(60, 5, 3, 52);
  const Matrix x = sample.table.dense<double>();
  const SoftmaxProblem problem(sample.data(x), {});
  GraphOptions options;
  options.anchors = 6;
  options.neighbours = 1;
  const Graph graph = build_graph(x, options);
  PropagatedClasses control(problem, options, ControlMode::paper, &graph);
  const Vector w = testing::random_vector(problem.dim(), 3);
  const Vector u = margins_of(sample.table, problem, w, graph.anchor_rows);
  control.snapshot(u);
  for (std::size_t a = 0; a < graph.anchor_rows.size(); ++a) {
    Vector h(3);
    control.propagate(graph.anchor_rows[a], h.data());
    double total = 0;
    for (std::size_t k = 0; k < 3; ++k) total += std::exp(u[a * 3 + k]);
    const auto own = static_cast<std::size_t>(problem.targets()[static_cast<std::size_t>(graph.anchor_rows[a])]);
    for (std::size_t k = 0; k < 3; ++k)
      EXPECT_NEAR(h[k], std::exp(u[a * 3 + k]) / total - (k == own ? 1.0 : 0.0), 1e-12);
  }
}

// A step as it is written: W <- prox(W - eta (sum of slopes x' + drift)).
TEST(SoftmaxS3gd, StepsOfTheIterateAreTheFormula) {
  const auto sample = testing::softmax_sample(30, 5, 3, 53);
  auto penalties = testing::matrix_penalties();
  penalties.push_back({MatrixPenaltyKind::none, 0, 0.5, {}});
  penalties.push_back({MatrixPenaltyKind::l2, 0.1, 0.5, {1, 2, 0, 1, 1}});
  for (const Matrix& x : {sample.table.dense<double>(), sample.table.csr<double, std::int32_t>()})
    for (const auto& penalty : penalties)
      for (const auto intercept : testing::kIntercepts) {
        SoftmaxSpec spec;
        spec.penalty = penalty;
        spec.intercept = intercept;
        const SoftmaxProblem problem(sample.data(x), spec);
        const MatrixPenalty formula(problem);
        Vector w = testing::random_vector(problem.dim(), 1), now(w.size());
        const auto check = [&](const auto& view) {
          using View = std::decay_t<decltype(view)>;
          if constexpr (std::is_same_v<typename View::Value, double>) {
            ClassIterate<View> iterate(problem, view);
            iterate.assign(w);
            for (std::uint64_t round = 0; round < 6; ++round) {
              const Vector drift = testing::random_vector(problem.dim(), 10 + round / 3);
              if (round % 3 == 0) iterate.set_drift(drift);
              const std::vector<Index> rows{static_cast<Index>(round), 7, 19};
              Vector u(3 * static_cast<std::size_t>(iterate.width()));
              iterate.margins(rows, u.data());
              const Vector expected = margins_of(sample.table, problem, w, rows);
              const Vector slopes = testing::random_vector(9, 20 + round);
              Vector padded(u.size(), 0.0);
              for (std::size_t r = 0; r < 3; ++r)
                for (std::size_t k = 0; k < 3; ++k) {
                  EXPECT_NEAR(u[r * static_cast<std::size_t>(iterate.width()) + k], expected[r * 3 + k], 1e-12);
                  padded[r * static_cast<std::size_t>(iterate.width()) + k] = slopes[r * 3 + k];
                }
              const double eta = 0.1;
              iterate.step(eta, rows, padded.data());
              for (std::size_t j = 0; j < w.size(); ++j) w[j] -= eta * drift[j];
              for (std::size_t r = 0; r < 3; ++r)
                for (std::size_t k = 0; k < 3; ++k) {
                  for (std::size_t j = 0; j < 5; ++j)
                    w[j * 3 + k] -= eta * slopes[r * 3 + k] * sample.table.at(rows[r], static_cast<Index>(j));
                  if (problem.has_intercept()) w[15 + k] -= eta * slopes[r * 3 + k];
                }
              formula.prox(eta, w);
            }
            iterate.read(now);
          }
        };
        x.visit(check);
        for (std::size_t j = 0; j < w.size(); ++j) EXPECT_NEAR(now[j], w[j], 1e-12);
      }
}

TEST(SoftmaxS3gd, ComesWithinAPercentInAFewPasses) {
  const auto sample = testing::softmax_sample(4000, 10, 5, 54);
  for (const Matrix& x : sample.table.layouts())
    for (const auto mode : {GraphMode::streaming, GraphMode::full}) {
      SoftmaxSpec spec;
      spec.penalty.lambda = 1e-3;
      const SoftmaxProblem problem(sample.data(x), spec);
      SolveOptions options;
      const double least = solve_softmax(problem, options).summary.objective;
      options.solver = "s3gd";
      options.passes = 5;
      options.graph_mode = mode;
      const auto solution = solve_softmax(problem, options);
      EXPECT_LT(solution.summary.objective, 1.01 * least);
      EXPECT_GT(solution.summary.step, 0);
      EXPECT_NEAR(solution.summary.passes, 5, 0.1);
    }
}

TEST(SoftmaxS3gd, AStepOfTheUsersOwnThatDivergesKeepsThePointBefore) {
  const auto sample = testing::softmax_sample(500, 10, 3, 55);
  const SoftmaxProblem problem(sample.data(sample.table.dense<float>()), {});
  SolveOptions options;
  options.solver = "s3gd";
  options.step = 1e6;
  options.passes = 3;
  const auto solution = solve_softmax(problem, options);
  EXPECT_EQ(solution.summary.status, Status::diverged);
  EXPECT_LE(solution.summary.objective, std::log(3.0) + 1e-12);
}

// A few rows too long for the step that was estimated without them.
TEST(SoftmaxS3gd, AStepOfItsOwnThatDivergesIsTakenBackAndShortened) {
  auto sample = testing::softmax_sample(6000, 10, 3, 56);
  const auto first_step = [](const SoftmaxProblem& problem) {
    SolveOptions options;
    options.solver = "s3gd";
    options.passes = 3;
    return solve_softmax(problem, options).summary;
  };
  const Summary even = first_step(SoftmaxProblem(sample.data(sample.table.dense<double>()), {}));
  for (std::size_t i : {1777U, 4001U})
    for (std::size_t j = 0; j < 10; ++j) sample.table.values[i * 10 + j] *= 1000;
  const Summary uneven = first_step(SoftmaxProblem(sample.data(sample.table.dense<double>()), {}));
  EXPECT_LT(uneven.step, 0.9 * even.step);
  EXPECT_NE(uneven.status, Status::diverged);
}

}  // namespace
}  // namespace s3gd
