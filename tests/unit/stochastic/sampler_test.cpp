#include "stochastic/sampler.hpp"

#include <gtest/gtest.h>

#include <map>

#include "problem/full_pass.hpp"
#include "s3gd/error.hpp"
#include "support/problems.hpp"

namespace s3gd {
namespace {

using testing::full_row;
using testing::random_point;
using testing::small_data;
using testing::SmallData;

Problem weighted_problem() {
  SmallData shape;
  shape.rows = 40;
  shape.weighted = true;
  ProblemSpec spec;
  spec.class_weight = ClassWeight::paper;
  return Problem(small_data<double>(shape, true), spec);
}

std::vector<std::int32_t> some_strata(Index rows) {
  std::vector<std::int32_t> strata(static_cast<std::size_t>(rows));
  for (std::size_t i = 0; i < strata.size(); ++i) strata[i] = static_cast<std::int32_t>((i * i) % 4);
  return strata;
}

constexpr Sampling kAll[] = {Sampling::weighted, Sampling::shuffled, Sampling::importance, Sampling::stratified};

// Mean and variance of sum weight_i r_i x_i over many batches against the exact ones.
TEST(Sampler, EstimatesAreUnbiasedAndTheirVarianceIsAsStated) {
  const Problem problem = weighted_problem();
  const auto residuals = random_point(problem.rows(), 3, 1.0);
  const auto dim = static_cast<std::size_t>(problem.dim());
  std::vector<double> exact(dim, 0.0);
  for (Index i = 0; i < problem.rows(); ++i) {
    const auto row = full_row(problem, i);
    for (std::size_t j = 0; j < dim; ++j)
      exact[j] += problem.weight(i) * residuals[static_cast<std::size_t>(i)] * row[j];
  }
  const auto norms = squared_row_norms(problem);
  for (const Sampling kind : kAll) {
    const auto strata = some_strata(problem.rows());
    const auto sampler = make_sampler(kind, problem, 4, strata);
    Rng rng(9);
    Batch batch;
    constexpr int kRepeats = 40000;
    std::vector<double> mean(dim, 0.0);
    double spread = 0;
    for (int repeat = 0; repeat < kRepeats; ++repeat) {
      sampler->next(rng, batch);
      std::vector<double> estimate(dim, 0.0);
      for (std::size_t b = 0; b < batch.rows.size(); ++b) {
        const auto row = full_row(problem, batch.rows[b]);
        const double c = batch.weights[b] * residuals[static_cast<std::size_t>(batch.rows[b])];
        for (std::size_t j = 0; j < dim; ++j) estimate[j] += c * row[j];
      }
      for (std::size_t j = 0; j < dim; ++j) {
        mean[j] += estimate[j] / kRepeats;
        spread += (estimate[j] - exact[j]) * (estimate[j] - exact[j]) / kRepeats;
      }
    }
    const double stated = sampler->variance(residuals, norms, problem);
    EXPECT_NEAR(spread / stated, 1.0, 0.06) << static_cast<int>(kind);
    for (std::size_t j = 0; j < dim; ++j)
      EXPECT_NEAR(mean[j], exact[j], 6 * std::sqrt(stated / kRepeats)) << static_cast<int>(kind);
  }
}

TEST(Sampler, DrawsFromACloneLeaveTheOriginalWhereItIs) {
  const Problem problem = weighted_problem();
  for (const Sampling kind : kAll) {
    const auto sampler = make_sampler(kind, problem, 4, some_strata(problem.rows()));
    const auto untouched = sampler->clone();
    Rng rng(1), other(2), again(1);
    Batch batch, expected;
    for (int step = 0; step < 30; ++step) {
      sampler->clone()->next(other, batch);
      sampler->next(rng, batch);
      untouched->next(again, expected);
      ASSERT_EQ(batch.rows, expected.rows);
    }
  }
}

TEST(Sampler, NoBatchOfAShuffledPassIsSmallerThanAsked) {
  const Problem problem = weighted_problem();
  const auto sampler = make_sampler(Sampling::shuffled, problem, 7);
  Rng rng(1);
  Batch batch;
  for (int step = 0; step < 30; ++step) {
    sampler->next(rng, batch);
    EXPECT_GE(batch.size(), 7);
    EXPECT_LT(batch.size(), 14);
  }
}

TEST(Sampler, ShuffledRowsComeOnceAPass) {
  const Problem problem = weighted_problem();
  const auto sampler = make_sampler(Sampling::shuffled, problem, 7);
  Rng rng(1);
  Batch batch;
  for (int pass = 0; pass < 3; ++pass) {
    std::map<Index, int> seen;
    for (Index drawn = 0; drawn < problem.rows(); drawn += batch.size()) {
      sampler->next(rng, batch);
      for (const Index row : batch.rows) ++seen[row];
    }
    EXPECT_EQ(static_cast<Index>(seen.size()), problem.rows());
  }
}

TEST(Sampler, StratifiedTakesOneRowFromEachStratum) {
  const Problem problem = weighted_problem();
  const auto strata = some_strata(problem.rows());
  const auto sampler = make_sampler(Sampling::stratified, problem, 4, strata);
  Rng rng(1);
  Batch batch;
  for (int repeat = 0; repeat < 100; ++repeat) {
    sampler->next(rng, batch);
    std::map<std::int32_t, int> seen;
    for (const Index row : batch.rows) ++seen[strata[static_cast<std::size_t>(row)]];
    for (const auto& [stratum, count] : seen) EXPECT_EQ(count, 1) << stratum;
  }
}

TEST(AliasTable, DrawsByWeightAndNeverAZero) {
  const std::vector<double> weights{0.0, 1.0, 3.0, 0.0, 6.0};
  const AliasTable table(weights);
  Rng rng(4);
  std::vector<double> counts(5, 0.0);
  constexpr int kDraws = 100000;
  for (int draw = 0; draw < kDraws; ++draw) counts[static_cast<std::size_t>(table.draw(rng))] += 1.0 / kDraws;
  EXPECT_EQ(counts[0], 0.0);
  EXPECT_EQ(counts[3], 0.0);
  EXPECT_NEAR(counts[1], 0.1, 0.006);
  EXPECT_NEAR(counts[2], 0.3, 0.009);
  EXPECT_NEAR(counts[4], 0.6, 0.009);
}

TEST(AliasTable, AllZeroWeightsAreRefused) { EXPECT_THROW(AliasTable(std::vector<double>{0.0, 0.0}), Error); }

}  // namespace
}  // namespace s3gd
