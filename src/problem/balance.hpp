// Scales that turn flows between classes into a circulation.
#pragma once

#include <span>
#include <vector>

#include "s3gd/matrix.hpp"

namespace s3gd {

// For flows m_kl >= 0 from k to l (K x K, the diagonal left aside): scales t_k in [0, 1], the largest 1, such that t_k m_kl
// flows into every l as much as t_l m_lk flows out of it: the stationary distribution of a Markov chain, found without a
// subtraction (Grassmann, Taksar and Heyman, 1985). All zero where the classes fall apart. O(K^3).
std::vector<double> balancing_scales(std::span<const double> flows, Index classes);

}  // namespace s3gd
