// S3GD for K classes: Algorithm 1 written out, and how runs of it end. That estimates are unbiased and steps are the formula:
// unbiased_test, streaming_test, iterate_test.
#include <gtest/gtest.h>

#include "solve/inputs.hpp"
#include "support/naive_outputs.hpp"

namespace s3gd {
namespace {

using testing::NaiveOutputs;
using testing::Vector;

// Algorithm 1 in plain loops, with the same draws.
Vector naive_s3gd(const SoftmaxProblem& stated, const Graph& graph, double eta, Index inner, Index steps,
                  Index batch_size, std::uint64_t seed) {
  const NaiveOutputs naive = testing::naive_outputs(stated, "");
  const StochasticProblem& problem = naive.problem;
  const auto own = [&](Index i) { return static_cast<std::size_t>(stated.targets()[static_cast<std::size_t>(i)]); };
  const auto sampler = make_sampler(Sampling::weighted, problem, batch_size);
  Rng rng(seed, 1);
  Batch batch;
  Vector w(static_cast<std::size_t>(problem->dim()), 0.0), snapshot, drift;
  // sum_j gamma_ij p(W~'z_j) - e_y; an anchor's slope, of whatever class, is p(W~'z_j) - e_y. The gammas sum to 1 in float.
  const auto h = [&](Index i) {
    Vector sum(naive.outputs(), 0.0);
    double rest = 1;
    for (Index e = i * graph.neighbours_per_row(); e < (i + 1) * graph.neighbours_per_row(); ++e) {
      const Index anchor = graph.anchor_rows[static_cast<std::size_t>(graph.neighbours[e])];
      const auto gamma = static_cast<double>(graph.gammas[e]);
      const Vector part = naive.slopes(i, naive.margins(anchor, snapshot));
      for (std::size_t k = 0; k < sum.size(); ++k) sum[k] += gamma * part[k];
      rest -= gamma;
    }
    sum[own(i)] -= rest;
    return sum;
  };
  for (Index step = 0; step < steps; ++step) {
    if (step % inner == 0) {
      snapshot = w;
      drift.assign(w.size(), 0.0);
      for (Index i = 0; i < problem->rows(); ++i) naive.add(problem->weight(i), i, h(i), drift);
    }
    sampler->next(rng, batch);
    Vector g = drift;
    for (std::size_t b = 0; b < batch.rows.size(); ++b) {
      naive.add(batch.weights[b], batch.rows[b], naive.slopes_at(batch.rows[b], w), g);
      naive.add(-batch.weights[b], batch.rows[b], h(batch.rows[b]), g);
    }
    for (std::size_t j = 0; j < w.size(); ++j) w[j] -= eta * g[j];
    problem->prox(eta, w);
  }
  return w;
}

TEST(SoftmaxS3gd, StepsEqualAlgorithmOneWrittenOut) {
  const auto sample = testing::softmax_sample(60, 7, 4, 51);
  for (const bool sparse : {false, true})
    for (const auto& penalty : testing::matrix_penalties())
      for (const Intercept intercept : {Intercept::regularised, Intercept::none}) {
        SoftmaxSpec spec;
        spec.penalty = penalty;
        spec.intercept = intercept;
        const SoftmaxProblem problem(sample.data(testing::matrix_of<double>(sample.table, sparse), true), spec);
        GraphOptions graph_options;
        graph_options.anchors = 8;
        graph_options.neighbours = 3;
        const Graph graph = build_graph(problem.x(), graph_options);
        SolveOptions options;
        options.solver = "s3gd";
        options.step = 0.05;
        options.iterations = 60;
        options.trace_every = 60;
        options.tol = 0;
        options.seed = 3;
        options.inner = 20;
        options.control = ControlMode::paper;
        SoftmaxInput input;
        input.graph = &graph;
        const Solution solution = solve_softmax(problem, options, input);
        const Vector naive = naive_s3gd(problem, graph, 0.05, 20, 60, 10, 3);
        EXPECT_NEAR(solution.trace.back().train_objective, objective(problem, naive), 1e-12) << problem.formula();
        EXPECT_LE(testing::largest_difference(solution.w, naive), 1e-10) << problem.formula() << sparse;
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
      options.tol = 0;
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
    options.propagation = Propagation::constant;
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
