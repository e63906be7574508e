// Penalties on the matrix of weights: value, prox, conjugate, rank. Matrices are features x K, intercepts last.
//
// Entry by entry (l2, l1, elastic net) they are the penalties of one output over all dim() numbers. A group is a feature's K
// weights: its prox shrinks their length. The nuclear norm's prox shrinks the singular values, found from the
// eigenvectors of the Gram matrix of the shorter side: O(dim min(features, K)) and a small eigenproblem.
#pragma once

#include "problem/penalty.hpp"
#include "s3gd/softmax.hpp"

namespace s3gd {

class MatrixPenalty {
 public:
  // Throws one Error when the spec does not fit.
  MatrixPenalty(const MatrixPenaltySpec& spec, Index cols, Index classes, Intercept intercept);
  explicit MatrixPenalty(const SoftmaxProblem& problem)
      : MatrixPenalty(problem.spec().penalty, problem.cols(), problem.classes(), problem.spec().intercept) {}

  double value(std::span<const double> w) const;
  void prox(double eta, std::span<double> w) const;  // w <- prox_{eta R}(w)
  // The same with a step of its own for every weight, alike for those that the penalty couples; not for the nuclear norm,
  // which couples all.
  void prox(std::span<const double> etas, std::span<double> w) const;
  bool couples_features() const { return spec_.kind == MatrixPenaltyKind::nuclear; }
  bool couples_classes() const { return !entries_; }
  // What every class's weights cost by themselves; none of it where classes are coupled.
  Penalty of_one_output() const;
  // R*(z), z zero where nothing is penalised: infinity outside the domain. feasible_scale(z) is the largest s in [0, 1]
  // with R*(s z) finite.
  double conjugate(std::span<const double> z) const;
  double feasible_scale(std::span<const double> z) const;

  bool smooth() const;                          // l2 or none
  bool has_dual() const;                        // every feature costs something (free intercepts aside)
  double ridge(Index j) const;                  // what multiplies the squares of feature j's weights
  std::vector<double> ridges() const;           // the second derivative in every weight, kinks aside
  double threshold(Index j) const;              // what multiplies the norm of feature j's weights, or of all
  bool shrinks_uniformly() const;               // l2 or none without factors
  Index rank(std::span<const double> w) const;  // of the penalised part

 private:
  double factor(Index j) const;
  void prox_group(double eta, Index j, double* row) const;
  Index penalised() const { return intercept_ == Intercept::regularised ? cols_ + 1 : cols_; }  // features

  MatrixPenaltySpec spec_;
  Index cols_, classes_;
  Intercept intercept_;
  std::optional<Penalty> entries_;  // l2, l1, elastic net, none
};

}  // namespace s3gd
