// One-vs-rest with all classes in one pass over the rows (exact/class_newton.hpp), where that is what suits.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "s3gd/solve.hpp"

namespace s3gd {

struct ClassToFit {
  Problem problem;              // over the same rows as the others
  std::optional<Problem> test;  // for test_objective
  std::vector<double> start;    // empty: the best model without features
};

// How many classes of this shape are best fitted together; less than 2: each for itself.
Index classes_together(const Problem& like, const SolveOptions& options, Index classes);

// What solve() gives for each, to the tolerance; handed over class by class.
void solve_together(std::span<const ClassToFit> classes, const SolveOptions& options,
                    const std::function<void(Index k, Solution&&)>& take);

}  // namespace s3gd
