// Compiled once for each instruction set, as kernel.cpp is.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernel/softplus.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h

#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

#include <limits>

#include "kernel/softplus.hpp"

HWY_BEFORE_NAMESPACE();
namespace s3gd::kernel::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// exp(-|t|) is zero long before this; the library's exp is not meant for infinity.
constexpr double kFar = 1000;

template <class D>
HWY_INLINE void one_vector(D d, double beta, double shift, const double* u, const double* y, Index at,
                           const SoftplusTerms& out) {
  const auto one = hn::Set(d, 1.0), zero = hn::Zero(d);
  const auto sign = hn::LoadU(d, y + at);
  const auto distance = hn::NegMulAdd(sign, hn::LoadU(d, u + at), hn::Set(d, shift));
  const auto t = hn::Mul(hn::Set(d, beta), distance);
  const auto nan = hn::Sub(distance, distance);  // 0, or not a number, which the minimum below would swallow
  const auto e = hn::Exp(d, hn::Neg(hn::Min(hn::Abs(t), hn::Set(d, kFar))));
  const auto share = hn::Div(one, hn::Add(one, e));  // sigmoid(|t|)
  const auto rest = hn::Mul(e, share);
  if (out.value != nullptr) {
    const auto bend = hn::Mul(hn::Log1p(d, e), hn::Set(d, 1.0 / beta));
    hn::StoreU(hn::Add(hn::Add(hn::Max(distance, zero), bend), nan), d, out.value + at);
  }
  if (out.slope != nullptr) {
    const auto sigmoid = hn::IfThenElse(hn::Ge(t, zero), share, rest);
    hn::StoreU(hn::Add(hn::Neg(hn::Mul(sign, sigmoid)), nan), d, out.slope + at);
  }
  if (out.curvature != nullptr)
    hn::StoreU(hn::Add(hn::Mul(hn::Set(d, beta), hn::Mul(share, rest)), nan), d, out.curvature + at);
}

void softplus_terms(double beta, double shift, const double* u, const double* y, Index n, const SoftplusTerms& out) {
  const hn::ScalableTag<double> d;
  const auto step = static_cast<Index>(hn::Lanes(d));
  Index i = 0;
  for (; i + step <= n; i += step) one_vector(d, beta, shift, u, y, i, out);
  const hn::CappedTag<double, 1> single;
  for (; i < n; ++i) one_vector(single, beta, shift, u, y, i, out);
}

template <class D>
HWY_INLINE void entropy_at(D d, const double* a, double* out) {
  const auto x = hn::LoadU(d, a), zero = hn::Zero(d), one = hn::Set(d, 1.0);
  const auto tiny = hn::Set(d, std::numeric_limits<double>::min());
  const auto inside = hn::And(hn::Ge(x, zero), hn::Le(x, one));
  const auto part = hn::IfThenElse(inside, x, hn::Set(d, 0.5));  // the logarithms are not meant for what is outside
  const auto left = hn::Mul(part, hn::Log(d, hn::Max(part, tiny)));
  const auto rest = hn::Sub(one, part);  // exact below: 1 - a has no more digits than a
  const auto right = hn::Mul(rest, hn::IfThenElse(hn::Lt(part, hn::Set(d, 0.5)), hn::Log1p(d, hn::Neg(part)),
                                                  hn::Log(d, hn::Max(rest, tiny))));
  hn::StoreU(hn::IfThenElse(inside, hn::Add(left, right), hn::Set(d, std::numeric_limits<double>::infinity())), d, out);
}

void negative_entropy(const double* a, Index n, double* out) {
  const hn::ScalableTag<double> d;
  const hn::CappedTag<double, 1> single;
  const auto step = static_cast<Index>(hn::Lanes(d));
  Index i = 0;
  for (; i + step <= n; i += step) entropy_at(d, a + i, out + i);
  for (; i < n; ++i) entropy_at(single, a + i, out + i);
}

}  // namespace s3gd::kernel::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace s3gd::kernel {

HWY_EXPORT(softplus_terms);
HWY_EXPORT(negative_entropy);

void negative_entropy(const double* a, Index n, double* out) { HWY_DYNAMIC_DISPATCH(negative_entropy)(a, n, out); }

void softplus_terms(double beta, double shift, const double* u, const double* y, Index n, const SoftplusTerms& out) {
  HWY_DYNAMIC_DISPATCH(softplus_terms)(beta, shift, u, y, n, out);
}

}  // namespace s3gd::kernel
#endif
