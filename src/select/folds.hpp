// Folds of a dataset for cross-validation: stratified, and without a copy of the rows for each; and what is concluded from
// the scores they have.
//
// The rows are laid out once, fold after fold, and all folds but the last once more:  0 1 2 3 4 0 1 2 3.  In that order
// the rows of every training set, all folds but one, lie one after the other, and so do those of every fold: both are
// views. For K folds that is one copy of 2 - 1/K times the rows, whatever the number of threads.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "s3gd/path.hpp"
#include "saved/score.hpp"

namespace s3gd {

// Which rows each fold holds, ascending. Sizes differ by at most one, and so do the rows of any class in two folds, when
// the labels are classes. Throws unless 2 <= count <= rows.
std::vector<std::vector<Index>> deal_folds(const Dataset& data, Index count, std::uint64_t seed);

class Folds {
 public:
  Folds(const Dataset& data, Index count, std::uint64_t seed);
  // Any rows to fit and any to judge by: each training set is copied when it is asked for. Throws where a row does not
  // exist, or a part has none.
  Folds(const Dataset& data, std::vector<Split> splits);

  Index count() const { return static_cast<Index>(splits_.empty() ? starts_.size() / 2 : splits_.size()); }
  Dataset training(Index fold) const;  // all rows but the fold's, or those given
  Dataset held_out(Index fold) const;  // the fold's rows

 private:
  Dataset laid_out_;           // with splits: the rows as they are
  std::vector<Split> splits_;  // empty: dealt
  std::vector<Index> starts_;  // of each part, 2 K - 1 of them, and where the last one ends
};

// By fold, then by lambda. The lists of a run that was cut short end early.
using FoldScores = std::vector<std::vector<double>>;

// Fills in points, best, one_standard_error and advice; path, metric and status are there. Every lambda that is judged
// is judged by the same folds. Of a run that was cut short these are the folds and lambdas that make up most scores,
// with two folds or more where there are any; the other folds' scores are NaN.
void judge(const FoldScores& scores, std::size_t lambdas, CrossValidation& result);

// The rows of a fold that are held out. All points of a path are judged on them together: a path may need fewer walks over
// its rows than it has points, and one walk for each of them would be what cross-validation costs. Squared errors need no
// margins where there are few columns: their products are summed once (exact/quadratic_loss.hpp).
class HeldOut {
 public:
  static constexpr Index kBytes = 64 << 20;

  // `rows` have the columns of the training rows. `training` must outlive this. Margins and weights of so many points are
  // looked at together as fit into `bytes`; it is one at least. `products` of the rows, or null.
  HeldOut(const Task& training, ScoreKind metric, Dataset rows, ColumnProducts products = {}, Index bytes = kBytes);

  // One for each point. Throws where a margin is not finite.
  std::vector<double> scores(std::span<const PathPoint> points) const;

 private:
  bool suits_products(std::span<const PathPoint> points) const;
  // Root mean squared errors; none where rounding may show.
  std::vector<double> errors_by_products(std::span<const PathPoint> points) const;
  Index points_at_once() const;
  // rows x outputs of each point, one point after the other.
  std::unique_ptr<double[]> margins(std::span<const PathPoint> points) const;

  const Task& training_;
  ScoreKind metric_;
  Dataset rows_;
  Judge judge_;
  ColumnProducts products_;
  Index bytes_;
};

}  // namespace s3gd
