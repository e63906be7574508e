// Vectors a drift is combined from:   drift = sum_j vector_j phi_j' - share * constant',     phi_j: K numbers
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "kernel/blas.hpp"
#include "kernel/kernel.hpp"
#include "s3gd/matrix.hpp"

namespace s3gd {

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
      drift[static_cast<std::size_t>(j * width + k)] =
          static_cast<T>(-share) * constant[static_cast<std::size_t>(k * features + j)];
  const std::vector<T> factors(phi.begin(), phi.end());
  blas::gemm(blas::Op::transposed, blas::Op::plain, features, outputs, static_cast<Index>(phi.size()) / outputs, T(1),
             vectors.data(), features, factors.data(), outputs, T(1), drift.data(), width);
}

template <class T>
void combine(const DriftBasis<T>& basis, std::span<const double> phi, double share, Index outputs, Index width,
             std::span<T> drift) {
  combine<T>(basis.vectors, basis.constant, phi, share, outputs, width, drift);
}

}  // namespace s3gd
