// Huber's regression with the scale of the errors found along with the weights (scikit-learn's HuberRegressor):
//
//     P(w, b, sigma) = sigma + sum_i q_i sigma H((u_i - y_i) / sigma) + R(w),    H(z) = z^2 up to |z| = epsilon, then a line
//
// At a given sigma that is the loss huber with its knee at epsilon sigma, and R times sigma, all over sigma; P is convex in
// all it has together. So: fits at a sigma, each from where the last one ended, and the sigma at which
// sum_i q_i min(z_i^2, epsilon^2) = 1, by secants. The certificate is P's own duality gap,
//
//     D(v) = -sum_i q_i v_i y_i - R*(-sum_i q_i v_i x_i)   for  |v_i| <= 2 epsilon,  sum_i q_i v_i^2 / 4 <= 1,  sum_i q_i v_i = 0.
#pragma once

#include "s3gd/solve.hpp"

namespace s3gd {

struct ScaledSolution {
  Solution solution;  // its objective and certificate are P's
  double scale = 0;   // sigma; as good as 0 where most rows are fitted exactly
};

// The loss must be huber, whose knee is epsilon here: in units of sigma.
ScaledSolution solve_with_scale(const Problem& problem, const SolveOptions& options, const SolveInput& input = {});

}  // namespace s3gd
