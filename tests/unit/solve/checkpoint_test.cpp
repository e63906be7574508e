// A run that is cut anywhere and resumed ends with the same bits as one that is not.
#include "solve/checkpoint.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "base/interrupt.hpp"
#include "exact/finisher.hpp"
#include "s3gd/error.hpp"
#include "support/problems.hpp"

namespace s3gd {
namespace {

using testing::small_data;
using testing::SmallData;

struct Case {
  std::string solver;
  bool sparse = false;
  PenaltyKind penalty = PenaltyKind::l2;
};

void PrintTo(const Case& one, std::ostream* out) {
  *out << one.solver << (one.sparse ? " sparse" : " dense") << " penalty " << static_cast<int>(one.penalty);
}

Problem problem(const Case& one, int threads = 1) {
  SmallData shape;
  shape.rows = 200;
  shape.cols = 15;
  shape.weighted = true;
  ProblemSpec spec;
  spec.penalty.kind = one.penalty;
  spec.penalty.lambda = one.penalty == PenaltyKind::l2 ? 0.05 : 0.01;
  spec.threads = threads;
  return Problem(small_data<float>(shape, one.sparse), spec);
}

class Cut : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
    std::string name = std::string(info->test_suite_name()) + info->name();
    std::replace(name.begin(), name.end(), '/', '_');
    path_ = (std::filesystem::temp_directory_path() / ("s3gd_" + name + "_" + std::to_string(getpid()))).string();
    std::filesystem::remove(path_);
  }
  void TearDown() override {
    request_interrupt(false);
    std::filesystem::remove(path_);
  }

  SolveOptions options(const Case& one) const {
    SolveOptions options;
    options.solver = one.solver;
    if (one.solver == "s3gd" || one.solver == "auto") options.graph = {.anchors = 6, .neighbours = 3};
    const bool exact = find_finisher(one.solver) != nullptr || one.solver == "auto";
    options.passes = exact ? 0 : one.solver == "gd" || one.solver == "svrg" ? 30 : 4;
    options.tol = 1e-10;
    options.trace_every = one.solver == "gd" ? 4 : 7;
    options.seed = 4;
    options.checkpoint = path_;
    options.checkpoint_every = 0;
    return options;
  }

  // Cut after so many looks; negative: never.
  Solution run(const Problem& problem, const SolveOptions& options, int looks) {
    SolveInput input;
    was_cut_ = false;
    input.watch = [&](const TraceRow&) { return !(was_cut_ = was_cut_ || --looks == 0); };
    return solve(problem, options, input);
  }

  std::string path_;
  bool was_cut_ = false;
};

class Resume : public Cut, public ::testing::WithParamInterface<Case> {};

void expect_same(const Solution& cut, const Solution& whole) {
  EXPECT_EQ(cut.w, whole.w);
  EXPECT_EQ(cut.summary.status, whole.summary.status);
  EXPECT_EQ(cut.summary.objective, whole.summary.objective);
  EXPECT_EQ(cut.summary.certificate.relative_gap, whole.summary.certificate.relative_gap);
  EXPECT_EQ(cut.summary.iterations, whole.summary.iterations);
  EXPECT_EQ(cut.summary.passes, whole.summary.passes);
  ASSERT_EQ(cut.trace.size(), whole.trace.size());
  for (std::size_t k = 0; k < cut.trace.size(); ++k) {
    EXPECT_EQ(cut.trace[k].iteration, whole.trace[k].iteration);
    EXPECT_EQ(cut.trace[k].train_objective, whole.trace[k].train_objective) << k;
  }
}

TEST_P(Resume, ARunCutAnywhereEndsWithTheSameBits) {
  const Problem whole_problem = problem(GetParam());
  SolveOptions options = this->options(GetParam());
  const Solution whole = run(whole_problem, options, -1);
  ASSERT_GT(whole.trace.size(), 2U);
  const int looks = static_cast<int>(whole.trace.size());
  for (const int cut : {1, looks / 3, looks - 1}) {
    if (cut < 1) continue;
    std::filesystem::remove(path_);
    options.resume = false;
    run(whole_problem, options, cut);
    options.resume = true;
    expect_same(run(problem(GetParam(), 3), options, -1), whole);
  }
}

TEST_P(Resume, ARunCutAgainAndAgainEndsWithTheSameBits) {
  const Problem whole_problem = problem(GetParam());
  SolveOptions options = this->options(GetParam());
  const Solution whole = run(whole_problem, options, -1);
  std::filesystem::remove(path_);
  options.resume = true;
  Solution part = run(whole_problem, options, 2);
  for (int looks = 3; was_cut_ && looks < 1000; looks += 2)
    part = run(whole_problem, options, looks);  // longer each time: what is cut within its first segment begins again
  expect_same(part, whole);
}

TEST_P(Resume, AnInterruptKeepsTheStateWhateverTheClockSays) {
  const Problem whole_problem = problem(GetParam());
  SolveOptions options = this->options(GetParam());
  options.checkpoint_every = 1e9;
  const Solution whole = run(whole_problem, options, -1);
  std::filesystem::remove(path_);
  int looks = 0;
  SolveInput input;
  input.watch = [&looks](const TraceRow&) {
    if (++looks == 2) request_interrupt();
    return true;
  };
  EXPECT_EQ(solve(whole_problem, options, input).summary.status, Status::interrupted);
  request_interrupt(false);
  EXPECT_TRUE(std::filesystem::exists(path_) || GetParam().solver == "auto");  // whose start is made again
  options.resume = true;
  EXPECT_EQ(run(whole_problem, options, -1).w, whole.w);
}

std::vector<Case> every_solver() {
  std::vector<Case> cases;
  for (const SolverInfo& info : solvers())
    for (const bool sparse : {false, true})
      for (const PenaltyKind penalty : {PenaltyKind::l2, PenaltyKind::l1}) {
        const Case one{info.name, sparse, penalty};
        const Finisher* finisher = find_finisher(info.name);
        if (finisher == nullptr || finisher->suits(problem(one))) cases.push_back(one);
      }
  return cases;
}
INSTANTIATE_TEST_SUITE_P(EverySolver, Resume, ::testing::ValuesIn(every_solver()));

class CheckpointFile : public Cut {
 protected:
  // A checkpoint of a run that was cut.
  void cut() {
    SolveOptions options = this->options(one_);
    run(problem(one_), options, 4);
    ASSERT_TRUE(std::filesystem::exists(path_));
  }
  std::string bytes() const {
    std::ifstream in(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void write(const std::string& bytes) const { std::ofstream(path_, std::ios::binary) << bytes; }
  // The sentence with which resuming is refused; empty when it is not.
  std::string refusal(const Problem& problem, const SolveOptions& options) {
    try {
      solve(problem, options);
    } catch (const Error& error) {
      return error.what();
    }
    return {};
  }
  SolveOptions resuming() const {
    SolveOptions options = this->options(one_);
    options.resume = true;
    return options;
  }

  Case one_{"svrg", false, PenaltyKind::l2};
};

TEST_F(CheckpointFile, AnyDamageIsRefusedAndLeavesTheFileAlone) {
  cut();
  const std::string good = bytes();
  for (std::size_t at = 0; at < good.size(); at += 1 + good.size() / 60) {
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 0x10);
    write(bad);
    EXPECT_NE(refusal(problem(one_), resuming()), "") << at;
    EXPECT_EQ(bytes(), bad);
    write(good.substr(0, at));
    EXPECT_NE(refusal(problem(one_), resuming()), "") << at;
  }
  write(good);
  EXPECT_EQ(refusal(problem(one_), resuming()), "");
}

TEST_F(CheckpointFile, OfOtherDataOptionsOrSeedIsRefusedByName) {
  cut();
  SolveOptions options = resuming();
  options.seed = 5;
  EXPECT_NE(refusal(problem(one_), options).find("seed"), std::string::npos);
  options = resuming();
  options.step = 0.01;
  EXPECT_NE(refusal(problem(one_), options).find("step"), std::string::npos);
  Case other = one_;
  other.penalty = PenaltyKind::l1;
  EXPECT_NE(refusal(problem(other), resuming()).find("penalty was l2, now it is l1"), std::string::npos);
  SmallData shape;
  shape.rows = 200;
  shape.cols = 15;
  const Problem unweighted(small_data<float>(shape, false), problem(one_).spec());
  EXPECT_NE(refusal(unweighted, resuming()).find("rows"), std::string::npos);
  options = resuming();
  options.seconds = 1e6;  // time limits have no say in the result
  EXPECT_EQ(refusal(problem(one_), options), "");
}

TEST_F(CheckpointFile, AnExistingOneIsNotOverwrittenUnasked) {
  cut();
  const std::string good = bytes();
  EXPECT_NE(refusal(problem(one_), options(one_)).find("resume"), std::string::npos);
  EXPECT_EQ(bytes(), good);
}

TEST_F(CheckpointFile, ResumingWithoutOneBeginsAtTheBeginning) {
  const Solution whole = run(problem(one_), options(one_), -1);
  std::filesystem::remove(path_);
  expect_same(run(problem(one_), resuming(), -1), whole);
}

TEST_F(CheckpointFile, AFolderThatIsNotThereIsSaidAtOnce) {
  SolveOptions options = this->options(one_);
  options.checkpoint = path_ + ".missing/file";
  EXPECT_NE(refusal(problem(one_), options), "");
}

TEST_F(CheckpointFile, WhatAKilledWriteLeftBesideIsClearedAway) {
  cut();
  std::ofstream(path_ + ".tmp999999999.0") << "half";
  EXPECT_EQ(refusal(problem(one_), resuming()), "");
  EXPECT_FALSE(std::filesystem::exists(path_ + ".tmp999999999.0"));
}

TEST(Checkpointing, DoesNotChangeAStochasticRun) {
  SmallData shape;
  shape.rows = 300;
  const Problem problem(small_data<double>(shape, true), {});
  for (const std::string solver : {"s3gd", "sgd", "svrg", "saga"}) {
    SolveOptions options;
    options.solver = solver;
    options.passes = 5;
    const Solution plain = solve(problem, options);
    options.checkpoint =
        (std::filesystem::temp_directory_path() / ("s3gd_unchanged_" + std::to_string(getpid()))).string();
    options.checkpoint_every = 0;
    std::filesystem::remove(options.checkpoint);
    EXPECT_EQ(solve(problem, options).w, plain.w) << solver;
    std::filesystem::remove(options.checkpoint);
  }
}

}  // namespace
}  // namespace s3gd
