// Huber's regression with the scale of the errors found along with the weights (scikit-learn's HuberRegressor):
//
//     P(w, b, sigma) = sigma + sum_i q_i sigma H((u_i - y_i) / sigma) + R(w),    H(z) = z^2 up to |z| = epsilon, then a line,
//
// convex in all it has together. Its certificate is P's own duality gap,
//
//     D(v) = -sum_i q_i v_i y_i - R*(-sum_i q_i v_i x_i) + least (1 - sum_i q_i v_i^2 / 4)
//     for  |v_i| <= 2 epsilon,  sum_i q_i v_i^2 / 4 <= 1,  sum_i q_i v_i = 0,
//
// where `least` is the smallest sigma there is: where more than 1 - 1/epsilon^2 of the rows can be fitted exactly (targets
// that are mostly one number, more columns than rows, epsilon = 1), smaller is always better, and what remains is the sum of
// absolute errors, which has an optimum all the same.
//
// Smooth penalties of moderate width, unless a solver is named: Newton's method, and an interior-point method where sigma is not
// plain to find (huber_search.hpp); at most SolveOptions::passes steps. Others: at a given sigma P is the loss huber with its knee at epsilon sigma, and R times sigma, all over sigma. So: fits at a
// sigma, each from where the last one ended, and the sigma at which sum_i q_i min(z_i^2, epsilon^2) = 1, by secants.
#pragma once

#include "problem/loss.hpp"
#include "s3gd/solve.hpp"

namespace s3gd {

struct ScaledSolution {
  Solution solution;  // its objective and certificate are P's
  double scale = 0;   // sigma; as good as 0 where most rows are fitted exactly
};

// The loss must be huber, whose knee is epsilon here: in units of sigma.
ScaledSolution solve_with_scale(const Problem& problem, const SolveOptions& options, const SolveInput& input = {});

// P at given errors u_i - y_i, but for R.
class ErrorScale {
 public:
  explicit ErrorScale(const Problem& problem);
  double least() const { return least_; }
  double best(std::span<const double> errors) const;  // sigma for these errors
  double objective(std::span<const double> errors, double sigma) const;

 private:
  std::vector<double> q_;
  Loss loss_;  // in units of sigma
  double epsilon_;
  double least_ = 0;
};

}  // namespace s3gd
