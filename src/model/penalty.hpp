// Penalties: value, prox, conjugate, and the closed form of many lazy steps.
//
// One proximal step of size eta under a constant drift g is  w <- prox_{eta R}(w - eta g). A separable penalty can
// make k such steps on one coordinate in O(1): that is what lets sparse rows leave untouched coordinates alone.
#pragma once

#include <memory>
#include <vector>

#include "s3gd/problem.hpp"

namespace s3gd {

class Penalty {
 public:
  // dim = features plus intercept, if any. The intercept's factor is 0 (free) or 1 (regularised).
  Penalty(const PenaltySpec& spec, Index cols, Intercept intercept);

  Index dim() const { return dim_; }
  double value(std::span<const double> w) const;
  double value(std::span<const float> w) const;

  // w <- prox_{eta R}(w); for a sum without a simple joint prox, the proximal average.
  void prox(double eta, std::span<double> w) const;
  void prox(double eta, std::span<float> w) const;
  bool prox_is_exact() const;  // false only for a proximal average

  bool separable() const;   // every coordinate on its own: l2, l1, elastic_net, none
  // One rule for all coordinates, w <- shrink * (w - eta g): l2 or none with no factors. The intercept is left aside.
  bool uniform_shrink() const;
  double shrink(double eta) const;  // 1 / (1 + 2 lambda eta); 1 for none

  double factor(Index j) const;  // f_j, intercept's included
  double l1_strength() const;    // coefficient of sum f_j |w_j| over all terms
  double l2_strength() const;    // coefficient of sum f_j w_j^2 over all terms
  double norm_strength() const;  // coefficient of ||w||_2

  // R*(z): infinity where z is outside the domain. feasible_scale(z) is the largest s in [0, 1] with R*(s z) finite.
  double conjugate(std::span<const double> z) const;
  double feasible_scale(std::span<const double> z) const;

 private:
  PenaltySpec spec_;
  Index cols_ = 0;
  Index dim_ = 0;
  Intercept intercept_ = Intercept::free;
};

// Many steps on one coordinate at once: the value after `steps` times  w <- prox_{eta f r}(w - eta g), with
// r(w) = l1 |w| + l2 w^2. Built once for each step size; powers of the shrink are tabulated.
class LazyAdvance {
 public:
  LazyAdvance(const Penalty& penalty, double eta);
  double operator()(double w, double g, Index steps, double factor = 1.0) const;
  double eta() const { return eta_; }

 private:
  double eta_, l1_, l2_;
  std::vector<double> power_;  // power_[k] = shrink^k while it pays; longer runs use pow
};

}  // namespace s3gd
