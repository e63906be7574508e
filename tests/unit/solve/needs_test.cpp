// Solvers say what they need, and a refusal names what is missing.
#include "problem/needs.hpp"

#include <gtest/gtest.h>

#include "exact/finisher.hpp"
#include "s3gd/error.hpp"
#include "s3gd/solve.hpp"
#include "support/random_problem.hpp"

namespace s3gd {
namespace {

using namespace s3gd::testing;

std::string refusal(const Problem& problem, const std::string& solver) {
  SolveOptions options;
  options.solver = solver;
  try {
    solve(problem, options);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

Problem with_penalty(PenaltyKind kind) {
  const Sample sample = random_sample(40, 3, 2);
  ProblemSpec spec;
  spec.penalty.kind = kind;
  return Problem(sample.data(sample.table.dense<double>(), spec.loss), spec);
}

TEST(Needs, ARefusalNamesWhatIsMissingWhoLacksItAndWhoDoesNot) {
  const std::string kinked = refusal(with_penalty(PenaltyKind::l1), "lbfgs");
  EXPECT_NE(kinked.find("lbfgs needs a smooth penalty; the penalty l1 has a kink"), std::string::npos) << kinked;
  EXPECT_NE(kinked.find("use solver auto, active-set, newton"), std::string::npos) << kinked;
  const std::string dense = refusal(with_penalty(PenaltyKind::l2), "dual");
  EXPECT_NE(dense.find("dual needs sparse rows; these 40 x 3 rows are dense"), std::string::npos) << dense;
  const std::string logistic = refusal(with_penalty(PenaltyKind::l2), "gram");
  EXPECT_NE(logistic.find("gram needs a quadratic loss; the loss logistic is none"), std::string::npos) << logistic;
}

TEST(Needs, LossesAreRefusedByTheTraitTheyLack) {
  const Sample sample = random_sample(40, 3, 2);
  ProblemSpec spec;
  spec.loss.kind = LossKind::poisson;
  const Problem poisson(sample.data(sample.table.csr<double, std::int32_t>(), spec.loss), spec);
  EXPECT_NE(refusal(poisson, "dual").find("dual needs a bounded curvature; the loss poisson has none"),
            std::string::npos);
  EXPECT_NE(refusal(poisson, "s3gd")
                .find("the automatic step of s3gd needs a bounded curvature; the loss poisson has "
                      "none"),
            std::string::npos);
  SolveOptions own;
  own.solver = "s3gd";
  own.step = 1e-2;
  EXPECT_LT(solve(poisson, own).summary.objective, objective(poisson, std::vector<double>(4, 0.0)));
  spec.loss.kind = LossKind::huber;
  const Problem huber(sample.data(sample.table.dense<double>(), spec.loss), spec);
  EXPECT_NE(refusal(huber, "s3gd").find("s3gd needs a slope that separates"), std::string::npos);
  EXPECT_EQ(refusal(huber, "saga"), "");
}

TEST(Needs, WhateverIsRefusedByNameIsNeverChosen) {
  for (const LossSpec& loss : all_losses())
    for (const PenaltyKind penalty : {PenaltyKind::l2, PenaltyKind::l1, PenaltyKind::l1_l2norm, PenaltyKind::none}) {
      const Sample sample = random_sample(40, 3, 2);
      ProblemSpec spec;
      spec.loss = loss;
      spec.penalty.kind = penalty;
      const Problem problem(sample.data(sample.table.dense<double>(), loss), spec);
      const Finisher& chosen = first_that_suits(problem);
      EXPECT_EQ(refusal(problem, chosen.name), "") << chosen.name;
      for (const Finisher& one : finisher_table())
        EXPECT_EQ(refusal(problem, one.name).empty(), one.suits(problem)) << one.name << " " << problem.formula();
    }
}

}  // namespace
}  // namespace s3gd
