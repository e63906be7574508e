// Criteria of what an iteration costs, and of how well gradients are estimated.
#include <gtest/gtest.h>

#include <fmt/core.h>

#include "made_up_runs.hpp"

namespace s3gd::reproduce {
namespace {

TEST(ReproduceMeasures, TheTimeOfAnIterationAtAnySize) {
  const std::string rule = R"({"kind": "same-at-any-size", "label": "sgd", "within": 1.5, "partly_within": 3})";
  Evidence evidence;
  EXPECT_EQ(outcome(evidence, rule), Outcome::not_measured);
  const auto add = [&](Index n, double seconds) {
    evidence.results.sets.push_back(made_up_set("n = " + std::to_string(n)));
    evidence.results.sets.back().rows = n;
    evidence.results.runs.push_back(made_up_run(evidence.results.sets.back().name, "sgd", {.seconds_each = seconds}));
  };
  add(4000, 1.4);
  add(100, 1);
  EXPECT_EQ(outcome(evidence, rule), Outcome::confirmed);
  add(8000, 2.5);
  EXPECT_EQ(outcome(evidence, rule), Outcome::partly);
  add(9000, 3.5);
  EXPECT_EQ(judged(evidence, rule).in_short, "3.5 times as long with 9000 rows as with 100");
  EXPECT_EQ(outcome(evidence, rule), Outcome::not_confirmed);
}

TEST(ReproduceMeasures, CostsOfAnIteration) {
  const Evidence evidence = race();
  EXPECT_EQ(outcome(evidence, R"({"kind": "cost", "labels": ["svrg"], "over": "sgd", "at_least": 3})"),
            Outcome::confirmed);
  EXPECT_EQ(outcome(evidence, R"({"kind": "cost", "labels": ["svrg", "s3gd"], "over": "sgd", "at_most": 1.1})"),
            Outcome::partly);
  EXPECT_EQ(outcome(evidence, R"({"kind": "cost", "labels": ["svrg"], "over": "sgd", "at_most": 2})"),
            Outcome::not_confirmed);
  EXPECT_EQ(outcome(evidence, R"({"kind": "cost", "labels": ["scv"], "over": "sgd", "at_most": 2})"),
            Outcome::not_measured);
  EXPECT_EQ(outcome(evidence, R"({"kind": "cheapest", "label": "sgd", "share": 0.5})"), Outcome::confirmed);
  EXPECT_EQ(outcome(evidence, R"({"kind": "cheapest", "label": "s3gd", "share": 0.5})"), Outcome::partly);  // a tie
  EXPECT_EQ(outcome(evidence, R"({"kind": "cheapest", "label": "svrg", "share": 0.5})"), Outcome::not_confirmed);
}

TEST(ReproduceMeasures, MediansAreCalledSo) {
  EXPECT_EQ(judged(race(), R"({"kind": "cost", "labels": ["svrg"], "over": "sgd", "at_least": 3})").in_short,
            "svrg 3 times as long in the median");
  const Finding wins = judged(race(), R"({"kind": "wins", "label": "s3gd", "at_least": 2, "of": 3})");
  EXPECT_NE(wins.criterion.find("in the median over the trials"), std::string::npos) << wins.criterion;
}

TEST(ReproduceMeasures, CostMostOnNamedSets) {
  Evidence evidence;
  for (const auto& [name, cost] : {std::pair("A", 8.0), std::pair("B", 2.0), std::pair("C", 4.0)}) {
    evidence.results.sets.push_back(made_up_set(name));
    evidence.results.runs.push_back(made_up_run(name, "sgd"));
    evidence.results.runs.push_back(made_up_run(name, "svrg", {.seconds_each = cost}));
  }
  const auto rule = [](const char* set, int least) {
    return fmt::format(R"({{"kind": "cost-most-on", "label": "svrg", "over": "sgd", "sets": ["{}"], "at_least": {}}})",
                       set, least);
  };
  EXPECT_EQ(outcome(evidence, rule("A", 2)), Outcome::confirmed);
  EXPECT_EQ(outcome(evidence, rule("A", 3)), Outcome::partly);
  EXPECT_EQ(outcome(evidence, rule("B", 2)), Outcome::not_confirmed);
}

TEST(ReproduceMeasures, Exponents) {
  const std::string rule = R"({"kind": "exponents", "tolerance": 0.2, "partly_share": 0.4, "vary": [
    {"by": "n", "solvers": ["svrg", "sgd"]}, {"by": "m", "solvers": ["s3gd"]}]})";
  Evidence evidence;
  for (const Index n : {1000000, 2000000, 4000000}) {
    ResultSet set = made_up_set("n = " + std::to_string(n));
    set.rows = n;
    evidence.results.sets.push_back(set);
    evidence.results.runs.push_back(made_up_run(set.name, "svrg", {.seconds_each = 1e-6 * static_cast<double>(n)}));
    evidence.results.runs.push_back(made_up_run(set.name, "sgd", {.seconds_each = 3}));
  }
  const auto cells = fit_exponents(Json::parse(rule), evidence.results);
  ASSERT_EQ(cells.size(), 3u);
  EXPECT_NEAR(cells[0].measured, 1, 1e-9);
  EXPECT_NEAR(cells[0].formula, 1, 1e-3);
  EXPECT_NEAR(cells[1].measured, 0, 1e-9);
  EXPECT_NEAR(cells[1].formula, 0, 1e-9);
  EXPECT_EQ(outcome(evidence, rule), Outcome::confirmed);  // the third was not measured
  const Json small = Json::parse(R"({"vary": [{"by": "n", "solvers": ["svrg"], "at_most": 2000000}]})");
  EXPECT_EQ(fit_exponents(small, evidence.results)[0].at, (std::vector<double>{1e6, 2e6}));
  for (const double m : {1000, 2000, 4000})
    evidence.results.runs.push_back(
        made_up_run(evidence.results.sets[0].name, fmt::format("s3gd (m = {:g})", m), {.seconds_each = m * m}));
  EXPECT_EQ(outcome(evidence, rule), Outcome::partly);
}

TEST(ReproduceMeasures, TheFormulasOfTable1) {
  const Shape shape{.n = 1000, .d = 7, .m = 40, .p = 10, .k = 5, .k_in = 20};
  EXPECT_EQ(formula_cost("sgd", shape), 70);
  EXPECT_EQ(formula_cost("ssgd", shape), 70);
  EXPECT_EQ(formula_cost("svrg", shape), 70 + 50 * 7);
  EXPECT_EQ(formula_cost("scv", shape), 70 + 49);
  EXPECT_EQ(formula_cost("s3gd", shape), 70 + 2 * 7 + 10 * 12);
  EXPECT_TRUE(std::isnan(formula_cost("saga", shape)));
}

Evidence anchors(const std::vector<std::pair<int, MadeUp>>& by_m) {
  Evidence evidence;
  evidence.results.sets = {made_up_set("MED11")};
  for (const auto& [m, made_up] : by_m)
    evidence.results.runs.push_back(made_up_run("MED11", fmt::format("m = {}", m), made_up));
  return evidence;
}

TEST(ReproduceMeasures, TimeGrowsLessThanTheAnchors) {
  const auto growing = [](double power) {
    return anchors({{10, {.seconds_each = std::pow(10, power)}}, {100, {.seconds_each = std::pow(100, power)}}});
  };
  const std::string rule = R"({"kind": "sublinear", "at_most": 0.9})";
  EXPECT_EQ(outcome(growing(0.4), rule), Outcome::confirmed);
  EXPECT_EQ(outcome(growing(1), rule), Outcome::not_confirmed);
  EXPECT_EQ(outcome(growing(-0.1), rule), Outcome::not_confirmed);
  EXPECT_EQ(outcome({}, rule), Outcome::not_measured);
}

TEST(ReproduceMeasures, AnchorsAndCorrelation) {
  const auto with = [](double at5, double at20, double at100) {
    return anchors({{5, {.correlation = at5, .last_correlation = at5}},
                    {20, {.correlation = at20, .last_correlation = at20}},
                    {100, {.correlation = at100, .last_correlation = at100}}});
  };
  const std::string peak = R"({"kind": "anchors-peak", "at": {"MED11": 20}})";
  EXPECT_EQ(outcome(with(0.1, 0.9, 0.8), peak), Outcome::confirmed);
  EXPECT_EQ(outcome(with(0.1, 0.8, 0.9), peak), Outcome::not_confirmed);
  EXPECT_EQ(outcome(with(0.9, 0.8, 0.1), peak), Outcome::not_confirmed);  // below the largest, but not where it is said
  Evidence half = with(0.1, 0.9, 0.8);
  half.absent = {"CIFAR10"};
  EXPECT_EQ(outcome(half, peak), Outcome::not_confirmed);
  const std::string robust = R"({"kind": "anchors-robust", "from": 20, "within": 0.11})";
  EXPECT_EQ(outcome(with(0.1, 0.8, 0.9), robust), Outcome::confirmed);
  EXPECT_EQ(outcome(with(0.1, 0.7, 0.9), robust), Outcome::not_confirmed);
}

TEST(ReproduceMeasures, VarianceFallsWithAnchors) {
  const auto with = [](double at1, double at20, double at100) {
    return anchors({{1, {.variance = at1}}, {20, {.variance = at20}}, {100, {.variance = at100}}});
  };
  const std::string rule = R"({"kind": "variance-falls", "below": 1, "at": 100})";
  EXPECT_EQ(outcome(with(2, 0.5, 0.1), rule), Outcome::confirmed);
  EXPECT_EQ(outcome(with(2, 0.5, 0.5), rule), Outcome::not_confirmed);  // with every anchor means every
  EXPECT_EQ(outcome(with(2, 0.5, 0.7), rule), Outcome::not_confirmed);
  EXPECT_EQ(outcome(with(2, 1.7, 1.1), rule), Outcome::not_confirmed);
}

TEST(ReproduceMeasures, LowerVariance) {
  const auto with = [](double mine, double other) {
    Evidence evidence;
    evidence.results.sets = {made_up_set("A")};
    evidence.results.runs = {made_up_run("A", "s3gd", {.variance = mine}),
                             made_up_run("A", "s3gd paper", {.variance = other})};
    return evidence;
  };
  const std::string rule = R"({"kind": "lower-variance", "label": "s3gd", "than": "s3gd paper", "never_above": 1})";
  EXPECT_EQ(outcome(with(0.1, 0.5), rule), Outcome::confirmed);
  EXPECT_EQ(outcome(with(0.5, 0.1), rule), Outcome::not_confirmed);
  EXPECT_EQ(outcome(with(1.1, 2), rule), Outcome::not_confirmed);
  Evidence begins_high = with(0.1, 0.5);
  begins_high.results.runs[0].points[0].variance_ratio = 1.5;
  EXPECT_EQ(outcome(begins_high, rule), Outcome::not_confirmed);
  EXPECT_EQ(judged(begins_high, rule).measured, "on 0 of 1 sets. A 0.1 against 0.5, largest 1.5");
}

Evidence gradients() {
  Evidence evidence;
  for (const char* name : {"A", "B"}) {
    evidence.results.sets.push_back(made_up_set(name));
    evidence.results.runs.push_back(made_up_run(name, "sgd", {.correlation = 0.6, .last_correlation = 0.2}));
    evidence.results.runs.push_back(made_up_run(name, "svrg", {.correlation = 0.9, .last_correlation = 1}));
    evidence.results.runs.push_back(
        made_up_run(name, "s3gd", {.correlation = 0.9, .last_correlation = name[0] == 'A' ? 0.8 : 0.0}));
    evidence.results.runs.push_back(made_up_run(name, "scv", {.correlation = 0.5, .last_correlation = 0.6}));
  }
  return evidence;
}

TEST(ReproduceMeasures, Correlations) {
  const Evidence evidence = gradients();  // means: sgd 0.4, svrg 0.95, scv 0.55; s3gd 0.85 on A, 0.45 on B
  EXPECT_EQ(outcome(evidence, R"({"kind": "highest-correlation", "labels": ["svrg"], "partly_share": 0.5})"),
            Outcome::confirmed);
  EXPECT_EQ(outcome(evidence, R"({"kind": "highest-correlation", "labels": ["svrg", "s3gd"], "partly_share": 0.5})"),
            Outcome::partly);
  EXPECT_EQ(outcome(evidence, R"({"kind": "highest-correlation", "labels": ["sgd"], "partly_share": 0.5})"),
            Outcome::not_confirmed);
  EXPECT_EQ(outcome(evidence, R"({"kind": "end-correlation", "label": "svrg", "at_least": 0.99, "partly_share": 0.5})"),
            Outcome::confirmed);
  EXPECT_EQ(outcome(evidence, R"({"kind": "end-correlation", "label": "s3gd", "at_least": 0.7, "partly_share": 0.5})"),
            Outcome::partly);
  EXPECT_EQ(outcome(evidence, R"({"kind": "correlation-above", "label": "s3gd", "than": "sgd", "at_least": 0.6})"),
            Outcome::confirmed);
  EXPECT_EQ(outcome(evidence, R"({"kind": "correlation-above", "label": "s3gd", "than": "sgd", "at_least": 0.8})"),
            Outcome::partly);
  EXPECT_EQ(outcome(evidence, R"({"kind": "correlation-above", "label": "sgd", "than": "scv", "at_least": 0.8})"),
            Outcome::not_confirmed);
  const std::string rest = R"(, "share": 0.9, "partly_share": 0.5})";
  EXPECT_EQ(outcome(evidence, R"({"kind": "correlation-falls", "labels": ["sgd"])" + rest), Outcome::confirmed);
  EXPECT_EQ(outcome(evidence, R"({"kind": "correlation-falls", "labels": ["sgd", "scv"])" + rest), Outcome::partly);
  EXPECT_EQ(outcome(evidence, R"({"kind": "correlation-falls", "labels": ["scv", "svrg"])" + rest),
            Outcome::not_confirmed);
}

}  // namespace
}  // namespace s3gd::reproduce
