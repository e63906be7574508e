// One-vs-rest runs that are cut and resumed.
#include "solve/checkpoint.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "base/interrupt.hpp"
#include "s3gd/error.hpp"
#include "support/blobs.hpp"
#include "support/one_vs_rest.hpp"

namespace s3gd {
namespace {

using testing::blobs;
using testing::OneVsRest;
using testing::solve_one_vs_rest;
using testing::with_words;

class OneVsRestCut : public ::testing::Test {
 protected:
  void SetUp() override {
    path_ = (std::filesystem::temp_directory_path() / ("s3gd_classes_" + std::to_string(getpid()))).string();
    std::filesystem::remove(path_);
  }
  void TearDown() override {
    request_interrupt(false);
    std::filesystem::remove(path_);
  }

  SolveOptions options(const std::string& solver) const {
    SolveOptions options;
    options.solver = solver;
    const bool stochastic = solver == "s3gd" || solver == "saga";
    options.passes = stochastic ? 6 : 0;
    options.tol = stochastic ? 0 : 1e-9;
    options.checkpoint = path_;
    options.checkpoint_every = 0;
    return options;
  }

  // Ends after so many classes; negative: never.
  OneVsRest run(const SolveOptions& options, int classes, int threads) const {
    ProblemSpec spec;
    spec.threads = threads;
    SolveInput input;
    input.watch_class = [&](const std::string&, const Summary&) { return --classes != 0; };
    return solve_one_vs_rest(data_, spec, options, input);
  }

  Dataset data_ = blobs({.rows = 250, .sparse = true});
  std::string path_;
};

class OneVsRestResume : public OneVsRestCut, public ::testing::WithParamInterface<const char*> {};

void expect_same(const OneVsRest& cut, const OneVsRest& whole) {
  EXPECT_EQ(cut.w, whole.w);
  EXPECT_EQ(cut.summary.status, whole.summary.status);
  EXPECT_EQ(cut.summary.objective, whole.summary.objective);
  EXPECT_EQ(cut.summary.passes, whole.summary.passes);
  EXPECT_EQ(cut.summary.iterations, whole.summary.iterations);
}

TEST_P(OneVsRestResume, ARunCutAfterAnyClassEndsWithTheSameBits) {
  SolveOptions options = this->options(GetParam());
  const OneVsRest whole = run(options, -1, 1);
  for (const int classes : {1, 3, 4}) {
    std::filesystem::remove(path_);
    options.resume = false;
    EXPECT_EQ(run(options, classes, 1).summary.status, Status::interrupted);
    ASSERT_TRUE(std::filesystem::exists(path_));
    options.resume = true;
    expect_same(run(options, -1, 3), whole);
  }
}

TEST_P(OneVsRestResume, ARunWhoseTimeWasUpGoesOnWhereEachClassWas) {
  SolveOptions options = this->options(GetParam());
  const OneVsRest whole = run(options, -1, 1);
  std::filesystem::remove(path_);
  options.resume = true;
  OneVsRest part;
  double seconds = 1e-4;
  for (int times = 0; times < 60; ++times) {
    options.seconds = seconds;
    part = run(options, -1, 1 + times % 3);
    if (part.summary.status != Status::out_of_time) break;
    seconds *= 2;
  }
  // A class that is found within the tolerance where it was cut is done there, before its time.
  for (std::size_t k = 0; k < whole.w.size(); ++k) {
    const Summary &end = part.class_summaries[k], &uncut = whole.class_summaries[k];
    const bool done_at_cut = end.iterations < uncut.iterations && end.certificate.relative_gap <= options.tol;
    EXPECT_TRUE(done_at_cut || part.w[k] == whole.w[k]) << "class " << k;
  }
}

TEST_P(OneVsRestResume, AnInterruptLeavesAllThatIsNeeded) {
  SolveOptions options = this->options(GetParam());
  const OneVsRest whole = run(options, -1, 1);
  std::filesystem::remove(path_);
  options.checkpoint_every = 1e9;
  ProblemSpec spec;
  spec.threads = 2;
  SolveInput input;
  input.watch_class = [](const std::string&, const Summary&) {
    request_interrupt();
    return true;
  };
  EXPECT_EQ(solve_one_vs_rest(data_, spec, options, input).summary.status, Status::interrupted);
  request_interrupt(false);
  options.resume = true;
  expect_same(run(options, -1, 2), whole);
}

// Whoever asks for the end, and whenever: what is done need not be done again.
TEST_P(OneVsRestResume, ClassesThatEndedAreKeptAtACut) {
  SolveOptions options = this->options(GetParam());
  options.checkpoint_every = 1e9;
  EXPECT_EQ(run(options, 2, 1).summary.status, Status::interrupted);
  options.resume = true;
  ClassCheckpoints kept(OneVsRestProblem(data_, {}), options, {});
  for (std::size_t k = 0; k < 5; ++k) EXPECT_EQ(kept.ended(k).has_value(), k < 2) << k;
}

INSTANTIATE_TEST_SUITE_P(Solvers, OneVsRestResume, ::testing::Values("auto", "newton", "s3gd", "saga"));

TEST_F(OneVsRestCut, WhatHasEndedIsNotFittedAgain) {
  SolveOptions options = this->options("auto");
  const OneVsRest cut = run(options, 2, 1);
  options.resume = true;
  ClassCheckpoints kept(OneVsRestProblem(data_, {}), options, {});
  for (std::size_t k = 0; k < 5; ++k) {
    const std::optional<Solution> ended = kept.ended(k);
    EXPECT_EQ(ended.has_value(), k < 2) << k;
    if (!ended) continue;
    EXPECT_EQ(ended->w, cut.w[k]);
    EXPECT_EQ(ended->summary.objective, cut.class_summaries[k].objective);
  }
}

TEST_F(OneVsRestCut, AnotherRunsCheckpointIsRefusedByName) {
  SolveOptions options = this->options("auto");
  run(options, 2, 1);
  options.resume = true;
  const auto refusal = [&](const Dataset& data, const ProblemSpec& spec) -> std::string {
    try {
      solve_one_vs_rest(data, spec, options);
    } catch (const Error& error) {
      return error.what();
    }
    return {};
  };
  ProblemSpec other;
  other.penalty.lambda = 0.5;
  EXPECT_NE(refusal(data_, other).find("lambda"), std::string::npos);
  other = {};
  other.class_weight = ClassWeight::balanced;
  EXPECT_NE(refusal(data_, other).find("class-weight"), std::string::npos);
  options.start.assign(5 * 7, 0.5);
  EXPECT_NE(refusal(data_, {}).find("warm-start"), std::string::npos);
  options.start.clear();
  EXPECT_NE(refusal(with_words(data_, {"a", "b", "c", "d", "e"}), {}).find("labels"), std::string::npos);
  EXPECT_EQ(refusal(data_, {}), "");
}

}  // namespace
}  // namespace s3gd
