// Exponents of the time of an iteration in n, d, m, p and k_in: fitted to runs, and as the paper's Table 1 has them.
#pragma once

#include <string>
#include <vector>

#include "compare/results.hpp"
#include "reproduce/experiments.hpp"

namespace s3gd::reproduce {

struct Shape {
  double n = 0, d = 0, m = 100, p = 10, k = 5, k_in = 20;
};
// Table 1's formula with every constant 1. NaN for a solver that is not in it.
double formula_cost(const std::string& solver, const Shape& shape);

struct FittedExponent {
  std::string solver, by;  // by: n, d, m, p or k_in
  double formula = 0;      // fitted to formula_cost on the grid of the runs
  double measured = 0;     // NaN where there are no runs
  std::vector<double> at, seconds;
};

// rule: {"vary": [{"by": "n", "solvers": [..], "at_most": largest n that counts}, ..]}. n and d are those of the sets; the others stand in the labels,
// as in "s3gd (m = 50)".
std::vector<FittedExponent> fit_exponents(const Json& rule, const Results& results);

}  // namespace s3gd::reproduce
