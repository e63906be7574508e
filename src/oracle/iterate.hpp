// Iterate: the parameters of the one stochastic loop, in whatever form makes a step cheap.
//
// A step is   w <- prox_{eta R}( w - eta * (spike + drift) ),   spike = sum over the batch of c_i x_i,
// where the drift is a dense vector that stays the same until the next snapshot. Forms:
//
//   eager    w itself, O(d) a step: dense rows, and penalties that couple coordinates
//   scaled   w = s (v + b drift + (X M) a), the shrink changes s alone: sparse rows, l2 or none
//   lazy     every coordinate is brought up to date when touched: sparse rows, any separable penalty
//
// The intercept is coordinate `cols`, kept beside w because its penalty differs.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "base/archive.hpp"
#include "model/penalty.hpp"
#include "s3gd/problem.hpp"

namespace s3gd {

// A fixed family of vectors the drift is combined from: drift = sum_j phi_j vector_j - share * constant.
// Row-major, count x dim, intercept component last (as Problem::dim()).
template <class T>
struct DriftBasis {
  Index count = 0;
  Index dim = 0;
  std::vector<T> vectors;
  std::vector<T> constant;  // dim of them, or empty = 0
  // Dense data: the anchors' rows side by side (as many as anchors, each of the data's columns). A snapshot reads them
  // all; scattered over the training rows they would cost it a cache and a TLB miss each.
  std::vector<T> anchors;
};

template <class T>
class Iterate {
 public:
  virtual ~Iterate() = default;

  // u_i = w.x_i + b for the given rows, at the current w.
  virtual void margins(std::span<const Index> rows, double* out) = 0;
  // The same for the anchors' rows, which the basis may hold a copy of.
  virtual void anchor_margins(std::span<const Index> rows, double* out) { margins(rows, out); }
  // One proximal step with spike coefficients c_i.
  virtual void step(std::span<const Index> rows, const double* coefficients) = 0;

  virtual void set_step_size(double eta) = 0;
  // The drift for the steps to come. All but the last may cost O(d).
  virtual void set_drift(std::span<const double> drift) = 0;
  virtual void add_to_drift(std::span<const Index> rows, const double* coefficients) = 0;  // drift += sum c_i x_i
  // drift = sum_j phi_j vector_j - share * constant.
  virtual void set_drift_from_basis(std::span<const double> phi, double share) = 0;
  // The vectors of the basis given at the start are there now, or are others: w stays, the drift is to be set anew.
  virtual void basis_changed() {}

  virtual void read(std::span<double> w) = 0;  // the current parameters, dim of them; changes nothing
  // Puts the parts w is kept in together, O(d). A control that reads w and sets a drift does this first, so that it sees
  // the very w the next steps start from.
  virtual void settle() {}
  virtual void assign(std::span<const double> w) = 0;
  // Everything a next step depends on, for a checkpoint. Read when the basis is there already.
  virtual void state(Archive& a) = 0;
  // Asks the cache for what coming steps read: the rows of the step after next, and what those of the next point to.
  virtual void prefetch(std::span<const Index> next, std::span<const Index> after) const = 0;
};

// Chooses the form. `basis`, where given, must outlive the iterate. Throws when a form cannot hold it.
enum class IterateForm : std::uint8_t { automatic, eager, scaled, lazy };
template <class T>
std::unique_ptr<Iterate<T>> make_iterate(const Problem& problem, const Penalty& penalty,
                                         const DriftBasis<T>* basis = nullptr,
                                         IterateForm form = IterateForm::automatic);

// The form `automatic` stands for, and whether steps from this basis cost nothing that grows with d.
IterateForm chosen_form(const Problem& problem, const Penalty& penalty, Index basis_count);

}  // namespace s3gd
