#include "compare/results.hpp"

#include <gtest/gtest.h>

#include "base/json.hpp"
#include "made_up_runs.hpp"

namespace s3gd::reproduce {
namespace {

TEST(ReproduceResults, ReadsTheRowsOfARun) {
  const auto run = Json::parse(R"j({
    "protocol": {"tolerance": 0.02},
    "datasets": [{"name": "WebSpam (stand-in)", "source": "enron", "rows": 7, "cols": 3, "classes": 2, "test_rows": 2,
                  "stand_in": "mail", "optimum": 0.5}],
    "runs": [{"dataset": "WebSpam (stand-in)", "label": "auto", "solver": "auto", "status": "converged", "step": null,
              "tail_objective": null, "graph_cpu_seconds": null,
              "points": {"iteration": [0, 9], "passes": [0, 1], "cpu_seconds": [0.1, 0.2], "objective": [0.7, null],
                         "test_objective": [1, 2], "correlation": null}}]})j");
  Results results;
  add_results(results, run);
  EXPECT_EQ(results.tolerance, 0.02);
  ASSERT_NE(results.find("WebSpam"), nullptr);
  EXPECT_EQ(results.find("WebSpam")->stand_in, "mail");
  EXPECT_EQ(results.find("WebSpam")->rows, 7);
  ASSERT_EQ(results.runs.size(), 1u);
  EXPECT_EQ(results.runs[0].step, 0);
  const std::vector<TraceRow>& points = results.runs[0].points;
  ASSERT_EQ(points.size(), 2u);
  EXPECT_EQ(points[1].iteration, 9);
  EXPECT_EQ(points[1].cpu_seconds, 0.2);
  EXPECT_TRUE(std::isnan(points[1].train_objective));
  EXPECT_TRUE(std::isnan(points[0].correlation));
  add_results(results, run);
  EXPECT_EQ(results.sets.size(), 1u);
}

TEST(ReproduceResults, TheLargestStableStepIsChosen) {
  Results results;
  results.sets = {made_up_set("A")};
  results.runs = {
      made_up_run("A", "sgd", {.tail = 1.001, .step = 0.1}),      made_up_run("A", "sgd", {.tail = 1.004, .step = 1}),
      made_up_run("A", "sgd", {.tail = 1.3, .step = 5}),          made_up_run("A", "scv", {.tail = 1.5, .step = 1}),
      made_up_run("A", "scv", {.tail = std::nan(""), .step = 5}), made_up_run("A", "scv", {.tail = 1.2, .step = 0.1})};
  EXPECT_EQ(largest_stable_step(results, results.sets[0], "sgd"), 1.0);
  EXPECT_EQ(chosen_step(results, results.sets[0], "sgd"), 1.0);
  EXPECT_EQ(largest_stable_step(results, results.sets[0], "scv"), std::nullopt);
  EXPECT_EQ(chosen_step(results, results.sets[0], "scv"), 0.1);
  EXPECT_EQ(chosen_step(results, results.sets[0], "gd"), std::nullopt);
}

TEST(ReproduceResults, StabilityIsOfTheMeanOverTrials) {
  Results results;
  results.sets = {made_up_set("A")};
  results.runs = {made_up_run("A", "sgd", {.tail = 1.018}), made_up_run("A", "sgd", {.tail = 1.001})};
  EXPECT_TRUE(is_stable(results, results.sets[0], "sgd", 1));
  results.runs.push_back(made_up_run("A", "sgd", {.tail = 1.012}));
  EXPECT_FALSE(is_stable(results, results.sets[0], "sgd", 1));
}

TEST(ReproduceResults, ArrivalIsTheMedianOverTrialsWithOrWithoutTheGraph) {
  Results results;
  results.sets = {made_up_set("A")};
  results.runs = {made_up_run("A", "s3gd", {.arrives = 3, .seconds_each = 2, .graph = 10}),
                  made_up_run("A", "s3gd", {.arrives = 5, .seconds_each = 2, .graph = 10}),
                  made_up_run("A", "s3gd", {.arrives = 99, .seconds_each = 2, .graph = 10})};
  EXPECT_EQ(reaches_target(results, results.sets[0], "s3gd", Clock::cpu_without_graph), 10.0);
  EXPECT_EQ(reaches_target(results, results.sets[0], "s3gd", Clock::cpu_with_graph), 20.0);
  EXPECT_EQ(reaches_target(results, results.sets[0], "s3gd", Clock::iterations), 5.0);
  results.runs.push_back(made_up_run("A", "s3gd", {.arrives = 99}));
  EXPECT_EQ(reaches_target(results, results.sets[0], "s3gd", Clock::iterations), std::nullopt);
}

TEST(ReproduceResults, WhoIsNotStableNeverArrives) {
  Results results;
  results.sets = {made_up_set("A")};
  results.runs = {made_up_run("A", "sgd", {.arrives = 3, .tail = 1.02})};
  EXPECT_EQ(reaches_target(results, results.sets[0], "sgd", Clock::iterations), std::nullopt);
}

TEST(ReproduceResults, LooksCloseTogetherDoNotCountAsCost) {
  Results results;
  results.sets = {made_up_set("A")};
  RunRecord run = made_up_run("A", "sgd");
  run.points.clear();
  for (const auto& [iteration, seconds] : {std::pair(0, 0), {1, 50}, {2, 60}, {3, 70}, {10, 84}, {20, 104}}) {
    run.points.emplace_back().iteration = iteration;
    run.points.back().cpu_seconds = seconds;
  }
  results.runs = {run};
  EXPECT_DOUBLE_EQ(iteration_seconds(results, results.sets[0], "sgd"), 2);
}

TEST(ReproduceResults, AnIterationCostsWhatPassesBetweenLooks) {
  Results results;
  results.sets = {made_up_set("A")};
  results.runs = {made_up_run("A", "s3gd", {.seconds_each = 0.25, .graph = 1000})};
  EXPECT_DOUBLE_EQ(iteration_seconds(results, results.sets[0], "s3gd"), 0.25);
  EXPECT_TRUE(std::isnan(iteration_seconds(results, results.sets[0], "sgd")));
}

TEST(ReproduceResults, ExponentsMediansAndRanks) {
  EXPECT_NEAR(fitted_exponent({1, 2, 4, 8}, {3, 12, 48, 192}), 2, 1e-12);
  EXPECT_TRUE(std::isnan(fitted_exponent({1}, {3})));
  EXPECT_EQ(median_of({3, 1, std::nan(""), 2}), 2);
  EXPECT_EQ(median_of({1, 2}), 1.5);
  EXPECT_NEAR(rank_correlation({1, 2, 3, 4}, {10, 20, 400, 8000}), 1, 1e-12);
  EXPECT_NEAR(rank_correlation({1, 2, 3, 4}, {4, 3, 2, 1}), -1, 1e-12);
  EXPECT_NEAR(rank_correlation({1, 1, 2, 2}, {5, 5, 9, 9}), 1, 1e-12);
}

TEST(ReproduceResults, OnlyKeepsWhatIsNamed) {
  Results results;
  results.sets = {made_up_set("A (generated)"), made_up_set("B")};
  for (const char* set : {"A (generated)", "B"})
    for (const char* label : {"sgd", "svrg"}) results.runs.push_back(made_up_run(set, label));
  const Results some = only(results, {"A"}, {"svrg"});
  ASSERT_EQ(some.runs.size(), 1u);
  EXPECT_EQ(some.runs[0].dataset, "A (generated)");
  EXPECT_EQ(only(results, {}, {}).runs.size(), 4u);
}

}  // namespace
}  // namespace s3gd::reproduce
