// The squared loss as what it is, a quadratic of the parameters: once its matrix is summed, no row is needed to know the
// loss and its slopes anywhere.
//
//     L(w) = L(a) + (w - a).(g + H (w - a) / 2),      H = 2 sum_i q_i x_i x_i',      g = the slopes at a, the anchor
//
// A free intercept is taken out: it follows the other coordinates to its own minimum, and H is that of centred columns.
// Loss and slopes at the anchor come from a pass over the rows. Away from it they are rounded, the more the further, and
// loss_error() and slope_error() say by how much; a new anchor makes them exact again.
//
// Set-up: a pass for the anchor and n d^2 / 2 multiplications (sparse rows: the squares of their non-zeros) for H, unless
// the problem knows the products of its columns. Then
// O(d s) to move to a point that differs from the anchor in s coordinates.
#pragma once

#include <span>

#include "s3gd/problem.hpp"

namespace s3gd {

// The sums that H is made of: where rows weigh differently, with their weights.
ColumnProducts column_products(const Problem& problem, const std::function<bool()>& must_stop = {});

class QuadraticLoss {
 public:
  // `w` in the problem's own coordinates, intercept included. The loss must be the squared one. Of no use where
  // `must_stop`, asked from any thread, cut the sums short: the caller asks it again.
  QuadraticLoss(const Problem& problem, std::span<const double> w, const std::function<bool()>& must_stop = {});

  Index size() const { return size_; }  // coordinates left: all but a free intercept
  double curvature(Index j, Index k) const { return matrix_[static_cast<std::size_t>(j * size_ + k)]; }

  void move_to(std::span<const double> w);  // size() numbers
  void anchor();                            // a pass: the point at hand is the anchor from now on

  const std::vector<double>& w() const { return w_; }
  const std::vector<double>& slopes() const { return slopes_; }
  double loss() const { return loss_; }
  // The point and the slopes there in the problem's own coordinates.
  std::vector<double> full_w() const { return with_intercept(w_, intercept_); }
  std::vector<double> full_slopes() const { return with_intercept(slopes_, 0.0); }
  std::span<const double> mean_row() const { return mean_; }  // empty unless an intercept was taken out

  double passes() const { return passes_; }
  bool at_anchor() const { return spread_ == 0; }
  double loss_error() const { return 0.5 * rounding_ * spread_ * spread_; }
  double slope_error(Index j) const { return rounding_ * length_[static_cast<std::size_t>(j)] * spread_; }

 private:
  void sum_matrix(const std::function<bool()>& must_stop);
  void take_out_intercept();
  std::vector<double> with_intercept(const std::vector<double>& values, double intercept) const;

  Problem problem_;
  bool free_intercept_;
  Index size_;
  double rounding_;
  std::vector<double> matrix_;  // size x size
  std::vector<double> length_;  // sqrt(2 sum_i q_i x_ij^2), the intercept's last where it was taken out
  std::vector<double> mean_;

  std::vector<double> anchor_w_, anchor_slopes_;
  double anchor_intercept_ = 0, anchor_loss_ = 0;
  std::vector<double> w_, slopes_;
  double intercept_ = 0, loss_ = 0;
  double passes_ = 0;
  double spread_ = 0;  // what rounding is in proportion to; 0 at the anchor
};

}  // namespace s3gd
