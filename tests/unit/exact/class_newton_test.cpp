#include "exact/class_newton.hpp"

#include <gtest/gtest.h>

#include "support/class_problems.hpp"

namespace s3gd {
namespace {

using testing::Patient;
using testing::Vector;

using Problems = std::vector<Problem>;

std::vector<Finish> finish(const Problems& problems, const SearchInput& input, std::vector<Patient>& progress,
                           std::vector<Vector> starts = {}) {
  std::vector<Progress*> pointers;
  progress.resize(problems.size());
  for (Patient& one : progress) pointers.push_back(&one);
  starts.resize(problems.size());
  return finish_together(problems, input, std::move(starts), pointers);
}

std::vector<Finish> finish(const Problems& problems, const SearchInput& input, std::vector<Vector> starts = {}) {
  std::vector<Patient> progress;
  return finish(problems, input, progress, std::move(starts));
}

TEST(Together, EveryClassEndsAtItsOwnOptimumWithACertificate) {
  const auto sample = testing::softmax_sample(700, 12, 5, 11);
  for (const Matrix& x : sample.table.layouts())
    for (const ProblemSpec& spec : testing::smooth_specs()) {
      const auto problems = testing::class_problems(sample.data(x, true), spec);
      for (const double tol : {1e-3, 1e-9}) {
        const auto finishes = finish(problems, {tol, 1});
        for (std::size_t k = 0; k < problems.size(); ++k) {
          EXPECT_EQ(finishes[k].end, FinishEnd::converged);
          EXPECT_LE(finishes[k].certificate.relative_gap, tol);
          const Certificate again = certify(problems[k], finishes[k].w);
          EXPECT_NEAR(finishes[k].certificate.primal, again.primal, 1e-12);
          EXPECT_NEAR(finishes[k].certificate.relative_gap, again.relative_gap, 1e-10);
          const double best = solve_reference(problems[k]).objective;
          EXPECT_LE(objective(problems[k], finishes[k].w), best * (1 + tol) + 1e-12);
        }
      }
    }
}

TEST(Together, SamplesThatGrowEndAtTheSameOptimum) {
  const auto sample = testing::softmax_sample(9000, 10, 4, 12);  // one sample, then all rows
  const auto problems = testing::class_problems(sample.data(sample.table.layouts()[0]), {});
  for (const bool climbs : {false, true}) {
    const auto finishes = finish(problems, {1e-8, 2, 1000, climbs});
    for (std::size_t k = 0; k < problems.size(); ++k) {
      EXPECT_EQ(finishes[k].end, FinishEnd::converged);
      EXPECT_LE(objective(problems[k], finishes[k].w), solve_reference(problems[k]).objective * (1 + 1e-8));
    }
  }
}

TEST(Together, TheBitsAreTheSameAtAnyNumberOfThreads) {
  const auto sample = testing::softmax_sample(9000, 30, 5, 13);
  for (const Matrix& x : sample.table.layouts()) {
    ProblemSpec spec;
    spec.threads = 1;
    const auto one = finish(testing::class_problems(sample.data(x), spec), {1e-6, 3});
    for (const int threads : {2, 7}) {
      spec.threads = threads;
      const auto several = finish(testing::class_problems(sample.data(x), spec), {1e-6, 3});
      for (std::size_t k = 0; k < one.size(); ++k) {
        EXPECT_EQ(several[k].w, one[k].w);
        EXPECT_EQ(several[k].certificate.relative_gap, one[k].certificate.relative_gap);
        EXPECT_EQ(several[k].passes, one[k].passes);
      }
    }
  }
}

TEST(Together, AClassThatIsStoppedEndsWhereItIsAndTheOthersGoOn) {
  const auto sample = testing::softmax_sample(800, 12, 4, 14);
  const auto problems = testing::class_problems(sample.data(sample.table.layouts()[0]), {});
  std::vector<Patient> progress(problems.size());
  progress[1].most = 1;
  const auto finishes = finish(problems, {1e-10, 1}, progress);
  for (std::size_t k = 0; k < problems.size(); ++k)
    EXPECT_EQ(finishes[k].end, k == 1 ? FinishEnd::stopped : FinishEnd::converged);
  EXPECT_EQ(finishes[1].iterations, 1);
}

TEST(Together, IterationsAreLimited) {
  const auto sample = testing::softmax_sample(800, 12, 4, 15);
  const auto problems = testing::class_problems(sample.data(sample.table.layouts()[0]), {});
  for (const Finish& one : finish(problems, {1e-12, 1, 2})) {
    EXPECT_EQ(one.end, FinishEnd::stopped);
    EXPECT_LE(one.iterations, 3);
  }
}

TEST(Together, FromTheOptimumOnlyACertificateIsMade) {
  const auto sample = testing::softmax_sample(800, 12, 4, 16);
  const auto problems = testing::class_problems(sample.data(sample.table.layouts()[0]), {});
  std::vector<Vector> starts;
  for (const Problem& problem : problems) starts.push_back(solve_reference(problem).w);
  const auto finishes = finish(problems, {1e-6, 1, 1000, false}, starts);
  for (std::size_t k = 0; k < problems.size(); ++k) {
    EXPECT_EQ(finishes[k].end, FinishEnd::converged);
    EXPECT_EQ(finishes[k].w, starts[k]);
  }
}

TEST(Together, AToleranceBeyondRoundingEndsAllTheSame) {
  const auto sample = testing::softmax_sample(500, 6, 3, 17);
  const auto problems = testing::class_problems(sample.data(sample.table.layouts()[0]), {});
  const auto finishes = finish(problems, {0.0, 1});
  for (std::size_t k = 0; k < problems.size(); ++k) {
    EXPECT_NE(finishes[k].end, FinishEnd::stopped);
    EXPECT_NEAR(objective(problems[k], finishes[k].w), solve_reference(problems[k]).objective, 1e-9);
  }
}

}  // namespace
}  // namespace s3gd
