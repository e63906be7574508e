// Whole comparisons in miniature: runs, the folder they are kept in, and what becomes of bad ones.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/file.hpp"
#include "compare/one_run.hpp"

namespace s3gd {
namespace {

class RunPlan : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = testing::TempDir() + "s3gd_compare_" + std::to_string(getpid()) + "_" +
              testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::remove_all(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  static Plan small_plan(const std::string& solvers = R"(["sgd", "s3gd"])") {
    Plan plan = parse_plan(R"({"datasets": ["gen:manifold?rows=300&cols=6"], "steps": [0.5, 2], "trials": 2,
                               "iterations": 400, "anchors": 8, "scale": "unit-rows", "solvers": )" +
                           solvers + "}");
    plan.pages = false;
    return plan;
  }
  Json run_file() const { return Json::parse_file(folder_ + "/run.json"); }

  std::string folder_;
};

TEST_F(RunPlan, EveryRunIsThereAndSeenAtTheSameIterations) {
  const PlanResult result = run_plan(small_plan(), folder_);
  EXPECT_EQ(result.status, Status::converged);
  EXPECT_EQ(result.planned, 8);
  EXPECT_EQ(result.runs, 8);
  const Json run = run_file();
  ASSERT_EQ(run.at("runs").size(), 8U);
  const auto looks = look_schedule(400, 50, Plan{}.look_growth);
  for (const Json& one : run.at("runs")) {
    EXPECT_EQ(one.at("points").at("iteration"), Json(looks));
    EXPECT_EQ(one.at("status"), "out_of_passes");
    EXPECT_EQ(one.at("objective"), one.at("points").at("objective").back());
    EXPECT_GE(one.at("objective").get<double>(), run.at("datasets")[0].at("optimum").get<double>() - 1e-12);
    double sum = 0;
    for (std::size_t k = 0; k < looks.size(); ++k)
      if (looks[k] > 350) sum += one.at("points").at("objective")[k].get<double>();
    EXPECT_NEAR(one.at("tail_objective").get<double>(), sum / one.at("tail_looks").get<double>(), 1e-14);
  }
}

// A run is a function of its options: looked at at other iterations it goes the same way, and solve() agrees.
TEST_F(RunPlan, LookingChangesNothing) {
  const Plan plan = small_plan();
  const Subject subject = read_subject(plan, plan.datasets[0]);
  for (const RunTask& task : tasks_of(plan, subject)) {
    const RunOutcome outcome = perform(plan, subject, task, {});
    SolveOptions options = options_of(plan, subject, task);
    options.trace_every = 400;
    const Solution plain = solve(subject.problem, options);
    EXPECT_EQ(plain.trace.back().iteration, 400);
    EXPECT_EQ(outcome.record.objective, objective(subject.problem, outcome.w));
    EXPECT_NEAR(outcome.record.objective, plain.trace.back().train_objective, 1e-12);
  }
}

TEST_F(RunPlan, RunsThatAreThereAreNotRepeated) {
  run_plan(small_plan(), folder_);
  const Json first = run_file();
  EXPECT_EQ(run_plan(small_plan(), folder_).reused, 8);
  EXPECT_EQ(run_file().at("runs"), first.at("runs"));  // clocks included: nothing was run
  EXPECT_EQ(run_plan(small_plan(R"(["sgd", "s3gd", "svrg"])"), folder_).reused, 8);
  Plan others = small_plan();
  others.problem.penalty.lambda = 1e-2;
  EXPECT_EQ(run_plan(others, folder_).reused, 0);
  Plan fresh = small_plan();
  fresh.fresh = true;
  EXPECT_EQ(run_plan(fresh, folder_).reused, 0);
}

TEST_F(RunPlan, ADamagedRunIsMadeAgain) {
  run_plan(small_plan(), folder_);
  const Json first = run_file();
  const auto key = first.at("runs")[0].at("key").get<std::string>();
  const auto other = first.at("runs")[1].at("key").get<std::string>();
  std::ofstream(folder_ + "/runs/" + key + ".json") << "{\"s3gd_compare_run\": 1, \"run\": {";
  std::filesystem::remove(folder_ + "/weights/" + other + ".npy");
  EXPECT_EQ(run_plan(small_plan(), folder_).reused, 6);
  EXPECT_EQ(run_file().at("runs")[0].at("points").at("objective"), first.at("runs")[0].at("points").at("objective"));
  EXPECT_TRUE(file_exists(folder_ + "/weights/" + other + ".npy"));
}

TEST_F(RunPlan, AStepThatDivergesIsARowAndNotChosen) {
  Plan plan = parse_plan(R"({"datasets": ["gen:regression?rows=200&cols=5"], "loss": "squared", "steps": [0.01, 1000],
                             "trials": 1, "iterations": 2000, "solvers": ["svrg"], "lambda": 0.1})");
  plan.pages = false;
  run_plan(plan, folder_);
  const Json run = run_file();
  ASSERT_EQ(run.at("runs").size(), 2U);
  EXPECT_EQ(run.at("runs")[1].at("status"), "diverged");
  EXPECT_FALSE(run.at("runs")[1].at("stable").get<bool>());
  EXPECT_TRUE(run.at("runs")[1].at("tail_objective").is_null());
  EXPECT_EQ(run.at("chosen")[0].at("step"), 0.01);
  EXPECT_TRUE(run.at("chosen")[0].at("stable").get<bool>()) << run.at("chosen")[0].dump();
}

TEST_F(RunPlan, AContenderThatCannotRunIsARowWithItsError) {
  const PlanResult result = run_plan(small_plan(R"(["sgd", "gram"])"), folder_);
  EXPECT_EQ(result.failed, 2);  // the loss is logistic
  EXPECT_EQ(result.runs, 6);
  const Json file = run_file();
  for (const Json& run : file.at("runs")) {
    const bool bad = run.at("solver") == "gram";
    EXPECT_EQ(run.at("status") == "failed", bad);
    EXPECT_EQ(run.at("error").is_null(), !bad);
  }
  EXPECT_EQ(run_plan(small_plan(R"(["sgd", "gram"])"), folder_).reused, 4) << "failed ones are tried again";
}

TEST_F(RunPlan, ExactSolversRunOnceForEachTrial) {
  run_plan(small_plan(R"(["auto", "sgd"])"), folder_);
  const Json run = run_file();
  ASSERT_EQ(run.at("runs").size(), 6U);
  EXPECT_EQ(run.at("runs")[0].at("status"), "converged");
  EXPECT_TRUE(run.at("runs")[0].at("step").is_null());
  EXPECT_EQ(run.at("runs")[0].at("step_rule"), "none");
  EXPECT_TRUE(run.at("runs")[0].at("stable").get<bool>());
}

TEST_F(RunPlan, AnEndInTheMiddleKeepsWhatIsDoneAndGoesOnFromThere) {
  const PlanResult cut =
      run_plan(small_plan(), folder_, [](const PlanProgress& now) { return now.done < 3 || now.iteration < 100; });
  EXPECT_EQ(cut.status, Status::interrupted);
  EXPECT_EQ(cut.runs, 3);
  EXPECT_FALSE(run_file().at("complete").get<bool>());
  const PlanResult rest = run_plan(small_plan(), folder_);
  EXPECT_EQ(rest.status, Status::converged);
  EXPECT_EQ(rest.reused, 3);
  EXPECT_TRUE(run_file().at("complete").get<bool>());
}

TEST_F(RunPlan, OnlyWhatIsDoneRunsNothingAndLeavesOutWhatWasNeverBegun) {
  Plan plan = small_plan();
  plan.only_done = true;
  const PlanResult nothing = run_plan(plan, folder_);
  EXPECT_EQ(nothing.status, Status::early_stopped);
  EXPECT_EQ(nothing.planned, 8);
  EXPECT_TRUE(nothing.run_file.empty());
  run_plan(small_plan(), folder_, [](const PlanProgress& now) { return now.done < 3; });
  plan.datasets.push_back(plan.datasets.front());
  plan.datasets.back().source = "gen:manifold?rows=200&cols=6";
  const PlanResult some = run_plan(plan, folder_);
  EXPECT_EQ(some.status, Status::early_stopped);
  EXPECT_EQ(some.runs, 3);
  EXPECT_EQ(some.planned, 16);
  const Json run = run_file();
  EXPECT_EQ(run.at("datasets").size(), 1U);
  EXPECT_EQ(run.at("runs").size(), 3U);
  EXPECT_FALSE(run.at("complete").get<bool>());
  run_plan(small_plan(), folder_);
  plan.datasets.pop_back();
  EXPECT_EQ(run_plan(plan, folder_).status, Status::converged);
}

TEST_F(RunPlan, AnotherScheduleOfLooksIsAnotherRun) {
  Plan plan = small_plan();
  run_plan(plan, folder_);
  plan.look_growth = 2;
  EXPECT_EQ(run_plan(plan, folder_).reused, 0);
}

TEST_F(RunPlan, SideBySideTheNumbersAreTheSame) {
  run_plan(small_plan(), folder_);
  const Json one = run_file();
  Plan plan = small_plan();
  plan.jobs = 3;
  plan.fresh = true;
  const PlanResult result = run_plan(plan, folder_);
  EXPECT_EQ(result.runs, 8);
  const Json several = run_file();
  EXPECT_EQ(several.at("notes").size(), 1U);
  for (std::size_t k = 0; k < 8; ++k) {
    EXPECT_EQ(several.at("runs")[k].at("key"), one.at("runs")[k].at("key"));
    EXPECT_EQ(several.at("runs")[k].at("points").at("objective"), one.at("runs")[k].at("points").at("objective"));
  }
}

TEST_F(RunPlan, GradientsAreMeasuredOnRequestAndChangeNothing) {
  Plan plan = small_plan();
  run_plan(plan, folder_);
  const Json blind = run_file();
  plan.gradients = true;
  EXPECT_EQ(run_plan(plan, folder_).reused, 0);
  const Json seen = run_file();
  for (std::size_t k = 0; k < 8; ++k) {
    const Json& points = seen.at("runs")[k].at("points");
    EXPECT_EQ(points.at("objective"), blind.at("runs")[k].at("points").at("objective"));
    EXPECT_TRUE(blind.at("runs")[k].at("points").at("correlation").is_null());
    EXPECT_GT(points.at("correlation").back().get<double>(), 0);
  }
}

TEST_F(RunPlan, RealLabelsGetTheSquaredLossUnlessSomeoneSaysOtherwise) {
  Plan plan = small_plan();
  plan.datasets[0].source = "gen:regression?rows=200&cols=5";
  const Subject subject = read_subject(plan, plan.datasets[0]);
  EXPECT_EQ(subject.problem.spec().loss.kind, LossKind::squared);
  EXPECT_EQ(subject.classes, 0);
}

TEST_F(RunPlan, ThePapersStepsBecomeMultiplesWhereTheyAreFarTooLarge) {
  Plan plan = small_plan();
  plan.steps.clear();
  EXPECT_EQ(text_of(read_subject(plan, plan.datasets[0]).steps[0]), "0.1");
  plan.scale = Scale::none;
  plan.datasets[0].source = "gen:imbalanced?rows=300&cols=6&separation=100";
  const Subject raw = read_subject(plan, plan.datasets[0]);
  EXPECT_LT(raw.unit_step, 0.05);
  EXPECT_EQ(text_of(raw.steps[0]), "0.1x");
  plan.steps = {parse_step_rule("5")};
  EXPECT_EQ(text_of(read_subject(plan, plan.datasets[0]).steps[0]), "5") << "what is asked for stays";
}

}  // namespace
}  // namespace s3gd
