#include "s3gd/solve.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/interrupt.hpp"
#include "problem/loss.hpp"
#include "s3gd/error.hpp"
#include "stochastic/control.hpp"
#include "support/problems.hpp"

namespace s3gd {
namespace {

using testing::full_row;
using testing::largest_difference;
using testing::naive_margin;
using testing::small_data;
using testing::SmallData;

Problem small_problem(const ProblemSpec& spec = {}, bool sparse = false, bool regression = false) {
  SmallData shape;
  shape.rows = 200;
  shape.regression = regression;
  return Problem(small_data<double>(shape, sparse), spec);
}

SolveOptions short_run(const std::string& solver) {
  SolveOptions options;
  options.solver = solver;
  if (solver == "s3gd" || solver == "auto") options.graph = {.anchors = 8, .neighbours = 3};
  return options;
}

// Algorithm 1 written out in plain loops, with the same draws.
std::vector<double> naive_s3gd(const Problem& problem, const Graph& graph, double eta, Index inner, Index steps,
                               Index batch_size, std::uint64_t seed) {
  const Loss loss(problem.spec().loss);
  const double lambda = problem.spec().penalty.lambda;
  const auto sampler = make_sampler(Sampling::weighted, problem, batch_size);
  Rng rng(seed, 1);
  Batch batch;
  std::vector<double> w(static_cast<std::size_t>(problem.dim()), 0.0), snapshot, approximate;
  const auto h = [&](Index i) {
    const double y = problem.targets()[static_cast<std::size_t>(i)];
    double sum = 0;
    for (Index e = i * graph.neighbours_per_row(); e < (i + 1) * graph.neighbours_per_row(); ++e) {
      const Index anchor = graph.anchor_rows[static_cast<std::size_t>(graph.neighbours[e])];
      const double u = naive_margin(problem, anchor, snapshot);
      sum += static_cast<double>(graph.gammas[e]) * (loss.separable() ? loss.phi(u) : loss.slope(u, y));
    }
    return loss.separable() ? sum - loss.label(y) : sum;
  };
  for (Index step = 0; step < steps; ++step) {
    if (step % inner == 0) {
      snapshot = w;
      approximate.assign(w.size(), 0.0);
      for (Index i = 0; i < problem.rows(); ++i) {
        const auto row = full_row(problem, i);
        const double slope = h(i);
        for (std::size_t j = 0; j < w.size(); ++j) approximate[j] += problem.weight(i) * slope * row[j];
      }
    }
    sampler->next(rng, batch);
    std::vector<double> g = approximate;
    for (std::size_t b = 0; b < batch.rows.size(); ++b) {
      const Index i = batch.rows[b];
      const auto row = full_row(problem, i);
      const double c = loss.slope(naive_margin(problem, i, w), problem.targets()[static_cast<std::size_t>(i)]) - h(i);
      for (std::size_t j = 0; j < w.size(); ++j) g[j] += batch.weights[b] * c * row[j];
    }
    for (std::size_t j = 0; j < w.size(); ++j) {
      const bool shrinks = j + 1 < w.size() || problem.spec().intercept == Intercept::regularised;
      w[j] = (w[j] - eta * g[j]) / (shrinks ? 1 + 2 * lambda * eta : 1.0);
    }
  }
  return w;
}

TEST(S3gd, StepsEqualAlgorithmOneWrittenOut) {
  for (const LossKind loss : {LossKind::logistic, LossKind::squared_hinge})
    for (const bool sparse : {false, true}) {
      ProblemSpec spec;
      spec.loss.kind = loss;
      spec.intercept = Intercept::regularised;
      spec.class_weight = ClassWeight::paper;
      const Problem problem = small_problem(spec, sparse);
      GraphOptions graph_options;
      graph_options.anchors = 8;
      graph_options.neighbours = 3;
      const Graph graph = build_graph(problem.x(), graph_options);
      SolveOptions options = short_run("s3gd");
      options.step = 0.05;
      options.iterations = 60;
      options.trace_every = 60;
      options.tol = 0;
      options.seed = 3;
      options.control = ControlMode::paper;
      SolveInput input;
      input.graph = &graph;
      const Solution solution = solve(problem, options, input);
      const auto naive = naive_s3gd(problem, graph, 0.05, 20, 60, 10, 3);
      EXPECT_NEAR(solution.trace.back().train_objective, objective(problem, naive), 1e-12);
      EXPECT_LE(largest_difference(solution.w, naive), 1e-10) << sparse;
    }
}

TEST(Solve, EveryExactMethodEndsInACertificate) {
  for (const std::string solver : {"s3gd", "svrg", "saga", "sag", "gd", "newton", "auto"})
    for (const bool sparse : {false, true}) {
      ProblemSpec spec;
      spec.penalty.lambda = 0.01;
      const Problem problem = small_problem(spec, sparse);
      SolveOptions options = short_run(solver);
      options.passes = 3000;
      options.tol = 1e-8;
      const Solution solution = solve(problem, options);
      EXPECT_EQ(solution.summary.status, Status::converged) << solver;
      EXPECT_LE(certify(problem, solution.w).relative_gap, 1e-8) << solver;
    }
}

TEST(Solve, StochasticMethodsReachAFloorNearTheOptimum) {
  ProblemSpec spec;
  spec.penalty.lambda = 0.01;
  const Problem problem = small_problem(spec);
  const double best = solve_reference(problem).objective;
  for (const std::string solver : {"sgd", "ssgd", "is-sgd", "scv", "s3gd"}) {
    SolveOptions options = short_run(solver);
    options.step = 0.1;
    options.passes = 300;
    options.tol = 0;
    if (solver == "s3gd") options.propagation = Propagation::constant;  // with a reference there is no floor
    const Solution solution = solve(problem, options);
    EXPECT_EQ(solution.summary.status, Status::out_of_passes);
    EXPECT_LE((solution.summary.objective - best) / best, 0.02) << solver;
    const Certificate& certificate = solution.summary.certificate;
    EXPECT_GE(certificate.primal - certificate.dual, solution.summary.objective - best) << solver;
  }
}

TEST(Solve, AcceleratedGradientNeedsFewerPasses) {
  ProblemSpec spec;
  spec.penalty.lambda = 1e-4;
  const Problem problem = small_problem(spec);
  SolveOptions options = short_run("gd");
  options.passes = 20000;
  options.trace_every = 10;
  options.tol = 1e-7;
  const Solution plain = solve(problem, options);
  options.accelerated = true;
  const Solution fast = solve(problem, options);
  EXPECT_EQ(plain.summary.status, Status::converged);
  EXPECT_EQ(fast.summary.status, Status::converged);
  EXPECT_LT(fast.summary.iterations, plain.summary.iterations);
}

TEST(Solve, SameSeedSameBitsAtAnyThreadCountOtherSeedOtherPath) {
  for (const bool sparse : {false, true})
    for (const std::string solver : {"sgd", "ssgd", "svrg", "scv", "s3gd", "saga", "sag", "is-sgd", "gd", "auto"}) {
      std::vector<std::vector<double>> results;
      for (const int threads : {1, 2, 7}) {
        SmallData shape;
        shape.rows = 3000;
        shape.cols = 20;
        ProblemSpec spec;
        spec.threads = threads;
        SolveOptions options = short_run(solver);
        options.passes = 3;
        options.seed = 5;
        results.push_back(solve(Problem(small_data<float>(shape, sparse), spec), options).w);
      }
      EXPECT_EQ(results[0], results[1]) << solver;
      EXPECT_EQ(results[0], results[2]) << solver;
      if (solver == "gd" || solver == "auto") continue;
      SmallData shape;
      shape.rows = 3000;
      shape.cols = 20;
      SolveOptions options = short_run(solver);
      options.passes = 3;
      options.seed = 6;
      EXPECT_NE(results[0], solve(Problem(small_data<float>(shape, sparse), ProblemSpec{}), options).w) << solver;
    }
}

TEST(Solve, BeingObservedDoesNotChangeThePath) {
  for (const std::string solver : {"s3gd", "sgd", "saga", "scv", "ssgd", "gd"})
    for (const PenaltyKind penalty : {PenaltyKind::l2, PenaltyKind::l1})
      for (const bool sparse : {false, true})
        for (const RowOrder order : {RowOrder::solver, RowOrder::shuffled}) {
          if (order == RowOrder::shuffled && (solver == "ssgd" || solver == "gd")) continue;
          ProblemSpec spec;
          spec.penalty.kind = penalty;
          const Problem problem = small_problem(spec, sparse);
          SolveOptions options = short_run(solver);
          options.order = order;
          options.iterations = 60;
          options.tol = 0;
          options.trace_every = 60;
          const Solution rarely = solve(problem, options);
          options.trace_every = 7;
          options.trace_gradients = true;
          const Solution often = solve(problem, options);
          EXPECT_EQ(rarely.trace.back().train_objective, often.trace.back().train_objective) << solver;
        }
}

TEST(Solve, APassesBudgetIsKeptToWithinOneSnapshot) {
  SmallData shape;
  shape.rows = 20000;
  const Problem problem(small_data<float>(shape, false), ProblemSpec{});
  for (const Estimator& estimator : estimator_table()) {
    SolveOptions options = short_run(estimator.name);
    options.passes = 5;
    options.tol = 0;
    const Solution solution = solve(problem, options);
    EXPECT_LE(solution.summary.passes, 6.1) << estimator.name;
    EXPECT_GE(solution.summary.passes, 4.9) << estimator.name;
  }
}

TEST(Solve, ADivergingStepIsAStatusWithTheBestIterateAndAdvice) {
  ProblemSpec spec;
  spec.loss.kind = LossKind::squared;
  const Problem problem = small_problem(spec, false, true);
  SolveOptions options = short_run("sgd");
  options.step = 1e3;
  options.passes = 50;
  const Solution solution = solve(problem, options);
  EXPECT_EQ(solution.summary.status, Status::diverged);
  for (const double value : solution.w) EXPECT_TRUE(std::isfinite(value));
  EXPECT_TRUE(std::isfinite(solution.summary.objective));
  ASSERT_FALSE(solution.summary.advice.empty());
  EXPECT_NE(solution.summary.advice.front().sentence().find("step"), std::string::npos);
}

TEST(Solve, ItsOwnStepBacksOffInsteadOfDiverging) {
  ProblemSpec spec;
  spec.loss.kind = LossKind::squared;
  const Problem problem = small_problem(spec, true, true);
  for (const Estimator& estimator : estimator_table()) {
    SolveOptions options = short_run(estimator.name);
    options.passes = 10;
    EXPECT_NE(solve(problem, options).summary.status, Status::diverged) << estimator.name;
  }
}

TEST(Solve, DecayReachesALowerFloorThanAConstantStep) {
  ProblemSpec spec;
  spec.penalty.lambda = 0.01;
  const Problem problem = small_problem(spec);
  SolveOptions options = short_run("sgd");
  options.step = 1.0;
  options.passes = 300;
  options.tol = 0;
  options.trace_every = 6000;
  const double constant = solve(problem, options).trace.back().train_objective;
  options.decay = 50;
  EXPECT_LT(solve(problem, options).trace.back().train_objective, constant);
}

TEST(Solve, AnAveragedSnapshotConvergesToo) {
  ProblemSpec spec;
  spec.penalty.lambda = 0.01;
  for (const bool sparse : {false, true}) {
    const Problem problem = small_problem(spec, sparse);
    SolveOptions options = short_run("svrg");
    options.average_snapshot = true;
    options.passes = 2000;
    options.tol = 1e-6;
    EXPECT_EQ(solve(problem, options).summary.status, Status::converged);
  }
}

TEST(Solve, TheWatcherSeesTheTraceAndCanStopIt) {
  const Problem problem = small_problem();
  SolveOptions options = short_run("sgd");
  options.trace_every = 5;
  options.tol = 0;
  int calls = 0;
  SolveInput input;
  input.watch = [&](const TraceRow& row) {
    EXPECT_EQ(row.iteration, 5 * calls);
    return ++calls < 4;
  };
  EXPECT_EQ(solve(problem, options, input).summary.status, Status::interrupted);
  EXPECT_EQ(calls, 4);
}

TEST(Solve, AnInterruptKeepsWhatThereIs) {
  const Problem problem = small_problem();
  SolveOptions options = short_run("sgd");
  options.passes = 1e9;
  options.tol = 0;
  options.trace_every = 1000000000;
  SolveInput input;
  input.watch = [](const TraceRow&) {
    request_interrupt();
    return true;
  };
  const Solution solution = solve(problem, options, input);
  request_interrupt(false);
  EXPECT_EQ(solution.summary.status, Status::interrupted);
  EXPECT_EQ(static_cast<Index>(solution.w.size()), problem.dim());
}

TEST(Solve, GradientQualityIsTracedWhenAsked) {
  ProblemSpec spec;
  spec.penalty.lambda = 0.01;
  const Problem problem = small_problem(spec);
  for (const std::string solver : {"svrg", "gd"}) {
    SolveOptions options = short_run(solver);
    options.passes = 300;
    options.tol = 0;
    options.trace_gradients = true;
    const Solution solution = solve(problem, options);
    EXPECT_GT(solution.trace.back().correlation, 0.9) << solver;
    EXPECT_LT(solution.trace.back().variance_ratio, 1e-3) << solver;
  }
  SolveOptions options = short_run("sgd");
  options.passes = 5;
  options.tol = 0;
  options.trace_gradients = true;
  EXPECT_NEAR(solve(problem, options).trace.back().variance_ratio, 1.0, 1e-9);
}

TEST(Solve, BadOptionsAreOneSentenceEach) {
  const Problem problem = small_problem();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<std::function<void(SolveOptions&)>> mistakes{
      [](SolveOptions& o) { o.solver = "svgr"; },   [&](SolveOptions& o) { o.step = nan; },
      [](SolveOptions& o) { o.step = -1; },         [](SolveOptions& o) { o.batch = 0; },
      [](SolveOptions& o) { o.inner = -3; },        [&](SolveOptions& o) { o.tol = nan; },
      [](SolveOptions& o) { o.passes = -1; },       [](SolveOptions& o) { o.iterations = -1; },
      [](SolveOptions& o) { o.graph.anchors = 0; }, [](SolveOptions& o) { o.graph.neighbours = -2; },
      [](SolveOptions& o) { o.start = {1.0}; },     [](SolveOptions& o) { o.accelerated = true; },
  };
  for (std::size_t k = 0; k < mistakes.size(); ++k) {
    SolveOptions options = short_run("s3gd");
    mistakes[k](options);
    EXPECT_THROW(solve(problem, options), Error) << k;
  }
  try {
    SolveOptions options = short_run("svgr");
    solve(problem, options);
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("svrg"), std::string::npos);
  }
}

TEST(Solve, AFinisherThatDoesNotSuitTheProblemIsRefused) {
  const auto by = [](const char* name) {
    SolveOptions options;
    options.solver = name;
    return options;
  };
  ProblemSpec spec;
  spec.penalty.kind = PenaltyKind::l1;
  const Problem kinked(load("gen:manifold?rows=100&cols=5"), spec);
  for (const char* name : {"sampled-newton", "dual"}) EXPECT_THROW(solve(kinked, by(name)), Error) << name;
  EXPECT_THROW(solve(Problem(kinked.data(), ProblemSpec{}), by("active-set")), Error);
  EXPECT_EQ(solve(kinked, by("active-set")).summary.status, Status::converged);
}

TEST(Solve, MoreAnchorsThanRowsAndMoreNeighboursThanAnchorsAreCapped) {
  const Problem problem = small_problem();
  SolveOptions options = short_run("s3gd");
  options.graph.anchors = 100000;
  options.graph.neighbours = 1000000;
  options.passes = 2;
  EXPECT_NO_THROW(solve(problem, options));
}

TEST(Solve, AGraphOfOtherRowsIsRefused) {
  const Problem problem = small_problem();
  SmallData other;
  other.rows = 50;
  const Graph graph = build_graph(testing::small_matrix<double>(other, false));
  SolveInput input;
  input.graph = &graph;
  EXPECT_THROW(solve(problem, short_run("s3gd"), input), Error);
}

TEST(Solve, ThePaperSettingIsThePapers) {
  ProblemSpec spec;
  SolveOptions options;
  apply_paper_setting(spec, options);
  EXPECT_EQ(spec.penalty.kind, PenaltyKind::l2);
  EXPECT_EQ(spec.penalty.lambda, 1e-3);
  EXPECT_EQ(spec.intercept, Intercept::regularised);
  EXPECT_EQ(spec.class_weight, ClassWeight::paper);
  EXPECT_EQ(spec.positive, "largest");
  EXPECT_EQ(options.batch, 10);
  EXPECT_EQ(options.graph.anchors, 100);
  EXPECT_EQ(options.graph_mode, GraphMode::full);
  EXPECT_EQ(options.control, ControlMode::paper);
  EXPECT_EQ(find_estimator("s3gd")->inner, 20);
  EXPECT_EQ(find_estimator("svrg")->inner, 50);
}

// Rows averaged: half of the printed loss beside the whole penalty. So at step eta it is the sum of the class means at eta / 2
// with twice the penalty, bit for bit; and its objective is half of that one's.
TEST(Solve, TheReadingAsAMeanIsTheSumAtHalfTheStepWithTwiceThePenalty) {
  const Dataset data = load("gen:manifold?rows=400&cols=7&ratio=5&tails=0.5");
  ProblemSpec mean, sum;
  for (const std::string solver : {"sgd", "ssgd", "svrg", "scv", "saga", "s3gd"}) {
    SolveOptions at, half;
    apply_paper_setting(mean, at);
    apply_paper_setting(sum, half);
    mean.class_weight = ClassWeight::balanced;
    sum.penalty.lambda *= 2;
    at.solver = half.solver = solver;
    at.iterations = half.iterations = 120;
    at.tol = half.tol = 0;
    at.step = 0.5;
    half.step = at.step / 2;
    const SolveOptions usual;
    for (SolveOptions* options : {&at, &half})  // the paper's propagation would mean nothing to the others
      if (solver != "s3gd") {
        options->graph = usual.graph;
        options->graph_mode = usual.graph_mode;
        options->control = usual.control;
        options->propagation = usual.propagation;
      }
    const Problem as_mean(data, mean), as_sum(data, sum);
    const Solution one = solve(as_mean, at), two = solve(as_sum, half);
    EXPECT_EQ(one.w, two.w) << solver;
    EXPECT_DOUBLE_EQ(objective(as_mean, one.w), objective(as_sum, one.w) / 2) << solver;
  }
}

}  // namespace
}  // namespace s3gd
