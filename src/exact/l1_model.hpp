// The quadratic model of F over a working set of s coordinates, the 1-norm kept as it is:
//
//     m(d) = g.d + d'(H + diag(ridge) - c v v')d / 2 + sum_k l1_k |x_k + d_k|
//
// g is the gradient of everything smooth. H is the Hessian of the loss, either as a matrix (minimise_by_gram: s^2 a
// sweep, and a factorisation of the support where sweeps are slow) or through columns (minimise_by_columns).
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "exact/working_columns.hpp"
#include "s3gd/problem.hpp"

namespace s3gd {

struct L1Model {
  std::vector<double> x, gradient, l1, ridge;
  std::vector<double> radial;   // v, or empty: the direction in which a 2-norm is not curved
  double radial_curvature = 0;  // c
  std::vector<double> start;    // a guess of d, or empty (by columns)
  double accuracy = 1e-6;       // ends when a sweep gains less than this share of all gains, or ...
  double slack = 0;             // ... where the model is F itself, finds no slope wrong by more than this (by columns)
  std::function<bool()> must_stop;

  Index size() const { return static_cast<Index>(x.size()); }
};

// Both return d. `gram` is H, s x s and symmetric.
std::vector<double> minimise_by_gram(const L1Model& model, std::vector<double> gram);
std::vector<double> minimise_by_columns(const L1Model& model, const WorkingColumns& columns,
                                        std::span<const double> curvatures);

// What one coordinate moves by when it alone is minimised; `slope` is the model's at the present x.
inline double coordinate_change(double x, double slope, double curvature, double l1) {
  const double free = curvature * x - slope;
  const double kept = free > l1 ? free - l1 : free < -l1 ? free + l1 : 0.0;
  return kept / curvature - x;
}

}  // namespace s3gd
