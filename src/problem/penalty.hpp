// Penalties: value, prox, conjugate, and the closed form of many lazy steps.
//
// Every sum of terms is brought to the form  sum_j l1_j |w_j| + sum_j l2_j w_j^2 + sum_g norm_g ||w_{S_g}||_2.
// With at most one norm the joint prox is exact (soft threshold, then a radial shrink); with several norms over
// different sets of coordinates it is the proximal average (Yu, 2013).
//
// One proximal step of size eta under a constant drift g is  w <- prox_{eta R}(w - eta g). A separable penalty can
// make k such steps on one coordinate in O(1): that is what lets sparse rows leave untouched coordinates alone.
#pragma once

#include "s3gd/problem.hpp"

namespace s3gd {

class Penalty {
 public:
  // dim = features plus intercept, if any. The intercept's factor is 0 (free) or 1 (regularised).
  Penalty(const PenaltySpec& spec, Index cols, Intercept intercept);
  explicit Penalty(const Problem& problem)
      : Penalty(problem.spec().penalty, problem.cols(), problem.spec().intercept) {}

  Index dim() const { return dim_; }
  double value(std::span<const double> w) const;
  double value(std::span<const float> w) const;

  // w <- prox_{eta R}(w); for a sum without a simple joint prox, the proximal average.
  void prox(double eta, std::span<double> w) const;
  void prox(double eta, std::span<float> w) const;
  bool prox_is_exact() const { return norms_.size() <= 1; }  // false only for a proximal average

  // Every coordinate on its own, with one factor f_j for all terms: l2, l1, elastic_net, none and their sums.
  bool separable() const { return norms_.empty() && one_factor_; }
  // One rule for all coordinates, w <- shrink * (w - eta g): l2 or none with no factors. The intercept is left aside.
  bool uniform_shrink() const { return norms_.empty() && l1_ == 0 && factors_.empty() && one_factor_; }
  double shrink(double eta) const { return 1.0 / (1.0 + 2.0 * l2_ * eta); }  // 1 / (1 + 2 lambda eta); 1 for none

  double factor(Index j) const {  // f_j, intercept's included
    if (j == cols_) return intercept_factor_;
    return factors_.empty() ? 1.0 : factors_[static_cast<std::size_t>(j)];
  }
  double l1_strength() const { return l1_; }      // coefficient of sum f_j |w_j| over all terms
  double l2_strength() const { return l2_; }      // coefficient of sum f_j w_j^2 over all terms
  double norm_strength() const { return norm_; }  // coefficient of ||w||_2

  // What multiplies |w_j| and w_j^2, factors included (also when the terms have different factors).
  double l1_of(Index j) const { return one_factor_ ? l1_ * factor(j) : l1_each_[static_cast<std::size_t>(j)]; }
  double l2_of(Index j) const { return one_factor_ ? l2_ * factor(j) : l2_each_[static_cast<std::size_t>(j)]; }
  bool in_norm(Index j) const;    // whether any 2-norm runs over coordinate j
  bool on_every_feature() const;  // whether no feature's weight is free
  bool smooth() const { return l1_ == 0 && norm_ == 0; }
  std::vector<double> ridge() const;  // its second derivative in each coordinate, kinks aside
  // A feature that costs nothing makes the dual infeasible everywhere but at special points; a free intercept is handled.
  bool has_dual() const { return prox_is_exact() && on_every_feature(); }

  // R*(z): infinity where z is outside the domain. feasible_scale(z) is the largest s in [0, 1] with R*(s z) finite.
  // Both need an exact prox; without one there is no simple form, and they answer infinity and 0.
  double conjugate(std::span<const double> z) const;
  double feasible_scale(std::span<const double> z) const;

 private:
  // norm * ||w_S||_2, S = the coordinates marked in `members`, or all penalised ones when it is empty.
  struct Norm {
    double strength = 0;
    std::vector<bool> members;
  };

  void add_term(const PenaltySpec& term);
  void add_norm(double strength, const std::vector<double>& factors);
  bool member(const Norm& norm, Index j) const;
  template <class T>
  double value_of(std::span<const T> w) const;
  template <class T>
  void prox_of(double eta, std::span<T> w) const;
  template <class T>
  void prox_separable(double eta, std::span<T> w) const;
  template <class T>
  void prox_with_norm(double eta, const Norm& norm, std::span<T> w) const;

  Index cols_ = 0;
  Index dim_ = 0;
  double intercept_factor_ = 0;
  double l1_ = 0, l2_ = 0, norm_ = 0;
  std::vector<double> factors_;  // shared by all terms; empty = ones
  bool one_factor_ = true;       // false: the terms' factors differ, and l1_each_, l2_each_ hold the sums
  std::vector<double> l1_each_, l2_each_;
  std::vector<Norm> norms_;
};

// Many steps on one coordinate at once: the value after `steps` times  w <- prox_{eta f r}(w - eta g), with
// r(w) = l1 |w| + l2 w^2. Built once for each step size. While w keeps its sign a step is affine,
// w <- s (w - c), so k of them are s^k w - c (s + ... + s^k); both are tabulated for short runs.
class LazyAdvance {
 public:
  LazyAdvance(const Penalty& penalty, double eta);

  double operator()(double w, double g, Index steps, double factor = 1.0) const {
    if (l1_ == 0 && factor == 1.0 && steps < static_cast<Index>(runs_.size())) {
      const Run& run = runs_[static_cast<std::size_t>(steps)];
      return run.power * w - eta_ * g * run.sum;
    }
    return general(w, g, steps, factor);
  }
  double eta() const { return eta_; }

 private:
  struct Run {
    double power;  // s^k
    double sum;    // s + s^2 + ... + s^k
  };

  double general(double w, double g, Index steps, double factor) const;
  Run run_of(Index steps, double factor) const;

  double eta_, l1_, l2_;
  std::vector<Run> runs_;
};

// The equation behind a 2-norm next to squared terms:  sum_j t_j^2 / (a_j r + nu)^2 = 1.
//
// Its root r is the length of the minimiser of  sum_j (a_j/2 w_j^2 - t_j w_j) + nu ||w||_2,  whose coordinates are then
// w_j = t_j r / (a_j r + nu). Equal a_j need one Newton step; the cost is O(size) for each.

// r >= 0; 0 when the minimiser is 0. Meaningful only when the sum falls to 1 for some r.
double radius_of(const std::vector<double>& t, const std::vector<double>& a, double nu);

}  // namespace s3gd
