// Plans, contenders and steps as they are written.
#include <gtest/gtest.h>

#include "s3gd/compare.hpp"
#include "s3gd/error.hpp"

namespace s3gd {
namespace {

std::string error_of(const std::string& plan) {
  try {
    parse_plan(plan);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(StepRule, WhatIsReadIsWrittenTheSame) {
  for (const std::string text : {"0.1", "1", "10", "auto", "2x", "0.5x", "decay:1,1000"})
    EXPECT_EQ(text_of(parse_step_rule(text)), text);
  EXPECT_EQ(parse_step_rule("2x"), (StepRule{.value = 2, .decay = 0, .relative = true}));
  EXPECT_EQ(parse_step_rule("auto"), StepRule{});
}

TEST(StepRule, WhatIsNoStepIsRefused) {
  for (const std::string text :
       {"", "x", "0", "-1", "1e999", "nan", "1 ", "fast", "decay:1", "decay:1,", "decay:,2", "xx"})
    EXPECT_THROW(parse_step_rule(text), Error) << text;
}

TEST(Contender, AVariantChangesWhatItNamesAndIsCalledSo) {
  const Plan paper = paper_plan();
  const Contender plain = parse_contender("s3gd", paper.common);
  EXPECT_EQ(plain.label, "s3gd");
  EXPECT_EQ(plain.base.graph.anchors, 100);
  EXPECT_EQ(plain.base.graph_mode, GraphMode::full);
  const Contender variant = parse_contender("s3gd:anchors=50,graph-mode=streaming,step=2x", paper.common);
  EXPECT_EQ(variant.label, "s3gd (anchors=50, graph-mode=streaming, step=2x)");
  EXPECT_EQ(variant.base.graph.anchors, 50);
  EXPECT_EQ(variant.base.graph_mode, GraphMode::streaming);
  EXPECT_EQ(variant.base.control, ControlMode::paper);
  ASSERT_EQ(variant.steps.size(), 1U);
  EXPECT_EQ(text_of(variant.steps[0]), "2x");
  EXPECT_EQ(parse_contender("s3gd:anchors=50,label=fifty", paper.common).label, "fifty");
}

TEST(Contender, WhatIsWrongInOneIsNamed) {
  const Plan paper = paper_plan();
  EXPECT_THROW(parse_contender("s3dg", paper.common), Error);
  EXPECT_THROW(parse_contender("s3gd:anchor=50", paper.common), Error);
  EXPECT_THROW(parse_contender("s3gd:anchors=many", paper.common), Error);
  EXPECT_THROW(parse_contender("s3gd:graph-mode=half", paper.common), Error);
  EXPECT_THROW(parse_contender("", paper.common), Error);
}

// `inner` for all is nothing to scv, which makes a snapshot at every step, and an order of rows nothing to ssgd.
TEST(Contender, WhatAPlanSetsForAllReachesOnlyThoseItMeansSomethingTo) {
  SolveOptions common;
  common.inner = 30;
  common.order = RowOrder::shuffled;
  EXPECT_EQ(parse_contender("svrg", common).base.inner, 30);
  EXPECT_EQ(parse_contender("scv", common).base.inner, 0);
  EXPECT_EQ(parse_contender("sgd", common).base.order, RowOrder::shuffled);
  EXPECT_EQ(parse_contender("ssgd", common).base.order, RowOrder::solver);
}

TEST(Plan, WhatAFileLeavesOutIsThePapers) {
  const Plan plan = parse_plan(R"({"datasets": ["a9a"]})");
  ASSERT_EQ(plan.contenders.size(), 5U);
  EXPECT_EQ(plan.contenders[0].label, "sgd");
  EXPECT_EQ(plan.contenders[4].label, "s3gd");
  EXPECT_TRUE(plan.steps.empty());
  EXPECT_EQ(plan.trials, 5);
  EXPECT_EQ(plan.iterations, 40000);
  EXPECT_EQ(plan.tail, 5000);
  EXPECT_EQ(plan.tolerance, 0.01);
  EXPECT_EQ(plan.problem.penalty.lambda, 1e-3);
  EXPECT_EQ(plan.problem.class_weight, ClassWeight::paper);
  EXPECT_EQ(plan.problem.positive, "largest");
  EXPECT_EQ(plan.problem.intercept, Intercept::regularised);
  EXPECT_EQ(plan.threads, 1);
}

TEST(Plan, SolversAreAsTheyAreByThemselvesUnlessThePapersAreAskedFor) {
  const SolveOptions usual;
  const Plan plan = parse_plan(R"({"datasets": ["a9a"]})"),
             paper = parse_plan(R"({"datasets": ["a9a"], "paper": true})");
  EXPECT_EQ(plan.contenders[4].base.control, usual.control);
  EXPECT_EQ(plan.contenders[4].base.propagation, usual.propagation);
  EXPECT_EQ(plan.contenders[4].base.graph_mode, usual.graph_mode);
  EXPECT_EQ(paper.contenders[4].base.control, ControlMode::paper);
  EXPECT_EQ(paper.contenders[4].base.propagation, Propagation::constant);
  EXPECT_EQ(paper.contenders[4].base.graph_mode, GraphMode::full);
}

TEST(Plan, TheReadingOfTheSamplingIsTheWeightOfTheClasses) {
  EXPECT_EQ(parse_plan(R"({"reading": "mean"})").problem.class_weight, ClassWeight::balanced);
  EXPECT_EQ(parse_plan(R"({"reading": "sum"})").problem.class_weight, ClassWeight::paper);
}

TEST(Plan, AFileSaysEverything) {
  const Plan plan = parse_plan(R"({  // comments are fine
    "title": "anchors", "steps": [1, "auto", "2x"], "trials": 2, "iterations": 800, "target": 0.05, "lambda": 0.01,
    "anchors": 30, "batch": 5, "scale": "unit-rows", "seed": 7, "gradients": true, "class-weight": "none",
    "datasets": ["a9a", {"data": "x.csv", "name": "mine", "test": "y.csv", "scale": "max-abs", "stand-in": "why not"}],
    "solvers": ["sgd", "s3gd", "s3gd:anchors=50", {"solver": "s3gd", "control": "adaptive", "steps": [5], "label": "own"},
                {"solver": "s3gd", "anchors": 7}]})");
  EXPECT_EQ(plan.title, "anchors");
  ASSERT_EQ(plan.steps.size(), 3U);
  EXPECT_EQ(text_of(plan.steps[2]), "2x");
  EXPECT_EQ(plan.tail, 100);  // an eighth, as the paper's
  EXPECT_EQ(plan.datasets[1].name, "mine");
  EXPECT_EQ(plan.datasets[1].scale, Scale::max_abs);
  EXPECT_EQ(plan.scale, Scale::unit_rows);
  ASSERT_EQ(plan.contenders.size(), 5U);
  EXPECT_EQ(plan.contenders[1].base.graph.anchors, 30);
  EXPECT_EQ(plan.contenders[1].base.batch, 5);
  EXPECT_EQ(plan.contenders[2].base.graph.anchors, 50);
  EXPECT_EQ(plan.contenders[3].label, "own");
  EXPECT_EQ(plan.contenders[3].base.control, ControlMode::adaptive);
  EXPECT_EQ(plan.contenders[3].steps.size(), 1U);
  EXPECT_EQ(plan.contenders[4].label, "s3gd (anchors=7)");
  EXPECT_EQ(plan.problem.class_weight, ClassWeight::none);
}

TEST(Plan, RegressionHasNoClasses) {
  const Plan plan = parse_plan(R"({"datasets": ["x"], "loss": "squared"})");
  EXPECT_EQ(plan.problem.class_weight, ClassWeight::none);
  EXPECT_EQ(plan.problem.positive, "");
  EXPECT_EQ(parse_plan(R"({"binary": "3", "loss": "squared", "datasets": ["x"]})").problem.positive, "3");
}

TEST(Plan, EveryMistakeIsASentenceThatNamesIt) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"{", "JSON"},
      {"[]", "object"},
      {R"({"trails": 3})", "'trails'"},
      {R"({"trials": 0})", "trials"},
      {R"({"trials": 2.5})", "trials"},
      {R"({"steps": []})", "steps"},
      {R"({"steps": [0]})", "'0'"},
      {R"({"steps": 1})", "steps"},
      {R"({"solvers": ["sdg"]})", "sdg"},
      {R"({"solvers": ["sgd", "sgd"]})", "two contenders"},
      {R"({"solvers": [{"label": "x"}]})", "solver"},
      {R"({"solvers": [{"solver": "sgd", "anchor": 1}]})", "anchor"},
      {R"({"datasets": [{"name": "x"}]})", "data"},
      {R"({"datasets": ["x", "x"]})", "twice"},
      {R"({"datasets": [{"data": "x", "tset": "y"}]})", "tset"},
      {R"({"iterations": 10, "tail": 20})", "tail"},
      {R"({"scale": "big"})", "big"},
      {R"({"validate": 1.5})", "1.5"},
      {R"({"gradients": 1})", "gradients"},
      {R"({"paper": 1})", "paper"},
      {R"({"reading": "median"})", "median"},
      {R"({"reading": "mean", "class-weight": "none"})", "'reading'"},
  };
  for (const auto& [plan, named] : cases) {
    const std::string error = error_of(plan);
    EXPECT_NE(error.find(named), std::string::npos) << plan << ": " << error;
    EXPECT_EQ(error.find('\n'), std::string::npos) << error;
  }
}

}  // namespace
}  // namespace s3gd
