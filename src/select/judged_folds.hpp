// What cross-validation concludes from the scores that its folds have.
#pragma once

#include <vector>

#include "s3gd/path.hpp"

namespace s3gd {

// By fold, then by lambda. The lists of a run that was cut short end early.
using FoldScores = std::vector<std::vector<double>>;

// Fills in points, best, one_standard_error and advice; path, metric and status are there. Every lambda that is judged
// is judged by the same folds. Of a run that was cut short these are the folds and lambdas that make up most scores,
// with two folds or more where there are any; the other folds' scores are NaN.
void judge(const FoldScores& scores, std::size_t lambdas, CrossValidation& result);

}  // namespace s3gd
