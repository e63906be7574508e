// What the two searches for weights and scale share: the point, the best objective and the best bound seen, the end.
#pragma once

#include <functional>
#include <numeric>

#include "problem/penalty.hpp"
#include "solve/finish.hpp"
#include "solve/huber_scale.hpp"

namespace s3gd {

struct HuberSearch {
  using Vector = std::vector<double>;

  static double dot(const Vector& a, const Vector& b) { return std::inner_product(a.begin(), a.end(), b.begin(), 0.0); }

  HuberSearch(const Problem& problem, const SolveOptions& options, const SolveInput& input);

  // From least squares or the start. Newton's method for w and sigma together, a few steps where the scale is plain; false: it is
  // not, and nothing but the point has changed.
  bool by_newton();
  void by_interior_point();  // huber_interior.cpp
  ScaledSolution conclude();

  double least() const { return scale.least(); }
  void see_errors();                                                       // of w
  Vector sum_rows(const std::function<double(std::size_t row)>& c) const;  // sum_i q_i c_i x_i
  // sum_i q_i d_i x_i x_i', its lower triangle.
  Vector products(const std::function<double(std::size_t row)>& d) const;
  // Factor of a such a matrix plus diag(ridge); what is missing to a positive one is added in proportion to its diagonal.
  Vector factorised(const Vector& matrix, double ridge_times) const;
  Vector solved(const Vector& factor, Vector b) const;
  // Keeps the point where it is better than before; false where that ends the search.
  bool judge(double passes);
  void keep_dual(const Vector& v);  // D at v, moved as D asks for
  bool may_step() const { return steps < most_steps; }

  const Problem& problem;
  SolveOptions options;
  Penalty penalty;
  ErrorScale scale;
  Vector ridge, q;  // R'', the rows' weights
  double bound;     // 2 epsilon, of |v|
  Journal journal;
  std::vector<Index> every;  // column
  Index steps = 0, most_steps;
  double passes = 0;
  Vector w, errors;  // the point: u_i - y_i at w
  std::pair<Vector, double> best;
  double dual = -std::numeric_limits<double>::infinity();
  Certificate found;
};

}  // namespace s3gd
