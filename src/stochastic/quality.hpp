// How good an estimate of the gradient is: its correlation with the exact gradient, and its variance over plain SGD's.
// Both at the current w with the control's current snapshot. Costs about two passes over the rows.
#pragma once

#include "stochastic/control.hpp"

namespace s3gd {

struct GradientQuality {
  double correlation = 0;         // Pearson over coordinates, mean over a few fresh batches
  double variance_ratio = 0;      // E||g - grad P||^2 over that of SGD with the same batch; exact
  std::vector<double> surrogate;  // drift - grad P: what the propagated gradient misses
};

template <class T>
GradientQuality measure_quality(const StochasticProblem& problem, const Control<T>& control, const Sampler& sampler,
                                bool unbiased, Index batch, std::span<const double> w, Rng& rng);

}  // namespace s3gd
