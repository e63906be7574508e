#include "s3gd/fit.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "s3gd/error.hpp"
#include "s3gd/model_use.hpp"
#include "support/blobs.hpp"

namespace s3gd {
namespace {

using testing::blobs;
using testing::with_words;

TaskSpec spec_of(LossKind loss, Outputs outputs = Outputs::automatic) {
  TaskSpec spec;
  spec.problem.loss.kind = loss;
  spec.outputs = outputs;
  return spec;
}

Outputs kind_of(const Dataset& data, const TaskSpec& spec, const std::string& solver = "auto") {
  return Task(data, spec, solver).kind();
}

TEST(Task, ManyClassesAreSoftmaxWhereItHasWhatIsAskedForAndOneVsRestOtherwise) {
  const Dataset data = blobs({});
  EXPECT_EQ(kind_of(data, {}), Outputs::softmax);
  EXPECT_EQ(kind_of(data, {}, "quasi-newton"), Outputs::softmax);
  EXPECT_EQ(kind_of(data, {}, "s3gd"), Outputs::one_vs_rest);
  EXPECT_EQ(kind_of(data, {}, "saga"), Outputs::one_vs_rest);
  EXPECT_EQ(kind_of(data, spec_of(LossKind::squared_hinge)), Outputs::one_vs_rest);
  TaskSpec spec;
  spec.problem.class_weight = ClassWeight::paper;
  EXPECT_EQ(kind_of(data, spec), Outputs::one_vs_rest);
  spec = {};
  spec.problem.penalty.kind = PenaltyKind::l1_l2norm;
  EXPECT_EQ(kind_of(data, spec), Outputs::one_vs_rest);
  spec = {};
  spec.problem.penalty.also.emplace_back();
  EXPECT_EQ(kind_of(data, spec), Outputs::one_vs_rest);
}

TEST(Task, WhatIsAskedForIsDone) {
  const Dataset data = blobs({});
  EXPECT_EQ(kind_of(data, spec_of(LossKind::logistic, Outputs::one_vs_rest)), Outputs::one_vs_rest);
  EXPECT_EQ(kind_of(data, spec_of(LossKind::logistic, Outputs::softmax), "s3gd"), Outputs::softmax);
  TaskSpec spec;
  spec.matrix_penalty = MatrixPenaltyKind::group_lasso;
  EXPECT_EQ(kind_of(data, spec), Outputs::softmax);
  spec = {};
  spec.problem.positive = "2";
  const Task task(data, spec);
  EXPECT_EQ(task.kind(), Outputs::one);
  EXPECT_EQ(task.classes(), (std::vector<std::string>{kRestClass, "2"}));
}

TEST(Task, TwoClassesAndNumbersAreOneOutput) {
  const Dataset two = blobs({.classes = 2});
  EXPECT_EQ(kind_of(two, {}), Outputs::one);
  EXPECT_EQ(kind_of(two, spec_of(LossKind::logistic, Outputs::one_vs_rest)), Outputs::one);
  EXPECT_EQ(kind_of(two, spec_of(LossKind::logistic, Outputs::softmax)), Outputs::softmax);
  EXPECT_EQ(kind_of(blobs({}), spec_of(LossKind::squared)), Outputs::one);
  EXPECT_EQ(kind_of(blobs({}), spec_of(LossKind::squared, Outputs::one_vs_rest)), Outputs::one_vs_rest);
  // Words are no numbers.
  const Dataset words = with_words(blobs({.classes = 3}), {"a", "b", "c"});
  EXPECT_EQ(kind_of(words, spec_of(LossKind::squared)), Outputs::one_vs_rest);
}

TEST(Task, OtherLambdasKeepTheRatiosOfAPenaltysTerms) {
  ProblemSpec spec;
  spec.penalty.lambda = 0.1;
  spec.penalty.also.push_back({.kind = PenaltyKind::l1, .lambda = 0.3, .alpha = 0.5, .factors = {}, .also = {}});
  const Task task = OneVsRestProblem(blobs({}), spec).of(0);
  const PenaltySpec there = std::get<Problem>(task.with_lambda(0.2).stated()).spec().penalty;
  EXPECT_DOUBLE_EQ(there.lambda, 0.2);
  EXPECT_DOUBLE_EQ(there.also[0].lambda, 0.6);
}

const Outputs kKinds[] = {Outputs::one, Outputs::one_vs_rest, Outputs::softmax};

Dataset rows_for(Outputs kind) {
  return blobs({.rows = 300, .classes = kind == Outputs::one ? 2 : 4, .weighted = true});
}

TEST(Fit, IsWhatItsPartsGiveByHand) {
  for (const Outputs kind : kKinds) {
    const Dataset data = rows_for(kind);
    const TaskSpec spec = spec_of(LossKind::logistic, kind);
    FitOptions options;
    options.scale = Scale::standard;
    options.validation_fraction = 0.25;
    options.solve.seed = 3;
    const Fit whole = fit(data, spec, options);

    const Split split = split_rows(data, 0.25, 3);
    const Dataset train = take_rows(data, split.train), rest = take_rows(data, split.test);
    const Scaling scaling = learn_scaling(train, Scale::standard);
    const Task task(apply_scaling(train, scaling), spec);
    SolveOptions solving;
    solving.seed = 3;
    const Solution solution = solve(task, solving);
    EXPECT_EQ(whole.w, solution.w);
    EXPECT_EQ(whole.summary.status, Status::converged);
    EXPECT_EQ(whole.summary.classes.size(), kind == Outputs::one_vs_rest ? 4U : 0U);
    EXPECT_EQ(whole.task.formula(), task.formula());
    EXPECT_EQ(whole.model.weights, task.model(solution.w, scaling).weights);
    EXPECT_EQ(whole.validation->rows, rest.rows());
    EXPECT_EQ(whole.validation->left_out, 0);
  }
}

// -log P(class) of a row by its margins; one-vs-rest: of every class whether it is its own.
double slow_loss(Outputs kind, const double* margins, Index outputs, Index label) {
  if (kind == Outputs::one) return std::log1p(std::exp(label == 1 ? -margins[0] : margins[0]));
  double sum = 0, loss = 0;
  for (Index k = 0; k < outputs; ++k) {
    sum += std::exp(margins[k]);
    loss += std::log1p(std::exp(k == label ? -margins[k] : margins[k]));
  }
  return kind == Outputs::softmax ? std::log(sum) - margins[label] : loss;
}

TEST(Fit, TheValidationLossIsTheWeightedMeanOverRowsOfKnownClasses) {
  for (const Outputs kind : kKinds) {
    FitOptions options;
    Dataset others = blobs({.rows = 60, .classes = 5, .weighted = true, .seed = 2});
    options.validation = others;
    const Fit result = fit(rows_for(kind), spec_of(LossKind::logistic, kind), options);
    const Index known = kind == Outputs::one ? 2 : 4, outputs = result.model.outputs();
    const std::vector<double> margins = predict_margins(result.model, others);
    double sum = 0, weight = 0;
    Index rows = 0;
    for (Index i = 0; i < others.rows(); ++i) {
      const auto label = static_cast<Index>(others.y.values[i]);
      if (label >= known) continue;
      ++rows;
      weight += others.weights[i];
      sum += others.weights[i] * slow_loss(kind, margins.data() + i * outputs, outputs, label);
    }
    EXPECT_EQ(result.validation->rows, rows);
    EXPECT_EQ(result.validation->left_out, others.rows() - rows);
    EXPECT_NEAR(result.validation->loss, sum / weight, 1e-12);
  }
}

TEST(Fit, ProbabilitiesAreFittedOnRowsHeldOut) {
  for (const Outputs kind : {Outputs::one, Outputs::one_vs_rest}) {
    const Dataset data = rows_for(kind);
    FitOptions options;
    options.calibration_fraction = 0.2;
    const TaskSpec spec = spec_of(LossKind::squared_hinge, kind);
    const Fit calibrated = fit(data, spec, options);
    const Split split = split_rows(data, 0.2, 0);
    Model by_hand = fit(take_rows(data, split.train), spec).model;
    calibrate(by_hand, take_rows(data, split.test));
    EXPECT_EQ(calibrated.model.link, Link::platt);
    EXPECT_EQ(calibrated.model.platt, by_hand.platt);
    EXPECT_EQ(calibrated.calibration->rows, static_cast<Index>(split.test.size()));
    EXPECT_EQ(calibrated.calibration->sigmoids, by_hand.platt);
  }
}

TEST(Fit, ClassWeightsAreThoseOfTheRows) {
  for (const Outputs kind : kKinds) {
    Dataset data = rows_for(kind);
    FitOptions options;
    options.class_weights = ClassWeights{"", {{"1", 3.0}}};
    const Fit weighted = fit(data, spec_of(LossKind::logistic, kind), options);
    std::vector<double> weights;
    for (Index i = 0; i < data.rows(); ++i) weights.push_back(data.weights[i] * (data.y.values[i] == 1 ? 3.0 : 1.0));
    data.weights = Array<double>(std::move(weights));
    EXPECT_EQ(weighted.w, fit(data, spec_of(LossKind::logistic, kind)).w);
  }
}

TEST(Fit, GoesOnFromAModel) {
  for (const Outputs kind : kKinds) {
    FitOptions options;
    options.scale = Scale::standard;
    const TaskSpec spec = spec_of(LossKind::logistic, kind);
    const Fit first = fit(rows_for(kind), spec, options);
    options.start = &first.model;
    const Fit again = fit(rows_for(kind), spec, options);
    EXPECT_GT(first.summary.iterations, 0);
    EXPECT_EQ(again.summary.iterations, 0);
  }
}

TEST(Fit, StopsEarlyByTheRowsHeldOut) {
  // Labels that the rows say nothing about: whatever fits them is worse on others.
  Dataset data = blobs({.rows = 120, .cols = 40, .classes = 2});
  std::vector<double> labels;
  for (Index i = 0; i < data.rows(); ++i) labels.push_back(static_cast<double>(i % 2));
  data.y.values = Array<double>(std::move(labels));
  TaskSpec spec;
  spec.problem.penalty.lambda = 1e-9;
  FitOptions options;
  options.validation_fraction = 0.5;
  options.solve.solver = "newton";
  options.solve.tol = 1e-12;
  options.solve.patience = 1;
  const Fit stopped = fit(data, spec, options);
  EXPECT_EQ(stopped.summary.status, Status::early_stopped);
  options.solve.patience = 0;
  EXPECT_LT(stopped.validation->loss, fit(data, spec, options).validation->loss);
}

TEST(Fit, WhatMakesNoSenseIsRefused) {
  const Dataset data = rows_for(Outputs::softmax);
  FitOptions options;
  options.validation_fraction = 1;
  EXPECT_THROW(fit(data, {}, options), Error);
  options = {};
  options.calibration_fraction = 0.2;
  EXPECT_THROW(fit(data, {}, options), Error);                          // softmax has probabilities
  EXPECT_THROW(fit(data, spec_of(LossKind::squared), options), Error);  // numbers have none
  options.calibration_fraction = 0.003;
  EXPECT_THROW(fit(data, spec_of(LossKind::squared_hinge), options), Error);  // a class without rows
}

}  // namespace
}  // namespace s3gd
