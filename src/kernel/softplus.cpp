// Compiled once for each instruction set, like kernel.cpp.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernel/softplus.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h

#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

#include "kernel/softplus.hpp"

HWY_BEFORE_NAMESPACE();
namespace s3gd::kernel::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class D>
HWY_INLINE void softplus_at(D d, const double* t, double* value, double* slope, double* curvature) {
  const auto x = hn::LoadU(d, t);
  const auto one = hn::Set(d, 1.0);
  const auto e = hn::Exp(d, hn::Neg(hn::Abs(x)));
  const auto whole = hn::Div(one, hn::Add(one, e));
  const auto rest = hn::Mul(e, whole);
  const auto positive = hn::Gt(x, hn::Zero(d));
  hn::StoreU(hn::Add(hn::Max(x, hn::Zero(d)), hn::Log1p(d, e)), d, value);
  hn::StoreU(hn::IfThenElse(positive, whole, rest), d, slope);
  hn::StoreU(hn::Mul(rest, whole), d, curvature);
}

void softplus(const double* t, Index n, double* value, double* slope, double* curvature) {
  const hn::ScalableTag<double> d;
  const hn::CappedTag<double, 1> single;
  const auto step = static_cast<Index>(hn::Lanes(d));
  Index i = 0;
  for (; i + step <= n; i += step) softplus_at(d, t + i, value + i, slope + i, curvature + i);
  for (; i < n; ++i) softplus_at(single, t + i, value + i, slope + i, curvature + i);
}

}  // namespace s3gd::kernel::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace s3gd::kernel {
namespace {

HWY_EXPORT(softplus);

}  // namespace

void softplus(const double* t, Index n, double* value, double* slope, double* curvature) {
  HWY_DYNAMIC_DISPATCH(softplus)(t, n, value, slope, curvature);
}

}  // namespace s3gd::kernel
#endif
