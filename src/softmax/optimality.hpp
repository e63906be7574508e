// How far from optimal a point is, from its gradient alone: O(dim), no pass over the rows. It decides when to certify.
#pragma once

#include <algorithm>
#include <span>

#include "softmax/matrix_penalty.hpp"

namespace s3gd {

// ||prox_R(w - g) - w|| / max(1, ||w||), g the loss part's gradient.
double prox_gradient_norm(const MatrixPenalty& penalty, std::span<const double> w, std::span<const double> gradient);

// An estimate of Certificate::relative_gap where the loss part has this gradient and F this value: as finish/optimality
// does for one output, R(w) + R*(-s g) + s w.g + O((1 - s)^2) over F. What balancing free intercepts costs is left out.
double estimated_gap(const SoftmaxProblem& problem, const MatrixPenalty& penalty, std::span<const double> w,
                     std::span<const double> gradient, double objective);

// When to ask for a certificate: where the estimate, times what certificates so far were more than it, is below the
// tolerance.
class GapWatch {
 public:
  explicit GapWatch(double tol) : tol_(tol) {}
  bool worth_certifying(double estimate) const { return times_ * estimate <= 0.9 * tol_; }
  void certified(double estimate, double gap) {
    times_ = estimate > 0 ? std::clamp(gap / estimate, 2 * times_, 1e6) : 1;
  }

 private:
  double tol_, times_ = 1;
};

}  // namespace s3gd
