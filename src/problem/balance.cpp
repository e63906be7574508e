#include "problem/balance.hpp"

#include <algorithm>

namespace s3gd {

std::vector<double> balancing_scales(std::span<const double> flows, Index classes) {
  const auto n = static_cast<std::size_t>(classes);
  std::vector<double> m(flows.begin(), flows.end());
  const std::vector<double> apart(n, 0.0);
  for (std::size_t k = n - 1; k > 0; --k) {  // what flows through k is passed on among those before it
    double out = 0;
    for (std::size_t l = 0; l < k; ++l) out += m[k * n + l];
    if (!(out > 0)) return apart;
    for (std::size_t l = 0; l < k; ++l) m[l * n + k] /= out;
    for (std::size_t i = 0; i < k; ++i)
      for (std::size_t l = 0; l < k; ++l)
        if (i != l) m[i * n + l] += m[i * n + k] * m[k * n + l];
  }
  std::vector<double> scale(n, 1.0);
  for (std::size_t k = 1; k < n; ++k) {
    scale[k] = 0;
    for (std::size_t l = 0; l < k; ++l) scale[k] += scale[l] * m[l * n + k];
  }
  const double largest = *std::max_element(scale.begin(), scale.end());
  for (double& value : scale) value /= largest;
  return scale;
}

}  // namespace s3gd
