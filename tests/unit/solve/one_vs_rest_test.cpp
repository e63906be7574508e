#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/interrupt.hpp"
#include "s3gd/error.hpp"
#include "support/blobs.hpp"
#include "support/one_vs_rest.hpp"

namespace s3gd {
namespace {

using testing::Blobs;
using testing::blobs;
using testing::expect_near;
using testing::expect_optimal;
using testing::joined;
using testing::OneVsRest;
using testing::Parameters;
using testing::separate_fits;
using testing::solve_one_vs_rest;
using testing::with_words;

TEST(OneVsRest, EveryClassIsAtItsOptimumForEveryLossAndPenalty) {
  for (const LossKind loss : {LossKind::logistic, LossKind::squared, LossKind::squared_hinge, LossKind::smooth_hinge})
    for (const PenaltyKind penalty : {PenaltyKind::l2, PenaltyKind::none, PenaltyKind::l1, PenaltyKind::elastic_net})
      for (const bool sparse : {false, true}) {
        const Dataset data = blobs({.rows = 400, .sparse = sparse});
        ProblemSpec spec;
        spec.loss.kind = loss;
        spec.penalty.kind = penalty;
        SolveOptions options;
        options.tol = 1e-6;
        const OneVsRest fit = solve_one_vs_rest(data, spec, options);
        expect_optimal(fit, data, spec, options.tol);
        EXPECT_EQ(fit.summary.status, Status::converged);
        EXPECT_EQ(fit.classes, (std::vector<std::string>{"0", "1", "2", "3", "4"}));
      }
}

TEST(OneVsRest, SmoothProblemsAreFittedTogetherOthersEachForItself) {
  const Dataset data = blobs({});
  const auto joint = [&](PenaltyKind penalty, const SolveOptions& options) {
    ProblemSpec spec;
    spec.penalty.kind = penalty;
    const OneVsRest fit = solve_one_vs_rest(data, spec, options);
    const bool together = fit.summary.stages.front().name == "joint-newton";
    EXPECT_EQ(fit.w == separate_fits(data, spec, options), !together);
    return together;
  };
  SolveOptions named;
  named.solver = "sampled-newton";
  EXPECT_TRUE(joint(PenaltyKind::l2, {}));
  EXPECT_FALSE(joint(PenaltyKind::l1, {}));
  EXPECT_FALSE(joint(PenaltyKind::l2, named));
}

// More classes than are fitted together: several groups.
TEST(OneVsRest, ManyClassesAreFittedInGroups) {
  const Dataset data = blobs({.rows = 800, .classes = 70});
  const OneVsRest fit = solve_one_vs_rest(data, {});
  ASSERT_EQ(fit.classes.size(), 70U);
  expect_optimal(fit, data, {}, 1e-4);
}

TEST(OneVsRest, SampleAndClassWeightsAreThoseOfSeparateFits) {
  const Dataset data = blobs({.weighted = true});
  for (const ClassWeight weight : {ClassWeight::none, ClassWeight::balanced, ClassWeight::paper}) {
    ProblemSpec spec;
    spec.class_weight = weight;
    expect_optimal(solve_one_vs_rest(data, spec), data, spec, 1e-4);
    spec.penalty.kind = PenaltyKind::l1;
    EXPECT_EQ(solve_one_vs_rest(data, spec).w, separate_fits(data, spec, {}));
  }
}

TEST(OneVsRest, ACompleteGraphIsBuiltOnceForAllClasses) {
  const Dataset data = blobs({});
  SolveOptions options;
  options.solver = "s3gd";
  options.passes = 3;
  options.graph.anchors = 10;
  for (const auto& [mode, order] :
       {std::pair(GraphMode::full, RowOrder::solver), std::pair(GraphMode::full, RowOrder::shuffled),
        std::pair(GraphMode::streaming, RowOrder::weighted)}) {
    options.graph_mode = mode;
    options.order = order;
    const OneVsRest fit = solve_one_vs_rest(data, {}, options);
    options.control = ControlMode::paper;  // an adaptive share is one for all classes
    expect_near(solve_one_vs_rest(data, {}, options).w, separate_fits(data, {}, options), 1e-4, "s3gd");
    options.control = ControlMode::adaptive;
    const auto graphs = [](const Summary& summary) {
      return std::count_if(summary.stages.begin(), summary.stages.end(),
                           [](const Stage& stage) { return stage.name == "graph"; });
    };
    EXPECT_EQ(graphs(fit.summary), 1);
    for (const Summary& one : fit.class_summaries) EXPECT_EQ(graphs(one), 0);

    const Graph graph = build_graph(data.x, options.graph);
    SolveInput given;
    given.graph = &graph;
    EXPECT_EQ(fit.w, solve_one_vs_rest(data, {}, options, given).w);
  }
}

TEST(OneVsRest, TheBitsAreTheSameAtAnyNumberOfThreads) {
  for (const char* solver : {"auto", "sampled-newton", "s3gd", "sgd"}) {
    const Dataset data = blobs({.rows = 400});
    SolveOptions options;
    options.solver = solver;
    options.passes = 4;
    if (options.solver == "s3gd") options.graph.anchors = 10;
    ProblemSpec spec;
    spec.threads = 1;
    const OneVsRest one = solve_one_vs_rest(data, spec, options);
    for (const int threads : {2, 3, 5, 17}) {  // side by side up to 5, one after the other beyond
      spec.threads = threads;
      const OneVsRest fit = solve_one_vs_rest(data, spec, options);
      EXPECT_EQ(fit.w, one.w) << solver << " " << threads;
      EXPECT_EQ(fit.summary.objective, one.summary.objective);
      EXPECT_EQ(fit.summary.certificate.relative_gap, one.summary.certificate.relative_gap);
    }
  }
}

TEST(OneVsRest, TheSummaryIsTheSumAndTheWorst) {
  const Dataset data = blobs({});
  const OneVsRest fit = solve_one_vs_rest(data, {});
  double objective = 0, dual = 0, worst = 0, passes = 0;
  ASSERT_EQ(fit.class_summaries.size(), fit.classes.size());
  for (const Summary& one : fit.class_summaries) {
    objective += one.objective;
    dual += one.certificate.dual;
    worst = std::max(worst, one.certificate.relative_gap);
    passes += one.passes;
  }
  EXPECT_EQ(fit.summary.objective, objective);
  EXPECT_EQ(fit.summary.certificate.primal, objective);
  EXPECT_EQ(fit.summary.certificate.dual, dual);
  EXPECT_EQ(fit.summary.certificate.relative_gap, worst);
  EXPECT_EQ(fit.summary.passes, passes);
  EXPECT_LE(worst, 1e-4);
}

TEST(OneVsRest, AClassWithOneRowIsFittedAsAnyOther) {
  Dataset data = blobs({});
  std::vector<double> labels(data.y.values.begin(), data.y.values.end());
  labels[7] = 99;
  data.y.values = Array<double>(std::move(labels));
  const OneVsRest fit = solve_one_vs_rest(data, {});
  EXPECT_EQ(fit.classes.back(), "99");
  expect_optimal(fit, data, {}, 1e-4);
}

TEST(OneVsRest, WordsAreKeptEvenThoseThatMeanSomethingElsewhere) {
  const Dataset data = with_words(blobs({}), {"auto", "largest", "rest", "7", "e e"});
  const OneVsRest fit = solve_one_vs_rest(data, {});
  EXPECT_EQ(fit.classes, data.y.class_names);
  EXPECT_EQ(fit.w, solve_one_vs_rest(blobs({}), {}).w);
}

TEST(OneVsRest, AClassWithoutWeightIsLeftOut) {
  Dataset data = blobs({});
  std::vector<double> weights;
  for (const double label : data.y.values) weights.push_back(label == 2 ? 0.0 : 1.0);
  data.weights = Array<double>(std::move(weights));
  EXPECT_EQ(solve_one_vs_rest(data, {}).classes, (std::vector<std::string>{"0", "1", "3", "4"}));
}

TEST(OneVsRest, AWholeWeightIsARowRepeated) {
  Dataset weighted = blobs({});
  std::vector<double> weights;
  std::vector<Index> repeated;
  for (Index i = 0; i < weighted.rows(); ++i) {
    weights.push_back(static_cast<double>(i % 3));
    for (Index copy = 0; copy < i % 3; ++copy) repeated.push_back(i);
  }
  const Dataset copies = take_rows(weighted, repeated);
  weighted.weights = Array<double>(std::move(weights));
  SolveOptions options;
  options.tol = 1e-12;
  const OneVsRest a = solve_one_vs_rest(weighted, {}, options), b = solve_one_vs_rest(copies, {}, options);
  ASSERT_EQ(a.classes, b.classes);
  for (std::size_t k = 0; k < a.w.size(); ++k)
    for (std::size_t j = 0; j < a.w[k].size(); ++j) EXPECT_NEAR(a.w[k][j], b.w[k][j], 1e-5);
  EXPECT_NEAR(a.summary.objective, b.summary.objective, 1e-10);
}

TEST(OneVsRest, AClassBeginsWhereItIsTold) {
  const Dataset data = blobs({});
  SolveOptions options;
  options.solver = "newton";
  Parameters starts = solve_one_vs_rest(data, {}, options).w;
  starts[1].assign(starts[1].size(), 0.0);
  options.start = joined(starts);
  const OneVsRest again = solve_one_vs_rest(data, {}, options);
  for (std::size_t k = 0; k < again.w.size(); ++k) {
    EXPECT_EQ(again.class_summaries[k].iterations == 0, k != 1);
    EXPECT_EQ(again.w[k] == starts[k], k != 1);
  }
  options.start.pop_back();
  EXPECT_THROW(solve_one_vs_rest(data, {}, options), Error);
}

TEST(OneVsRest, ClassesFittedTogetherBeginWhereTheyAreTold) {
  const Dataset data = blobs({});
  Parameters starts = solve_one_vs_rest(data, {}).w;
  SolveOptions options;
  options.start = joined(starts);
  EXPECT_EQ(solve_one_vs_rest(data, {}, options).w, starts);
  starts[1].assign(starts[1].size(), 0.0);
  options.start = joined(starts);
  const OneVsRest again = solve_one_vs_rest(data, {}, options);
  for (std::size_t k = 0; k < again.w.size(); ++k) EXPECT_EQ(again.w[k] == starts[k], k != 1);
  expect_optimal(again, data, {}, 1e-4);
  options.start.resize(1);
  EXPECT_THROW(solve_one_vs_rest(data, {}, options), Error);
}

TEST(OneVsRest, ClassesStopEarlyOneByOne) {
  const Dataset train = blobs({.cols = 40}), test = blobs({.rows = 60, .cols = 40, .classes = 4, .seed = 2});
  ProblemSpec spec;
  spec.penalty.lambda = 1e-9;
  SolveOptions options;
  options.solver = "newton";
  options.patience = 1;
  options.tol = 1e-9;
  SolveInput input;
  input.test = &test;
  const OneVsRest fit = solve_one_vs_rest(train, spec, options, input);
  for (std::size_t k = 0; k < 4; ++k) EXPECT_EQ(fit.class_summaries[k].status, Status::early_stopped) << k;
  EXPECT_EQ(fit.class_summaries[4].status, Status::converged);  // no rows to look at
}

class Interrupted : public ::testing::TestWithParam<int> {
 protected:
  ~Interrupted() override { request_interrupt(false); }
};

// The best constant margin b of the class minimises its loss: mean slope 0.
double slope_of_constant(const Dataset& data, double label, double b) {
  double sum = 0;
  for (const double y : data.y.values) sum += 1 / (1 + std::exp(-b)) - (y == label ? 1.0 : 0.0);
  return sum / static_cast<double>(data.rows());
}

TEST_P(Interrupted, ClassesWhoseTurnNeverCameGetTheBestModelWithoutFeatures) {
  const Dataset data = blobs({.classes = 8});
  ProblemSpec spec;
  spec.threads = GetParam();
  SolveInput input;
  input.watch_class = [](const std::string&, const Summary&) {
    request_interrupt();
    return true;
  };
  SolveOptions one_by_one;
  one_by_one.solver = "newton";
  const OneVsRest fit = solve_one_vs_rest(data, spec, one_by_one, input);
  EXPECT_EQ(fit.summary.status, Status::interrupted);
  const auto converged = [](const Summary& one) { return one.status == Status::converged; };
  EXPECT_TRUE(std::any_of(fit.class_summaries.begin(), fit.class_summaries.end(), converged));
  const std::vector<double>& last = fit.w.back();
  EXPECT_EQ(fit.class_summaries.back().status, Status::interrupted);
  for (std::size_t j = 0; j + 1 < last.size(); ++j) EXPECT_EQ(last[j], 0.0);
  EXPECT_NEAR(slope_of_constant(data, 7, last.back()), 0.0, 1e-9);
  EXPECT_LT(last.back(), 0.0);
  spec.positive = "7";
  EXPECT_NEAR(fit.class_summaries.back().objective, objective(Problem(data, spec), last), 1e-12);
}

TEST_P(Interrupted, ClassesFittedTogetherEndWithoutFeatures) {
  const Dataset data = blobs({.classes = 8});
  ProblemSpec spec;
  spec.threads = GetParam();
  request_interrupt();
  const OneVsRest fit = solve_one_vs_rest(data, spec);
  EXPECT_EQ(fit.summary.status, Status::interrupted);
  for (std::size_t k = 0; k < fit.w.size(); ++k)
    EXPECT_NEAR(slope_of_constant(data, static_cast<double>(k), fit.w[k].back()), 0.0, 1e-9);
}

TEST_P(Interrupted, EndlessClassesEndAtAnInterrupt) {
  const Dataset data = blobs({.classes = 8});
  ProblemSpec spec;
  spec.threads = GetParam();
  SolveOptions options;
  options.solver = "sgd";
  options.passes = 1e12;
  options.tol = 0;
  request_interrupt();
  const OneVsRest fit = solve_one_vs_rest(data, spec, options);
  EXPECT_EQ(fit.summary.status, Status::interrupted);
  for (const auto& w : fit.w)
    for (const double value : w) EXPECT_TRUE(std::isfinite(value));
}

INSTANTIATE_TEST_SUITE_P(Threads, Interrupted, ::testing::Values(1, 2, 16));

TEST(OneVsRest, AWatcherThatHasSeenEnoughEndsIt) {
  SolveInput input;
  Index calls = 0;
  input.watch_class = [&](const std::string&, const Summary&) { return ++calls < 2; };
  ProblemSpec spec;
  spec.threads = 1;
  SolveOptions one_by_one;
  one_by_one.solver = "newton";
  const OneVsRest fit = solve_one_vs_rest(blobs({}), spec, one_by_one, input);
  EXPECT_EQ(calls, 5);
  EXPECT_EQ(fit.class_summaries[1].status, Status::converged);
  EXPECT_EQ(fit.class_summaries[2].status, Status::interrupted);
}

TEST(OneVsRest, OneClassDoesNotUseUpTheTimeOfTheNext) {
  const Dataset data = blobs({.classes = 6});
  for (const int threads : {1, 2}) {
    ProblemSpec spec;
    spec.threads = threads;
    SolveOptions options;
    options.solver = "sgd";
    options.passes = 1e12;
    options.tol = 0;
    options.seconds = 0.6;
    const OneVsRest fit = solve_one_vs_rest(data, spec, options);
    EXPECT_EQ(fit.summary.status, Status::out_of_time);
    EXPECT_GT(fit.class_summaries[2].iterations, 0);
  }
}

TEST(OneVsRest, NoTimeAtAllStillGivesAModel) {
  SolveOptions options;
  options.seconds = 1e-12;
  const OneVsRest fit = solve_one_vs_rest(blobs({}), {}, options);
  EXPECT_EQ(fit.summary.status, Status::out_of_time);
  for (const auto& w : fit.w) EXPECT_LT(w.back(), 0.0);
}

TEST(OneVsRest, TheTraceNamesTheClass) {
  const Dataset train = blobs({}), test = blobs({.rows = 4, .classes = 4, .seed = 2});
  SolveOptions options;
  options.trace_every = -1;
  SolveInput input;
  input.test = &test;
  const OneVsRest fit = solve_one_vs_rest(train, {}, options, input);
  std::vector<std::string> seen;
  for (const TraceRow& row : fit.trace) {
    const std::string name = row.stage.substr(0, row.stage.find(": "));
    if (seen.empty() || seen.back() != name) seen.push_back(name);
  }
  EXPECT_EQ(seen, fit.classes);
  EXPECT_TRUE(std::isfinite(fit.trace.front().test_objective));
  EXPECT_TRUE(std::isnan(fit.trace.back().test_objective));  // class 4 has no rows there
  EXPECT_EQ(fit.w, solve_one_vs_rest(train, {}).w);          // looking changes nothing
}

TEST(OneVsRest, LimitsHoldForClassesFittedTogether) {
  const Dataset data = blobs({});
  SolveOptions options;
  options.tol = 1e-12;
  options.iterations = 1;
  const OneVsRest short_of_steps = solve_one_vs_rest(data, {}, options);
  EXPECT_EQ(short_of_steps.summary.status, Status::out_of_passes);
  options.iterations = 0;
  options.passes = 1;
  for (const Summary& one : solve_one_vs_rest(data, {}, options).class_summaries) {
    EXPECT_EQ(one.status, Status::out_of_passes);
    EXPECT_FALSE(one.advice.empty());
  }
}

TEST(OneVsRest, WhatDoesNotFitIsRefused) {
  ProblemSpec named;
  named.positive = "1";
  EXPECT_THROW(solve_one_vs_rest(blobs({}), named), Error);
  EXPECT_THROW(solve_one_vs_rest(blobs({.classes = 1}), {}), Error);
  Dataset real = blobs({});
  real.y.kind = LabelKind::real;
  EXPECT_THROW(solve_one_vs_rest(real, {}), Error);
  Dataset none = blobs({});
  none.y = Labels{};
  EXPECT_THROW(solve_one_vs_rest(none, {}), Error);
  SolveOptions wrong;
  wrong.solver = "guess";
  EXPECT_THROW(solve_one_vs_rest(blobs({}), {}, wrong), Error);
}

TEST(OneVsRest, AClassThatHardlyMovedGetsTheBestConstantInstead) {
  const Dataset data = blobs({.rows = 400});
  ProblemSpec spec;
  spec.penalty.kind = PenaltyKind::l1;
  SolveOptions options;
  options.solver = "gd";
  options.step = 1e-9;
  options.iterations = 1;
  const OneVsRest fit = solve_one_vs_rest(data, spec, options);
  EXPECT_EQ(fit.summary.status, Status::out_of_passes);
  for (std::size_t k = 0; k < fit.classes.size(); ++k) {
    for (std::size_t j = 0; j + 1 < fit.w[k].size(); ++j) EXPECT_EQ(fit.w[k][j], 0);
    EXPECT_LT(fit.w[k].back(), 0);  // a class is rarer than its rest
    spec.positive = fit.classes[k];
    EXPECT_NEAR(fit.class_summaries[k].objective, objective(Problem(data, spec), fit.w[k]), 1e-12);
  }
}

}  // namespace
}  // namespace s3gd
