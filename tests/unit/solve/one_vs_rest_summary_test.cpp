#include "solve/one_vs_rest.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace s3gd {
namespace {

Advice told(const std::string& text) {
  return {text.starts_with("stopped") ? AdviceCode::stopped_short : AdviceCode::wild_scales, text};
}

TEST(MergedSummary, TheStatusOfTheWorstClassCounts) {
  std::vector<Summary> all(3);
  for (Summary& one : all) one.status = Status::converged;
  all[0].certificate.relative_gap = 0.5;
  all[1].status = Status::out_of_passes;
  all[1].certificate.relative_gap = 0.25;
  all[1].step = 3;
  all[1].advice = {told("longer"), told("everybody")};
  all[0].advice = all[2].advice = {told("everybody")};
  all[0].stages = {{"start", 1, 10, "budget used up"}, {"finish", 2, 1, "tolerance reached"}};
  all[1].stages = {{"start", 2, 20, "budget used up"}, {"finish", 3, 2, "budget used up"}};
  const std::vector<std::string> names{"a", "b", "c"};
  const Summary whole = merge_summaries(names, all);
  EXPECT_EQ(whole.status, Status::out_of_passes);
  EXPECT_EQ(whole.certificate.relative_gap, 0.5);
  EXPECT_EQ(whole.step, 3);
  ASSERT_EQ(whole.stages.size(), 2U);
  EXPECT_EQ(whole.stages[0].seconds, 3);
  EXPECT_EQ(whole.stages[0].iterations, 30);
  EXPECT_EQ(whole.stages[0].ended, "budget used up");
  EXPECT_EQ(whole.stages[1].ended, "tolerance reached: 1, budget used up: 1");
  EXPECT_EQ(sentences(whole.advice),
            (std::vector<std::string>{"class b: longer", "everybody", "1 of 3 classes did not reach the tolerance"}));
}

TEST(MergedSummary, WhatSomeClassesAreToldIsSaidWithTheirNames) {
  std::vector<Summary> all(3);
  for (Summary& one : all) one.status = Status::converged;
  all[1].status = Status::out_of_passes;
  const std::string limit = "stopped after 3 passes";
  all[0].advice = {told(limit + " or more"), told("noise"), told("scales")};
  all[1].advice = {told(limit), told("scales")};
  all[2].advice = {told("noise"), told("scales")};
  const std::vector<std::string> names{"a", "b", "c"};
  EXPECT_EQ(sentences(merge_summaries(names, all).advice),
            (std::vector<std::string>{"class b: " + limit, "scales", "classes a, c: noise",
                                      "1 of 3 classes did not reach the tolerance"}));
  for (int k = 0; k < 8; ++k) all[0].advice.push_back(told("further " + std::to_string(k)));
  EXPECT_EQ(merge_summaries(names, all).advice.size(), 8U);  // six, how many more, and those unfinished
}

TEST(MergedSummary, OneClassWithoutABoundLeavesNoneForTheWhole) {
  std::vector<Summary> all(2);
  all[1].certificate = {Certificate::Kind::prox_gradient, 2, std::nan(""), 1e-3};
  const std::vector<std::string> names{"a", "b"};
  const Summary whole = merge_summaries(names, all);
  EXPECT_EQ(whole.certificate.kind, Certificate::Kind::prox_gradient);
  EXPECT_TRUE(std::isnan(whole.certificate.dual));
}

}  // namespace
}  // namespace s3gd
