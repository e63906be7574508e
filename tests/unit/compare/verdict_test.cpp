// When runs are looked at, and what they say together.
#include "compare/outcome.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "compare/one_run.hpp"

namespace s3gd {
namespace {

TEST(Schedule, BeginsAtZeroEndsWithTheRunAndAscends) {
  for (const Index iterations : {1, 2, 7, 50, 100, 999, 8000, 40000, 1000000})
    for (const Index tail : {Index{1}, std::max<Index>(1, iterations / 8), iterations}) {
      const auto looks = look_schedule(iterations, tail, Plan{}.look_growth);
      EXPECT_EQ(looks.front(), 0);
      EXPECT_EQ(looks.back(), iterations);
      for (std::size_t k = 1; k < looks.size(); ++k) EXPECT_LT(looks[k - 1], looks[k]);
      EXPECT_LE(looks.size(), 250U);
    }
}

TEST(Schedule, LooksAreNeverMoreThanSixPerCentApart) {
  for (const Index iterations : {5000, 40000}) {
    const auto looks = look_schedule(iterations, iterations / 8, Plan{}.look_growth);
    for (std::size_t k = 1; k < looks.size(); ++k)
      EXPECT_LE(static_cast<double>(looks[k]),
                std::max(1.06 * static_cast<double>(looks[k - 1]) + 1e-9, static_cast<double>(looks[k - 1] + 1)));
  }
  EXPECT_LT(look_schedule(4000, 3800, 2).size(), 35U);  // where only times are wanted
}

TEST(Schedule, OfThePapersProtocolHasSome170LooksAnd20InItsTail) {
  const auto looks = look_schedule(40000, 5000, Plan{}.look_growth);
  EXPECT_GE(looks.size(), 140U);
  EXPECT_LE(looks.size(), 190U);
  EXPECT_EQ(std::count_if(looks.begin(), looks.end(), [](Index at) { return at > 35000; }), kTailLooks);
  for (const Index early : {1, 2, 3, 4, 5}) EXPECT_EQ(std::count(looks.begin(), looks.end(), early), 1);
  std::vector<int> phases(20, 0);
  for (const Index at : looks)
    if (at > 5000) ++phases[static_cast<std::size_t>(at % 20)];
  EXPECT_EQ(std::count(phases.begin(), phases.end(), 0), 0) << "some part of the inner loop is never looked at";
}

RunRecord run_of(const std::string& label, double step, Index trial, double tail, std::vector<double> objectives = {}) {
  RunRecord run;
  run.dataset = "d";
  run.label = run.solver = label;
  run.step = step;
  run.step_rule = text_of({.value = step, .decay = 0, .relative = false});
  run.trial = trial;
  run.tail_objective = tail;
  run.graph_cpu_seconds = 0.5;
  for (const double objective : objectives) {
    TraceRow row;
    row.train_objective = objective;
    row.cpu_seconds = 0.5 + static_cast<double>(run.points.size());
    run.points.push_back(row);
  }
  return run;
}

TEST(ChooseStep, TakesTheLargestWhoseMeanTailIsWithinTheTolerance) {
  const std::vector<RunRecord> runs{run_of("a", 0.1, 1, 1.001), run_of("a", 0.1, 2, 1.002), run_of("a", 5, 1, 1.009),
                                    run_of("a", 5, 2, 1.010),   run_of("a", 10, 1, 1.0),    run_of("a", 10, 2, 1.03),
                                    run_of("b", 10, 1, 1.0)};
  const ChosenStep chosen = choose_step(runs, "a", 1.0, 0.01);
  EXPECT_TRUE(chosen.stable);
  EXPECT_EQ(chosen.step, 5);
  EXPECT_NEAR(chosen.mean_tail, 1.0095, 1e-12);
}

TEST(ChooseStep, ATrialWithoutANumberMakesAStepUnstable) {
  const std::vector<RunRecord> runs{run_of("a", 1, 1, 1.001), run_of("a", 5, 1, 1.0), run_of("a", 5, 2, std::nan(""))};
  EXPECT_EQ(choose_step(runs, "a", 1.0, 0.01).step, 1);
}

TEST(ChooseStep, WhereNoneIsStableTheClosestIsShownAndSaidToBeUnstable) {
  const std::vector<RunRecord> runs{run_of("a", 0.1, 1, 1.5), run_of("a", 1, 1, 1.2), run_of("a", 5, 1, 7),
                                    run_of("a", 10, 1, std::nan(""))};
  const ChosenStep chosen = choose_step(runs, "a", 1.0, 0.01);
  EXPECT_FALSE(chosen.stable);
  EXPECT_EQ(chosen.step, 1);
  const ChosenStep nothing = choose_step(runs, "b", 1.0, 0.01);
  EXPECT_FALSE(nothing.stable);
  EXPECT_TRUE(std::isnan(nothing.step));
}

TEST(Judge, OrdersByTheMedianTrialWithAndWithoutTheGraph) {
  // sgd gets there at looks 3, 3 and never: median 3.5 s; quick at 0, 1, 1: median 1.5 s; never is unstable.
  const std::vector<RunRecord> runs{
      run_of("sgd", 1, 1, 1.005, {2, 2, 2, 1.005}), run_of("sgd", 1, 2, 1.005, {2, 2, 2, 1.01}),
      run_of("sgd", 1, 3, 1.005, {2, 2, 2, 2}),     run_of("quick", 1, 1, 1.0, {1.0, 1.0}),
      run_of("quick", 1, 2, 1.0, {2, 1.0}),         run_of("quick", 1, 3, 1.0, {2, 1.0}),
      run_of("never", 1, 1, 1.4, {1.0, 1.4}),
  };
  std::vector<ChosenStep> chosen;
  for (const char* label : {"sgd", "quick", "never"}) chosen.push_back(choose_step(runs, label, 1.0, 0.01));
  const Verdict with = judge(runs, chosen, 1.0, 0.01, true);
  ASSERT_EQ(with.order.size(), 3U);
  EXPECT_EQ(with.winner, "quick");
  EXPECT_DOUBLE_EQ(with.order[0].median_seconds, 1.5);
  EXPECT_EQ(with.order[1].label, "sgd");
  EXPECT_DOUBLE_EQ(with.order[1].median_seconds, 3.5);
  EXPECT_TRUE(std::isinf(with.order[2].median_seconds));
  EXPECT_DOUBLE_EQ(with.speedup_over_sgd, 3.5 / 1.5);
  EXPECT_DOUBLE_EQ(with.speedup_over_runner_up, 3.5 / 1.5);
  const Verdict without = judge(runs, chosen, 1.0, 0.01, false);
  EXPECT_DOUBLE_EQ(without.order[0].median_seconds, 1.0);
  EXPECT_DOUBLE_EQ(without.speedup_over_sgd, 3.0);
}

TEST(Judge, NobodyWinsWhereNobodyGetsThere) {
  const std::vector<RunRecord> runs{run_of("sgd", 1, 1, 2.0, {3, 2})};
  const std::vector<ChosenStep> chosen{choose_step(runs, "sgd", 1.0, 0.01)};
  const Verdict verdict = judge(runs, chosen, 1.0, 0.01, true);
  EXPECT_EQ(verdict.winner, "");
  EXPECT_TRUE(std::isnan(verdict.speedup_over_sgd));
}

}  // namespace
}  // namespace s3gd
