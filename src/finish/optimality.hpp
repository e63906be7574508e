// How far from optimal a point is, from its gradient alone: O(d), no pass over the rows.
//
// With the dual point a_i = -psi'(u_i) scaled by s to be feasible, Fenchel's equality gives
//
//     F(w) - D(s a) = R(w) + R*(-s g) + s w.g + O((1 - s)^2),      g = sum_i q_i psi'(u_i) x_i
//
// which near the optimum is the gap certify() finds with a pass and n logarithms. It decides when to ask.
#pragma once

#include <span>

#include "model/penalty.hpp"
#include "s3gd/problem.hpp"

namespace s3gd {

class Optimality {
 public:
  explicit Optimality(const Problem& problem);

  // An estimate of Certificate::relative_gap at w, where the loss part has this gradient and F this value.
  double relative_gap(std::span<const double> w, std::span<const double> gradient, double objective) const;

 private:
  double prox_gradient(std::span<const double> w, std::span<const double> gradient) const;

  Penalty penalty_;
  Index cols_;
  bool free_intercept_;
  bool has_dual_;
};

}  // namespace s3gd
