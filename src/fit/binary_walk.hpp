// One output at one lambda after the other: the walk of two classes, of regression, and of each class of one-vs-rest.
#pragma once

#include "fit/family.hpp"
#include "fit/largest_lambda.hpp"
#include "solve/carried.hpp"

namespace s3gd {

class BinaryWalk {
 public:
  // `first`: as for FamilyKind::walk.
  BinaryWalk(const Problem& problem, double first) : problem_(problem) {
    NullModel null = fit_null_model(problem);
    largest_ = largest_lambda_from(problem, null);
    if (first > kStartsAtNull * largest_) start_ = std::move(null.w);
  }

  Solution next(double lambda, const SolveOptions& options) {
    SolveOptions each = options;
    each.start = start_;
    Solution solution = solve_carrying(with_lambda(problem_, lambda), each, {}, &carried_);
    start_ = solution.w;
    return solution;
  }

  double largest_lambda() const { return largest_; }

 private:
  Problem problem_;
  Carried carried_;
  std::vector<double> start_;  // empty: the solver's own
  double largest_ = 0;
};

}  // namespace s3gd
