// One-vs-rest from beginning to end: what solve() does with a OneVsRestProblem.
#pragma once

#include "s3gd/solve.hpp"

namespace s3gd {

Solution solve_one_vs_rest(const OneVsRestProblem& problem, const SolveOptions& options, const SolveInput& input);

// Several classes in one pass over the rows: Newton's steps (exact/class_newton.hpp), or those of a stochastic solver.
struct ClassToFit {
  Problem problem;              // over the same rows as the others
  std::optional<Problem> test;  // for test_objective
  std::vector<double> start;    // empty: where the solver begins by itself
};

// How many classes of this shape are best fitted together; less than 2: each for itself.
Index classes_together(const Problem& like, const SolveOptions& options, Index classes);

// What solve() gives for each, to the tolerance. None: the class is to be fitted by itself, as a step was too long, for that
// class or for another one.
std::vector<std::optional<Solution>> solve_together(std::span<const ClassToFit> classes, const SolveOptions& options,
                                                    const Graph* graph);

// One solution of K: what Summary::classes promises, but for the clocks of the whole.
Solution merge_solutions(std::span<const std::string> classes, std::vector<Solution> solutions);
Summary merge_summaries(std::span<const std::string> classes, std::span<const Summary> summaries);

}  // namespace s3gd
