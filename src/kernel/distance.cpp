#include "kernel/distance.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernel/distance.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace s3gd::kernel::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using Tag = hn::ScalableTag<double>;

HWY_INLINE auto load(Tag tag, const double* p) { return hn::LoadU(tag, p); }
HWY_INLINE auto load(Tag tag, const float* p) { return hn::PromoteTo(tag, hn::LoadU(hn::Rebind<float, Tag>(), p)); }

template <class T>
double squared_distance(const T* x, const T* z, std::size_t n) {
  const Tag tag;
  const std::size_t lanes = hn::Lanes(tag);
  auto even = hn::Zero(tag), odd = hn::Zero(tag);  // two chains, so that the additions overlap
  std::size_t j = 0;
  for (; j + 2 * lanes <= n; j += 2 * lanes) {
    const auto a = hn::Sub(load(tag, x + j), load(tag, z + j));
    const auto b = hn::Sub(load(tag, x + j + lanes), load(tag, z + j + lanes));
    even = hn::MulAdd(a, a, even);
    odd = hn::MulAdd(b, b, odd);
  }
  double sum = hn::GetLane(hn::SumOfLanes(tag, hn::Add(even, odd)));
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
  return HWY_DYNAMIC_DISPATCH(distance_float)(x, z, static_cast<std::size_t>(n));
}

double squared_distance(const double* x, const double* z, Index n) {
  return HWY_DYNAMIC_DISPATCH(distance_double)(x, z, static_cast<std::size_t>(n));
}

}  // namespace s3gd::kernel
#endif
