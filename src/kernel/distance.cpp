#include "kernel/distance.hpp"

#include <algorithm>
#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernel/distance.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace s3gd::kernel::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <class T>
double squared_distance(const T* x, const T* z, std::size_t n) {
  constexpr std::size_t kStretch = 1024;
  const hn::ScalableTag<T> tag;
  const std::size_t lanes = hn::Lanes(tag);
  double sum = 0;
  std::size_t j = 0;
  while (j + 2 * lanes <= n) {
    auto even = hn::Zero(tag), odd = hn::Zero(tag);  // two chains, so that the additions overlap
    for (const std::size_t end = std::min(n, j + kStretch); j + 2 * lanes <= end; j += 2 * lanes) {
      const auto a = hn::Sub(hn::LoadU(tag, x + j), hn::LoadU(tag, z + j));
      const auto b = hn::Sub(hn::LoadU(tag, x + j + lanes), hn::LoadU(tag, z + j + lanes));
      even = hn::MulAdd(a, a, even);
      odd = hn::MulAdd(b, b, odd);
    }
    sum += static_cast<double>(hn::GetLane(hn::SumOfLanes(tag, hn::Add(even, odd))));
  }
  for (; j < n; ++j) {
    const double difference = static_cast<double>(x[j]) - static_cast<double>(z[j]);
    sum += difference * difference;
  }
  return sum;
}

double distance_float(const float* x, const float* z, std::size_t n) { return squared_distance(x, z, n); }
double distance_double(const double* x, const double* z, std::size_t n) { return squared_distance(x, z, n); }

}  // namespace s3gd::kernel::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace s3gd::kernel {

HWY_EXPORT(distance_float);
HWY_EXPORT(distance_double);

double squared_distance(const float* x, const float* z, Index n) {
  const double fast = HWY_DYNAMIC_DISPATCH(distance_float)(x, z, static_cast<std::size_t>(n));
  // Squares of floats lose digits below the first bound and overflow at the second; then double has to do it.
  if (fast > 1e-30 && std::isfinite(fast)) return fast;
  double sum = 0;
  for (Index j = 0; j < n; ++j) {
    const double difference = static_cast<double>(x[j]) - static_cast<double>(z[j]);
    sum += difference * difference;
  }
  return sum;
}

double squared_distance(const double* x, const double* z, Index n) {
  return HWY_DYNAMIC_DISPATCH(distance_double)(x, z, static_cast<std::size_t>(n));
}

}  // namespace s3gd::kernel
#endif
