#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <set>

#include "data/generate.hpp"
#include "made_up_runs.hpp"
#include "reproduce/reproduce.hpp"
#include "s3gd/error.hpp"

namespace s3gd::reproduce {
namespace {

// No set is on the machine.
class ReproducePlans : public testing::Test {
 protected:
  void SetUp() override {
    setenv("S3GD_DATA", "/nonexistent", 1);
    setenv("XDG_CACHE_HOME", "/nonexistent", 1);
  }
};

TEST_F(ReproducePlans, EveryFigureOfThePaperIsThere) {
  std::vector<std::string> names;
  for (const Experiment& experiment : experiments()) names.push_back(experiment.name);
  EXPECT_EQ(names, (std::vector<std::string>{
                       "table1",   "table2",       "steps",       "steps-mean",          "step-grid",    "time50",
                       "training", "testing",      "correlation", "anchors-correlation", "anchors-time", "inner",
                       "verdict",  "verdict-mean", "graph-time",  "streaming",           "control",      "auto",
                       "variance", "cache",        "improved",    "improved-gradients"}));
}

TEST_F(ReproducePlans, AnUnknownFigureIsAnsweredWithTheList) {
  try {
    find_experiment("trainign");
    FAIL();
  } catch (const Error& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("did you mean 'training'"), std::string::npos) << text;
    EXPECT_NE(text.find("anchors-time"), std::string::npos) << text;
  }
}

TEST_F(ReproducePlans, EveryGroupOfRunsMakesAPlan) {
  for (const bool quick : {false, true}) {
    Settings settings;
    settings.quick = quick;
    const auto sets = find_paper_sets(settings);
    std::set<std::string> groups;
    for (const Experiment& experiment : experiments())
      for (const RunGroup& group : experiment.runs) {
        EXPECT_TRUE(groups.insert(group.name).second) << group.name << " is there twice";
        const Plan plan = plan_of(group, sets, settings);
        EXPECT_FALSE(plan.datasets.empty()) << group.name;
        const bool mean = group.plan.value("reading", "sum") == "mean";
        EXPECT_EQ(plan.problem.class_weight, mean ? ClassWeight::balanced : ClassWeight::paper);
        std::set<std::string> labels;
        for (const Contender& contender : plan.contenders) EXPECT_TRUE(labels.insert(contender.label).second);
        EXPECT_EQ(left_out_of(group, settings).empty(), !quick && !group.plan.contains("without")) << group.name;
      }
  }
}

TEST_F(ReproducePlans, ThePapersProtocolIsTheDefault) {
  const Plan plan = plan_of(find_experiment("training").runs.front(), find_paper_sets({}), {});
  EXPECT_EQ(plan.trials, 5);
  EXPECT_EQ(plan.iterations, 40000);
  EXPECT_EQ(plan.tail, 5000);
  EXPECT_EQ(plan.steps.size(), 4u);
  EXPECT_EQ(plan.contenders.back().base.graph.anchors, 100);
  EXPECT_EQ(plan.contenders.back().base.graph_mode, GraphMode::full);
  EXPECT_EQ(plan.contenders.back().base.control, ControlMode::paper);
}

TEST_F(ReproducePlans, TheImprovedMethodIsS3gdAsItIsByItselfAmongThePapers) {
  const SolveOptions usual;
  const Plan plan = plan_of(find_experiment("improved").runs.front(), find_paper_sets({}), {});
  const auto find = [&](const std::string& label) {
    return std::find_if(plan.contenders.begin(), plan.contenders.end(),
                        [&](const Contender& c) { return c.label == label; })
        ->base;
  };
  EXPECT_EQ(find("s3gd").control, usual.control);
  EXPECT_EQ(find("s3gd").propagation, usual.propagation);
  EXPECT_EQ(find("s3gd").graph_mode, usual.graph_mode);
  EXPECT_EQ(find("s3gd paper").control, ControlMode::paper);
  EXPECT_EQ(find("s3gd paper").graph_mode, GraphMode::full);
  EXPECT_EQ(plan.contenders.size(), 10U);
  EXPECT_EQ(sets_of(find_experiment("improved")).size(), 9U);
  EXPECT_EQ(sets_of(find_experiment("step-grid")).size(), 5U);
}

TEST_F(ReproducePlans, StandInsHaveThePapersShapeAndSayThatTheyAreNot) {
  const auto sets = find_paper_sets({});
  ASSERT_EQ(sets.size(), 9u);
  for (const FoundSet& set : sets) {
    EXPECT_TRUE(set.generated);
    EXPECT_EQ(set.data.name, set.name + " (generated)");
    EXPECT_FALSE(set.data.stand_in.empty());
    const auto train = RowGenerator::from_spec(set.data.source), test = RowGenerator::from_spec(set.data.test);
    EXPECT_EQ(train->shape().rows, set.train) << set.name;
    EXPECT_EQ(test->shape().rows, set.test) << set.name;
    EXPECT_EQ(train->shape().cols, set.cols) << set.name;
  }
}

TEST_F(ReproducePlans, LimitsShortenRunsAndRows) {
  Settings settings;
  settings.iterations = 400;
  settings.trials = 2;
  settings.rows = 50;
  const Plan plan = plan_of(find_experiment("training").runs.front(), find_paper_sets(settings), settings);
  EXPECT_EQ(plan.iterations, 400);
  EXPECT_EQ(plan.tail, 50);
  EXPECT_EQ(plan.trials, 2);
  for (const CompareData& data : plan.datasets) EXPECT_EQ(RowGenerator::from_spec(data.source)->shape().rows, 50);
  EXPECT_EQ(capped_rows("gen:ill?rows=900&cols=3", 50), "gen:ill?rows=50&cols=3");
  EXPECT_EQ(capped_rows("gen:ill?rows=20", 50), "gen:ill?rows=20");
  EXPECT_EQ(capped_rows("a9a", 50), "a9a");
}

TEST_F(ReproducePlans, TheRowsOfTable1FitTheCacheAndAreLong) {
  for (const RunGroup& group : find_experiment("table1").runs)
    for (const CompareData& data : plan_of(group, find_paper_sets({}), {}).datasets) {
      const auto shape = RowGenerator::from_spec(data.source)->shape();
      EXPECT_LE(8 * shape.rows * shape.cols, 16'000'000) << data.name;
      EXPECT_GE(shape.cols, 250) << data.name;
    }
}

std::vector<std::string> groups_and_sets(const std::vector<std::string>& figures,
                                         const std::vector<std::string>& sets) {
  std::vector<const Experiment*> list;
  for (const std::string& name : figures) list.push_back(&find_experiment(name));
  std::vector<std::string> found;
  for (const NeededGroup& one : needed_groups(list, sets)) {
    std::string text = one.group.name + ":";
    for (const Json& entry : one.group.plan.at("data"))
      text += " " + (entry.is_string() ? entry.get<std::string>() : "gen");
    found.push_back(text);
  }
  return found;
}

TEST_F(ReproducePlans, SetsAndFiguresAreRunInTheOrderAskedFor) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(groups_and_sets({"verdict"}, {"Covtype", "20newsgroups", "IJCNN"}),
            (Names{"training: Covtype IJCNN", "training-text: 20newsgroups"}));
  EXPECT_EQ(groups_and_sets({"inner", "steps"}, {}), (Names{"inner: CIFAR10", "training: CIFAR10"}));
  EXPECT_EQ(groups_and_sets({"inner"}, {"IJCNN"}), Names{});
  EXPECT_EQ(groups_and_sets({"cache"}, {"IJCNN"}), (Names{"cache: gen gen gen gen gen gen"}));
  EXPECT_THROW(check_set_names({"IJCN"}), Error);
}

TEST_F(ReproducePlans, WhatIsCoveredIsCountedInTrialsThatEveryMethodHas) {
  Settings settings;
  settings.trials = 2;
  settings.sets = {"IJCNN", "Covtype", "CIFAR10"};
  const Experiment& figure = find_experiment("verdict");
  const auto sets = find_paper_sets(settings);
  Results results;
  const auto add = [&](const std::string& set, int trials) {
    results.sets.push_back(made_up_set(set));
    for (const char* label : {"sgd", "ssgd", "svrg", "scv", "s3gd"})
      for (const double step : {0.1, 1.0, 5.0, 10.0})
        for (int trial = 0; trial < trials; ++trial) results.runs.push_back(made_up_run(set, label, {.step = step}));
  };
  add("IJCNN (generated)", 2);
  add("Covtype (generated)", 2);
  EXPECT_EQ(coverage_of(figure, sets, settings, results).words(),
            "2 of 2 trials on IJCNN (generated), Covtype (generated); not run: CIFAR10 (generated)");
  results.runs.pop_back();
  add("CIFAR10 (generated)", 1);
  results.runs.erase(results.runs.end() - 1);
  const Coverage coverage = coverage_of(figure, sets, settings, results);
  EXPECT_EQ(coverage.words(),
            "2 of 2 trials on IJCNN (generated); 1 of 2 on Covtype (generated); "
            "not run: CIFAR10 (generated)");
  EXPECT_EQ(coverage.planned(), 120);
  EXPECT_EQ(coverage.runs(), 40 + 39 + 19);
  EXPECT_FALSE(coverage.complete());
  const Results covered = only_covered(results, coverage);
  EXPECT_EQ(covered.sets.size(), 2u);  // a set that one method lacks at one step says nothing
  EXPECT_EQ(covered.runs.size(), 79u);
}

TEST_F(ReproducePlans, TheMarkdownTableHasAShortRowForEachClaimAndTheNumbersBelow) {
  const Json results =
      Json::parse(R"j({"command": ["s3gd", "reproduce"], "version": "1.2.3", "created": "2026-01-02T03:04:05Z",
    "machine": {"cpu": "A1", "cores": 2}, "seconds": 7.4, "left_out": ["training: 1 trial instead of 5"],
    "sets": [{"name": "IJCNN", "differs": ""}, {"name": "MED11 (generated)", "differs": "generated rows"}],
    "figures": [{"name": "steps", "paper": "Figure 2", "runs": 3, "planned": 7, "lacking": "not run: MED11",
                 "claims": [{"says": "a | b", "outcome": "partly", "outcome_in_words": "partly", "in_short": "1 %",
                             "measured": "1 %. IJCNN 1 %"}]}]})j");
  EXPECT_EQ(markdown_table(results),
            "`s3gd reproduce`, version 1.2.3, 2026-01-02, A1 with 2 cores.\n\n"
            "| figure | the paper | found | in short |\n|---|---|---|---|\n"
            "| `steps` | a \\| b | **partly** | 1 % |\n"
            "\nNot all was run:\n\n- `steps`: 3 of 7 runs: not run: MED11\n"
            "\nThe numbers behind it:\n\n- `steps` (Figure 2). *a | b* 1 %. IJCNN 1 %.\n"
            "\nSets that are not exactly the paper's:\n\n- MED11 (generated): generated rows\n"
            "\nLeft out:\n\n- training: 1 trial instead of 5\n");
}

}  // namespace
}  // namespace s3gd::reproduce
