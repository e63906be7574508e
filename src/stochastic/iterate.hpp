// Iterate: the parameters of the one stochastic loop, in whatever form makes a step cheap.
//
// A step is   W <- prox_{eta R}( W - eta * (spike + drift) ),   spike = sum over the batch of x_i c_i',
// where the drift is dense and stays the same until the next snapshot. W, spike and drift have K numbers for each feature,
// one for each output; margins and coefficients of a batch are rows x K. Forms:
//
//   eager    W itself, O(dim) a step: dense rows, and penalties that couple coordinates
//   scaled   W = s (V + b drift + (X M) A), the shrink changes s alone: sparse rows, l2 or none
//   lazy     every coordinate is brought up to date when touched: sparse rows, any separable penalty
//
// The intercepts are the last feature, kept apart because their penalty differs.
#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <vector>

#include "base/archive.hpp"
#include "kernel/blas.hpp"
#include "kernel/kernel.hpp"
#include "stochastic/outputs.hpp"

namespace s3gd {

// Vectors a drift is combined from:   drift = sum_j vector_j phi_j' - share * constant',     phi_j: K numbers
template <class T>
struct DriftBasis {
  Index count = 0;
  Index features = 0;       // the constant one included
  std::vector<T> vectors;   // count x features
  std::vector<T> constant;  // K x features, or empty = 0
  // Dense data: the anchors' rows side by side (as many as anchors, each of the data's columns). A snapshot reads them
  // all; scattered over the training rows they would cost it a cache and a TLB miss each.
  std::vector<T> anchors;

  bool has_constant() const { return !constant.empty(); }
};

// drift (features x K in rows of `width`, which are written whole) for several outputs. vectors: count x features; phi: count x K.
template <class T>
void combine(std::span<const T> vectors, std::span<const T> constant, std::span<const double> phi, double share,
             Index outputs, Index width, std::span<T> drift) {
  const auto features = static_cast<Index>(drift.size()) / width;
  std::fill(drift.begin(), drift.end(), T(0));
  for (Index k = 0; k < outputs && !constant.empty(); ++k)
    for (Index j = 0; j < features; ++j)
      drift[at(j * width + k)] = static_cast<T>(-share) * constant[at(k * features + j)];
  const std::vector<T> factors(phi.begin(), phi.end());
  blas::gemm(blas::Op::transposed, blas::Op::plain, features, outputs, static_cast<Index>(phi.size()) / outputs, T(1),
             vectors.data(), features, factors.data(), outputs, T(1), drift.data(), width);
}

template <class T>
void combine(const DriftBasis<T>& basis, std::span<const double> phi, double share, Index outputs, Index width,
             std::span<T> drift) {
  combine<T>(basis.vectors, basis.constant, phi, share, outputs, width, drift);
}

template <class T>
class Iterate {
 public:
  virtual ~Iterate() = default;

  // u_i = W'x_i for the given rows (with their constant 1), at the current W.
  virtual void margins(std::span<const Index> rows, double* out) = 0;
  // The same for the anchors' rows, which the basis may hold a copy of.
  virtual void anchor_margins(std::span<const Index> rows, double* out) { margins(rows, out); }
  // One proximal step with the spike's coefficients.
  virtual void step(std::span<const Index> rows, const double* coefficients) = 0;

  virtual void set_step_size(double eta) = 0;
  // The drift for the steps to come. All but the last may cost O(dim).
  virtual void set_drift(std::span<const double> drift) = 0;
  virtual void add_to_drift(std::span<const Index> rows, const double* coefficients) = 0;  // drift += sum x_i c_i'
  // drift = sum_j vector_j phi_j' - share * constant; phi: as many as vectors x K.
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
std::unique_ptr<Iterate<T>> make_iterate(const StochasticProblem& problem, const DriftBasis<T>* basis = nullptr,
                                         IterateForm form = IterateForm::automatic);

// The form `automatic` stands for.
IterateForm chosen_form(const OutputProblem& problem, Index basis_count);
// Whether in this form a drift from a basis costs nothing that grows with d.
bool drifts_for_nothing(const OutputProblem& problem, IterateForm form);

}  // namespace s3gd
