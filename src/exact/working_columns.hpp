// The columns of a working set, gathered once: as rows of s numbers (for products and Gram matrices) and, where
// coordinate descent walks along columns, column by column.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "exact/column_store.hpp"
#include "exact/transposed.hpp"
#include "s3gd/problem.hpp"

namespace s3gd {

class WorkingColumns {
 public:
  // `chosen` ascending, the intercept (problem.cols()) last where there is one. Gathers only when that saves.
  // `all`: the columns of the whole problem, where somebody has them; they must outlive this.
  WorkingColumns(const Problem& problem, std::vector<Index> chosen, const Transposed* all = nullptr);

  Index size() const { return static_cast<Index>(chosen_.size()); }
  const std::vector<Index>& chosen() const { return chosen_; }
  bool gathered() const { return gathered_.has_value(); }  // false: the original rows serve as well
  double share() const { return share_; }  // of a pass over all rows that a product with these columns costs

  void times(std::span<const double> d, std::span<double> out) const;    // out_i = sum_k x_ik d_k
  std::vector<double> transpose_times(std::span<const double> c) const;  // sum_i c_i x_i
  std::vector<double> gram(std::span<const double> h) const;             // sum_i h_i x_i x_i', symmetric
  const ColumnStore& store() const;                                      // made at the first call
  bool prefers_gram() const { return prefers_gram_; }
  double gram_cost() const { return gram_cost_; }  // of gram(), in steps with the matrix at hand

 private:
  const Problem& rows() const { return gathered_ ? *gathered_ : problem_; }

  Problem problem_;
  const Transposed* all_;
  std::vector<Index> chosen_;
  std::vector<Index> places_;        // of chosen_ among the coordinates of rows()
  std::optional<Problem> gathered_;  // the chosen columns alone, the same rows
  double share_ = 1;
  bool prefers_gram_ = true;
  bool by_columns_ = false;  // whether products go along the columns of all_
  double gram_cost_ = 0;
  mutable std::unique_ptr<ColumnStore> store_;
};

}  // namespace s3gd
