#include "reproduce/criteria.hpp"

#include <gtest/gtest.h>

#include <fmt/core.h>

#include <algorithm>

#include "made_up_runs.hpp"
#include "s3gd/error.hpp"

namespace s3gd::reproduce {
namespace {

TEST(ReproduceCriteria, Wins) {
  const Evidence evidence = race();
  EXPECT_EQ(outcome(evidence, R"({"kind": "wins", "label": "s3gd", "at_least": 2, "of": 3})"), Outcome::confirmed);
  EXPECT_EQ(outcome(evidence, R"({"kind": "wins", "label": "s3gd", "at_least": 3, "of": 3})"), Outcome::partly);
  EXPECT_EQ(outcome(evidence, R"({"kind": "wins", "label": "sgd", "at_least": 2, "of": 3})"), Outcome::not_confirmed);
  EXPECT_EQ(outcome({}, R"({"kind": "wins", "label": "sgd", "at_least": 2, "of": 3})"), Outcome::not_measured);
  const Finding finding = judged(evidence, R"({"kind": "wins", "label": "s3gd", "at_least": 2, "of": 3})");
  EXPECT_NE(finding.measured.find("s3gd on 2 (A, B)"), std::string::npos) << finding.measured;
  EXPECT_EQ(finding.says, "a claim");
}

TEST(ReproduceCriteria, WhereNobodyArrivesTheClaimDoesNotHold) {
  Evidence evidence = race();
  for (auto& run : evidence.results.runs) set_all(run, &TraceRow::train_objective, 2);
  for (const char* rule :
       {R"({"kind": "wins", "label": "s3gd", "at_least": 2, "of": 3})",
        R"({"kind": "wins-on", "label": "sgd", "sets": ["A"]})", R"({"kind": "wins-kept", "label": "sgd"})",
        R"({"kind": "among-best", "label": "sgd", "within": 3, "share": 1})",
        R"({"kind": "slower", "labels": ["svrg"], "than": "sgd", "share": 1})"})
    EXPECT_EQ(outcome(evidence, rule), Outcome::not_confirmed) << rule;
  for (auto& run : evidence.results.runs) run.tail_objective = 3;
  EXPECT_EQ(outcome(evidence,
                    R"({"kind": "steps-as-large", "label": "s3gd", "than": "sgd", "share": 1, "partly_share": 0.5})"),
            Outcome::not_confirmed);
}

// Of five sets of which three were run: no share of those that were.
TEST(ReproduceCriteria, SetsThatWereNotRunCountAgainstTheClaim) {
  Evidence evidence = race();
  evidence.absent = {"D", "E"};
  const auto both = [&](const std::string& rule, Outcome all_run, Outcome two_missing) {
    EXPECT_EQ(outcome(race(), rule), all_run) << rule;
    const Finding finding = judged(evidence, rule);
    EXPECT_EQ(finding.outcome, two_missing) << rule;
    EXPECT_TRUE(finding.in_short.ends_with("(not run: D, E)")) << finding.in_short;
  };
  using enum Outcome;
  both(R"({"kind": "wins", "label": "s3gd", "at_least": 2, "of": 5})", confirmed, confirmed);  // has them in `of`
  both(R"({"kind": "among-best", "label": "sgd", "within": 3, "share": 0.8})", confirmed, partly);
  both(R"({"kind": "slower", "labels": ["svrg"], "than": "sgd", "share": 0.8})", confirmed, not_confirmed);
  both(R"({"kind": "faster", "label": "s3gd", "than": ["sgd"], "share": 0.6, "partly_share": 0.5})", confirmed,
       not_confirmed);
  both(R"({"kind": "steps-as-large", "label": "s3gd", "than": "sgd", "share": 1, "partly_share": 0.6})", confirmed,
       partly);
  both(R"({"kind": "cheapest", "label": "sgd", "share": 0.6})", confirmed, not_confirmed);
  both(R"({"kind": "cost", "labels": ["svrg"], "over": "sgd", "at_least": 3})", confirmed, partly);  // a median
  both(R"({"kind": "wins", "label": "s3gd", "at_least": 3, "of": 5})", partly,
       not_confirmed);  // another may be ahead there
  EXPECT_EQ(judged(evidence, R"({"kind": "among-best", "label": "sgd", "within": 3, "share": 0.8})").in_short,
            "on 3 of 5 sets (not run: D, E)");
}

TEST(ReproduceCriteria, AClaimMayNameItsRacersAndItsTarget) {
  Evidence evidence = race();
  evidence.results.runs.push_back(made_up_run("A", "saga", {.arrives = 1}));
  const std::string named = R"("label": "s3gd", "at_least": 2, "of": 3, "among": ["saga", "s3gd"])";
  EXPECT_EQ(outcome(evidence, R"({"kind": "wins", )" + named + "}"), Outcome::confirmed);
  EXPECT_EQ(outcome(evidence, R"({"kind": "wins", "target": 0.001, )" + named + "}"), Outcome::not_confirmed);
}

TEST(ReproduceCriteria, OtherContendersDoNotTakePartInThePapersRace) {
  Evidence evidence = race();
  evidence.results.runs.push_back(made_up_run("A", "auto", {.arrives = 0}));
  EXPECT_EQ(outcome(evidence, R"({"kind": "wins", "label": "s3gd", "at_least": 2, "of": 3})"), Outcome::confirmed);
}

TEST(ReproduceCriteria, WinsOnNamedSets) {
  const Evidence evidence = race();
  EXPECT_EQ(outcome(evidence, R"({"kind": "wins-on", "label": "sgd", "sets": ["C"]})"), Outcome::confirmed);
  EXPECT_EQ(outcome(evidence, R"({"kind": "wins-on", "label": "sgd", "sets": ["A", "C"]})"), Outcome::partly);
  EXPECT_EQ(outcome(evidence, R"({"kind": "wins-on", "label": "svrg", "sets": ["A"]})"), Outcome::not_confirmed);
  EXPECT_EQ(outcome(evidence, R"({"kind": "wins-on", "label": "svrg", "sets": ["D"]})"), Outcome::not_measured);
  EXPECT_EQ(outcome(evidence, R"({"kind": "wins-on", "label": "sgd", "sets": ["C"], "only": true})"),
            Outcome::confirmed);
  EXPECT_EQ(outcome(evidence, R"({"kind": "wins-on", "label": "s3gd", "sets": ["A"], "only": true})"), Outcome::partly);
  EXPECT_EQ(outcome(evidence, R"({"kind": "wins-on", "label": "s3gd", "sets": ["C"], "only": true})"),
            Outcome::not_confirmed);
}

TEST(ReproduceCriteria, WinsKeptWithTheGraphsTime) {
  EXPECT_EQ(outcome(race(), R"({"kind": "wins-kept", "label": "s3gd"})"), Outcome::not_confirmed);
  EXPECT_EQ(outcome(race(), R"({"kind": "wins-kept", "label": "sgd"})"), Outcome::confirmed);
  EXPECT_EQ(outcome(race(), R"({"kind": "wins-kept", "label": "svrg"})"), Outcome::not_confirmed);  // first nowhere
}

TEST(ReproduceCriteria, Slower) {
  EXPECT_EQ(outcome(race(), R"({"kind": "slower", "labels": ["svrg"], "than": "sgd", "share": 1})"),
            Outcome::confirmed);
  EXPECT_EQ(outcome(race(), R"({"kind": "slower", "labels": ["svrg", "s3gd"], "than": "sgd", "share": 1})"),
            Outcome::partly);
  EXPECT_EQ(outcome(race(), R"({"kind": "slower", "labels": ["svrg"], "than": "sgd", "share": 1, "by": 3})"),
            Outcome::not_confirmed);
  EXPECT_EQ(outcome(race(), R"({"kind": "slower", "labels": ["s3gd"], "than": "sgd", "share": 1, "sets": ["C"]})"),
            Outcome::confirmed);
  EXPECT_EQ(outcome(race(), R"({"kind": "slower", "labels": ["gd"], "than": "sgd", "share": 1})"),
            Outcome::not_measured);
}

TEST(ReproduceCriteria, WhoNeverArrivesIsSlower) {
  Evidence evidence = race();
  evidence.results.runs.push_back(made_up_run("A", "scv", {.arrives = 99}));
  const Finding slower = judged(evidence, R"({"kind": "slower", "labels": ["scv"], "than": "sgd", "share": 1})");
  EXPECT_EQ(slower.outcome, Outcome::confirmed);
  EXPECT_EQ(slower.in_short, "scv slower on 1 of 1");
  EXPECT_NE(slower.measured.find("A: scv never arrives, sgd does"), std::string::npos) << slower.measured;
  const Finding faster = judged(evidence, R"({"kind": "slower", "labels": ["sgd"], "than": "scv", "share": 1})");
  EXPECT_EQ(faster.outcome, Outcome::not_confirmed);
  EXPECT_NE(faster.measured.find("A: scv never arrives, sgd does"), std::string::npos) << faster.measured;
}

TEST(ReproduceCriteria, WhatCannotBeJudgedSaysWhy) {
  Evidence evidence = race();
  for (auto& run : evidence.results.runs)
    if (run.label != "s3gd") set_all(run, &TraceRow::train_objective, 2);
  const Finding open =
      judged(evidence, R"({"kind": "slower", "labels": ["svrg"], "than": "sgd", "share": 1, "sets": ["A", "C"]})");
  EXPECT_EQ(open.outcome, Outcome::not_confirmed);
  EXPECT_EQ(open.measured, "svrg slower on 0 of 2. svrg against sgd: A: neither arrives, C: neither arrives");
  evidence.results = {};
  evidence.missing = "not run: A, B, C";
  const Finding absent = judged(evidence, R"({"kind": "wins", "label": "s3gd", "at_least": 2, "of": 3})");
  EXPECT_EQ(absent.measured, "no runs to judge by. Of the runs it needs: not run: A, B, C");
  EXPECT_EQ(absent.in_short, "no runs to judge by");
  EXPECT_EQ(judged(evidence, R"({"kind": "wins-on", "label": "s3gd", "sets": ["A", "C"]})").in_short, "not run: A, C");
  const Finding half = judged(race(), R"({"kind": "wins-on", "label": "sgd", "sets": ["C", "D"]})");
  EXPECT_EQ(half.outcome, Outcome::partly);  // on the one that was run
  EXPECT_EQ(half.in_short, "sgd first on 1 of 2 (not run: D)");
}

TEST(ReproduceCriteria, WhoIsFirstByLessThanTheDistanceOfTwoLooksIsSoNarrowly) {
  Evidence evidence = race();
  evidence.results.runs.push_back(made_up_run("A", "ssgd", {.arrives = 2, .seconds_each = 1.05}));
  evidence.results.runs.push_back(made_up_run("B", "ssgd", {.arrives = 2, .seconds_each = 1.07}));
  const Finding finding = judged(evidence, R"({"kind": "wins", "label": "s3gd", "at_least": 2, "of": 3})");
  EXPECT_EQ(finding.in_short, "s3gd first on 2 of 3 sets");
  EXPECT_NE(finding.measured.find("s3gd on 2 (A narrowly, B)"), std::string::npos) << finding.measured;
}

TEST(ReproduceCriteria, Faster) {
  const auto rule = [](const char* label, const char* graph, const char* share) {
    return fmt::format(R"({{"kind": "faster", "label": "{}", "than": ["sgd", "svrg"], "with_graph": {}, "share": {},
                          "partly_share": 0.5}})",
                       label, graph, share);
  };
  EXPECT_EQ(outcome(race(), rule("s3gd", "false", "0.6")), Outcome::confirmed);
  EXPECT_EQ(outcome(race(), rule("s3gd", "false", "0.9")), Outcome::partly);
  EXPECT_EQ(outcome(race(), rule("s3gd", "true", "0.6")), Outcome::not_confirmed);
  const Finding finding = judged(race(), rule("s3gd", "false", "0.6"));
  EXPECT_EQ(finding.in_short, "on 2 of 3 sets, 1.57 times as fast in the geometric mean");  // (2.5 * 2.5 * 5/8)^(1/3)
  EXPECT_NE(finding.measured.find("A 2 s against 5 s"), std::string::npos) << finding.measured;
}

TEST(ReproduceCriteria, AmongTheBest) {
  EXPECT_EQ(outcome(race(), R"({"kind": "among-best", "label": "sgd", "within": 3, "share": 1})"), Outcome::confirmed);
  EXPECT_EQ(outcome(race(), R"({"kind": "among-best", "label": "sgd", "within": 2, "share": 0.75})"),
            Outcome::not_confirmed);
  EXPECT_EQ(outcome(race(), R"({"kind": "among-best", "label": "s3gd", "within": 1.5, "share": 0.75})"),
            Outcome::partly);
}

TEST(ReproduceCriteria, StepsAsLarge) {
  const std::string rest = R"(, "share": 1, "partly_share": 0.75})";
  EXPECT_EQ(outcome(race(), R"({"kind": "steps-as-large", "label": "s3gd", "than": "sgd")" + rest), Outcome::confirmed);
  EXPECT_EQ(outcome(race(), R"({"kind": "steps-as-large", "label": "sgd", "than": "s3gd")" + rest),
            Outcome::not_confirmed);
}

TEST(ReproduceCriteria, StableSteps) {
  const std::string rule =
      R"({"kind": "stable-steps", "stable": ["svrg"], "up_to": 10, "unstable": ["sgd"], "from": 5})";
  Evidence evidence;
  evidence.results.sets = {made_up_set("CIFAR10")};
  EXPECT_EQ(outcome(evidence, rule), Outcome::not_measured);
  const auto add = [&](const char* label, double step, double tail) {
    evidence.results.runs.push_back(made_up_run("CIFAR10", label, {.tail = tail, .step = step}));
  };
  add("svrg", 1, 1.001);
  add("svrg", 10, 1.009);
  add("sgd", 1, 1.001);
  add("sgd", 5, 1.02);
  EXPECT_EQ(outcome(evidence, rule), Outcome::confirmed);
  add("svrg", 5, 1.2);
  EXPECT_EQ(outcome(evidence, rule), Outcome::partly);
  add("sgd", 10, 1.001);
  EXPECT_EQ(outcome(evidence, rule), Outcome::not_confirmed);
}

TEST(ReproduceCriteria, LargerStepsOnAFineGrid) {
  const std::string rule =
      R"({"kind": "larger-steps", "labels": ["svrg", "s3gd"], "than": ["sgd", "scv"], "of_steps": 2,
    "share": 1, "partly_share": 1})";
  Evidence evidence;
  evidence.results.sets = {made_up_set("A"), made_up_set("B")};
  const auto add = [&](const char* set, const char* label, double largest) {
    for (const double step : {0.1, 0.2, 0.5, 1.0})
      evidence.results.runs.push_back(made_up_run(set, label, {.tail = step <= largest ? 1.001 : 2, .step = step}));
  };
  EXPECT_EQ(outcome(evidence, rule), Outcome::not_measured);
  add("A", "svrg", 1);
  add("A", "s3gd", 0.5);
  add("A", "sgd", 0.1);
  add("A", "scv", 0.2);
  EXPECT_EQ(outcome(evidence, rule), Outcome::confirmed);
  evidence.results.runs.push_back(made_up_run("B", "svrg", {.step = 1}));  // not the grid
  const Finding finding = judged(evidence, rule);
  EXPECT_EQ(finding.in_short, "larger than all others on 1 of 1 sets, than sgd on 1");
  EXPECT_NE(finding.measured.find("A: svrg 1, s3gd 0.5, sgd 0.1, scv 0.2"), std::string::npos) << finding.measured;
  evidence.results.runs.clear();
  add("A", "svrg", 1);
  add("A", "s3gd", 0.5);
  add("A", "sgd", 0.2);
  add("A", "scv", 0.5);
  EXPECT_EQ(outcome(evidence, rule), Outcome::partly);
  add("B", "svrg", 1);
  add("B", "s3gd", 0.2);
  add("B", "sgd", 0.2);
  EXPECT_EQ(outcome(evidence, rule), Outcome::not_confirmed);
}

TEST(ReproduceCriteria, TestingFollowsTraining) {
  Evidence evidence = race();
  const std::string rule = R"({"kind": "test-follows", "at_least": 0.9, "share": 0.9})";
  EXPECT_EQ(outcome(evidence, rule), Outcome::confirmed);
  for (std::size_t k = 0; k < 3; ++k)
    for (TraceRow& look : evidence.results.runs[k].points) look.test_objective *= -1;  // it rises where the other falls
  EXPECT_EQ(outcome(evidence, rule), Outcome::partly);
  for (auto& run : evidence.results.runs) set_all(run, &TraceRow::test_objective, std::nan(""));
  EXPECT_EQ(outcome(evidence, rule), Outcome::not_measured);
}

TEST(ReproduceCriteria, InnerIterations) {
  Evidence evidence;
  evidence.results.sets = {made_up_set("CIFAR10")};
  evidence.results.runs = {made_up_run("CIFAR10", "s3gd (k_in = 20)", {.arrives = 4}),
                           made_up_run("CIFAR10", "s3gd (k_in = 50)", {.arrives = 5})};
  const std::string pairs = R"j("pairs": [["s3gd (k_in = 20)", "s3gd (k_in = 50)"]])j";
  EXPECT_EQ(outcome(evidence, R"({"kind": "inner-iterations", )" + pairs + "}"), Outcome::confirmed);
  EXPECT_EQ(outcome(evidence, R"({"kind": "alike", "within": 0.01, )" + pairs + "}"), Outcome::confirmed);
  evidence.results.runs[0] = made_up_run("CIFAR10", "s3gd (k_in = 20)", {.arrives = 99});
  EXPECT_EQ(outcome(evidence, R"({"kind": "inner-iterations", )" + pairs + "}"), Outcome::not_confirmed);
  evidence.results.runs[1] = made_up_run("CIFAR10", "s3gd (k_in = 50)", {.arrives = 1});
  EXPECT_EQ(outcome(evidence, R"({"kind": "alike", "within": 0.01, )" + pairs + "}"), Outcome::not_confirmed);
}

TEST(ReproduceCriteria, Shapes) {
  Evidence evidence;
  for (const char* name : {"A", "B"}) {
    FoundSet set;
    set.name = name;
    set.train = 100;
    set.cols = 10;
    set.data.name = name;
    evidence.sets.push_back(set);
    evidence.results.sets.push_back(made_up_set(name));
  }
  const std::string rule = R"({"kind": "shapes"})";
  EXPECT_EQ(outcome(evidence, rule), Outcome::described);
  EXPECT_EQ(judged(evidence, rule).outcome_in_words(), "as in the paper");
  evidence.sets[0].generated = true;
  EXPECT_EQ(judged(evidence, rule).outcome_in_words(), "differs in 1 of 2");
  evidence.results.sets[1].rows = 99;
  EXPECT_EQ(judged(evidence, rule).outcome_in_words(), "differs in 2 of 2");
  EXPECT_EQ(judged(evidence, rule).in_short, "same shape 0, another real set or shape 1, generated 1");
}

TEST(ReproduceCriteria, LabelsCarryNumbers) {
  EXPECT_EQ(criteria::number_in_label("m = 20", "m"), 20);
  EXPECT_EQ(criteria::number_in_label("s3gd (k_in = 50)", "k_in"), 50);
  EXPECT_TRUE(std::isnan(criteria::number_in_label("s3gd (k_in = 50)", "n")));
  EXPECT_TRUE(std::isnan(criteria::number_in_label("sgd", "m")));
}

TEST(ReproduceCriteria, AnUnknownCriterionIsRefused) { EXPECT_THROW(judged({}, R"({"kind": "pretty"})"), Error); }

// Every criterion of every experiment exists, states its rule, and without runs says that nothing was measured.
TEST(ReproduceCriteria, EveryClaimCanBeJudged) {
  for (const Experiment& experiment : experiments())
    for (const Claim& claim : experiment.claims) {
      const Finding finding = judge(claim, {});
      EXPECT_FALSE(finding.criterion.empty()) << experiment.name;
      EXPECT_EQ(finding.outcome, Outcome::not_measured) << experiment.name << ": " << claim.says;
    }
}

}  // namespace
}  // namespace s3gd::reproduce
