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

// What is squared and added up: the differences of two rows, or one row's own entries.
template <class T>
struct Difference {
  const T* x;
  const T* z;
  template <class Tag>
  auto lanes(Tag tag, std::size_t j) const {
    return hn::Sub(hn::LoadU(tag, x + j), hn::LoadU(tag, z + j));
  }
  double single(std::size_t j) const { return static_cast<double>(x[j]) - static_cast<double>(z[j]); }
};

template <class T>
struct Entry {
  const T* x;
  template <class Tag>
  auto lanes(Tag tag, std::size_t j) const {
    return hn::LoadU(tag, x + j);
  }
  double single(std::size_t j) const { return static_cast<double>(x[j]); }
};

template <class T, class Term>
double sum_of_squares(const Term& term, std::size_t n) {
  constexpr std::size_t kStretch = 1024;
  const hn::ScalableTag<T> tag;
  const std::size_t lanes = hn::Lanes(tag);
  double sum = 0;
  std::size_t j = 0;
  while (j + 2 * lanes <= n) {
    auto even = hn::Zero(tag), odd = hn::Zero(tag);  // two chains, so that the additions overlap
    for (const std::size_t end = std::min(n, j + kStretch); j + 2 * lanes <= end; j += 2 * lanes) {
      const auto a = term.lanes(tag, j), b = term.lanes(tag, j + lanes);
      even = hn::MulAdd(a, a, even);
      odd = hn::MulAdd(b, b, odd);
    }
    sum += static_cast<double>(hn::GetLane(hn::SumOfLanes(tag, hn::Add(even, odd))));
  }
  for (; j < n; ++j) sum += term.single(j) * term.single(j);
  return sum;
}

double distance_float(const float* x, const float* z, std::size_t n) {
  return sum_of_squares<float>(Difference<float>{x, z}, n);
}
double distance_double(const double* x, const double* z, std::size_t n) {
  return sum_of_squares<double>(Difference<double>{x, z}, n);
}
double length_float(const float* x, std::size_t n) { return sum_of_squares<float>(Entry<float>{x}, n); }
double length_double(const double* x, std::size_t n) { return sum_of_squares<double>(Entry<double>{x}, n); }

}  // namespace s3gd::kernel::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace s3gd::kernel {

HWY_EXPORT(distance_float);
HWY_EXPORT(distance_double);
HWY_EXPORT(length_float);
HWY_EXPORT(length_double);

namespace {
// Squares of floats lose digits below the one and overflow above the other; then double has to do it.
bool trustworthy(double sum) { return sum > 1e-30 && std::isfinite(sum); }
}  // namespace

double squared_distance(const float* x, const float* z, Index n) {
  const double fast = HWY_DYNAMIC_DISPATCH(distance_float)(x, z, static_cast<std::size_t>(n));
  if (trustworthy(fast)) return fast;
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

double squared_length(const float* x, Index n) {
  const double fast = HWY_DYNAMIC_DISPATCH(length_float)(x, static_cast<std::size_t>(n));
  if (trustworthy(fast)) return fast;
  double sum = 0;
  for (Index j = 0; j < n; ++j) sum += static_cast<double>(x[j]) * static_cast<double>(x[j]);
  return sum;
}

double squared_length(const double* x, Index n) {
  return HWY_DYNAMIC_DISPATCH(length_double)(x, static_cast<std::size_t>(n));
}

}  // namespace s3gd::kernel
#endif
