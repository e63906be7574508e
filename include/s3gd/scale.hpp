// Scaling of features, learnt on one dataset and applied to others.
//
//   max_abs    x_ij / max_i |x_ij|             keeps sparse data sparse
//   standard   (x_ij - mean_j) / deviation_j   sparse data stays sparse: only the division is applied to it, and the
//                                              shift is folded into the intercept (see Scaling::shift)
//   unit_rows  x_i / ||x_i||                   needs nothing learnt
#pragma once

#include <vector>

#include "s3gd/dataset.hpp"

namespace s3gd {

enum class Scale : std::uint8_t { none, max_abs, standard, unit_rows };

struct Scaling {
  Scale kind = Scale::none;
  std::vector<double> factor;  // x_ij is multiplied by factor[j]; empty for none and unit_rows; 0 never occurs
  std::vector<double> shift;   // subtracted after the factor: dense data only for `standard`; empty otherwise
};

Scaling learn_scaling(const Dataset& data, Scale kind, int threads = 0);
// Returns a scaled copy (or the same data, uncopied, for Scale::none).
Dataset apply_scaling(const Dataset& data, const Scaling& scaling, int threads = 0);

}  // namespace s3gd
