// Many margins at once: sparse rows against tables, softmax, and what losses make of exponentials. Compiled once for
// each instruction set, as kernel.cpp is.
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernel/margins.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h

#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernel/kernel.hpp"

// The combinations of types there are: of entries, of their places, and of the table.
#ifndef S3GD_EVERY_TABLE
#define S3GD_EVERY_TABLE                              \
  S3GD_TABLE(single, float, std::int32_t, float)      \
  S3GD_TABLE(single_wide, float, std::int64_t, float) \
  S3GD_TABLE(mixed, float, std::int32_t, double)      \
  S3GD_TABLE(mixed_wide, float, std::int64_t, double) \
  S3GD_TABLE(twice, double, std::int32_t, double)     \
  S3GD_TABLE(twice_wide, double, std::int64_t, double)
#endif

HWY_BEFORE_NAMESPACE();
namespace s3gd::kernel::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// exp(-t) is zero long before this; the library's exp is not meant for infinity.
constexpr double kFar = 1000;

template <class W>
using Tag = hn::CappedTag<W, kTableUnit>;

// Four vectors of the table's rows at a time: their sums stay in registers while the entries go by.
template <class X, class I, class W>
HWY_INLINE void times_four(const X* HWY_RESTRICT values, const I* HWY_RESTRICT places, Index count,
                           const W* HWY_RESTRICT table, Index width, W* HWY_RESTRICT y) {
  const Tag<W> d;
  const auto lanes = static_cast<Index>(hn::Lanes(d));
  auto s0 = hn::Zero(d), s1 = s0, s2 = s0, s3 = s0;
  for (Index k = 0; k < count; ++k) {
    const auto a = hn::Set(d, static_cast<W>(values[k]));
    const W* row = table + static_cast<Index>(places[k]) * width;
    s0 = hn::MulAdd(a, hn::LoadU(d, row), s0);
    s1 = hn::MulAdd(a, hn::LoadU(d, row + lanes), s1);
    s2 = hn::MulAdd(a, hn::LoadU(d, row + 2 * lanes), s2);
    s3 = hn::MulAdd(a, hn::LoadU(d, row + 3 * lanes), s3);
  }
  hn::StoreU(s0, d, y);
  hn::StoreU(s1, d, y + lanes);
  hn::StoreU(s2, d, y + 2 * lanes);
  hn::StoreU(s3, d, y + 3 * lanes);
}

// Two vectors, two chains each, since a single one would wait for every addition.
template <class X, class I, class W>
HWY_INLINE void times_two(const X* HWY_RESTRICT values, const I* HWY_RESTRICT places, Index count,
                          const W* HWY_RESTRICT table, Index width, W* HWY_RESTRICT y) {
  const Tag<W> d;
  const auto lanes = static_cast<Index>(hn::Lanes(d));
  auto s0 = hn::Zero(d), s1 = s0, s2 = s0, s3 = s0;
  Index k = 0;
  for (; k + 1 < count; k += 2) {
    const auto a = hn::Set(d, static_cast<W>(values[k])), b = hn::Set(d, static_cast<W>(values[k + 1]));
    const W* first = table + static_cast<Index>(places[k]) * width;
    const W* second = table + static_cast<Index>(places[k + 1]) * width;
    s0 = hn::MulAdd(a, hn::LoadU(d, first), s0);
    s1 = hn::MulAdd(a, hn::LoadU(d, first + lanes), s1);
    s2 = hn::MulAdd(b, hn::LoadU(d, second), s2);
    s3 = hn::MulAdd(b, hn::LoadU(d, second + lanes), s3);
  }
  if (k < count) {
    const auto a = hn::Set(d, static_cast<W>(values[k]));
    const W* first = table + static_cast<Index>(places[k]) * width;
    s0 = hn::MulAdd(a, hn::LoadU(d, first), s0);
    s1 = hn::MulAdd(a, hn::LoadU(d, first + lanes), s1);
  }
  hn::StoreU(hn::Add(s0, s2), d, y);
  hn::StoreU(hn::Add(s1, s3), d, y + lanes);
}

template <class X, class I, class W>
HWY_INLINE void times_one(const X* HWY_RESTRICT values, const I* HWY_RESTRICT places, Index count,
                          const W* HWY_RESTRICT table, Index width, W* HWY_RESTRICT y) {
  const Tag<W> d;
  const auto entry = [&](Index k) { return hn::LoadU(d, table + static_cast<Index>(places[k]) * width); };
  auto s0 = hn::Zero(d), s1 = s0;
  Index k = 0;
  for (; k + 1 < count; k += 2) {
    s0 = hn::MulAdd(hn::Set(d, static_cast<W>(values[k])), entry(k), s0);
    s1 = hn::MulAdd(hn::Set(d, static_cast<W>(values[k + 1])), entry(k + 1), s1);
  }
  if (k < count) s0 = hn::MulAdd(hn::Set(d, static_cast<W>(values[k])), entry(k), s0);
  hn::StoreU(hn::Add(s0, s1), d, y);
}

template <class X, class I, class W>
void times_all(const X* values, const I* places, Index count, const W* table, Index width, W* y) {
  const auto lanes = static_cast<Index>(hn::Lanes(Tag<W>()));
  Index j = 0;
  for (; j + 4 * lanes <= width; j += 4 * lanes) times_four(values, places, count, table + j, width, y + j);
  for (; j + 2 * lanes <= width; j += 2 * lanes) times_two(values, places, count, table + j, width, y + j);
  for (; j < width; j += lanes) times_one(values, places, count, table + j, width, y + j);
}

// Two vectors at a time: what is added stays in registers.
template <class X, class I, class W>
HWY_INLINE void add_two(const X* HWY_RESTRICT values, const I* HWY_RESTRICT places, Index count,
                        const W* HWY_RESTRICT c, Index width, W* HWY_RESTRICT table) {
  const Tag<W> d;
  const auto lanes = static_cast<Index>(hn::Lanes(d));
  const auto c0 = hn::LoadU(d, c), c1 = hn::LoadU(d, c + lanes);
  for (Index k = 0; k < count; ++k) {
    const auto a = hn::Set(d, static_cast<W>(values[k]));
    W* row = table + static_cast<Index>(places[k]) * width;
    hn::StoreU(hn::MulAdd(a, c0, hn::LoadU(d, row)), d, row);
    hn::StoreU(hn::MulAdd(a, c1, hn::LoadU(d, row + lanes)), d, row + lanes);
  }
}

template <class X, class I, class W>
void add_all(const X* values, const I* places, Index count, const W* c, Index width, W* table) {
  const Tag<W> d;
  const auto lanes = static_cast<Index>(hn::Lanes(d));
  Index j = 0;
  for (; j + 2 * lanes <= width; j += 2 * lanes) add_two(values, places, count, c + j, width, table + j);
  if (j == width) return;
  const auto last = hn::LoadU(d, c + j);
  for (Index k = 0; k < count; ++k) {
    W* row = table + static_cast<Index>(places[k]) * width + j;
    hn::StoreU(hn::MulAdd(hn::Set(d, static_cast<W>(values[k])), last, hn::LoadU(d, row)), d, row);
  }
}

template <class W>
HWY_INLINE double softmax_row(Index classes, Index width, W* u) {
  const Tag<W> d;
  const auto lanes = static_cast<Index>(hn::Lanes(d));
  const auto lowest = hn::Set(d, std::numeric_limits<W>::lowest());
  const auto meant = [&](Index j) {
    return hn::FirstN(d, static_cast<std::size_t>(std::min(lanes, std::max<Index>(0, classes - j))));
  };
  auto largest = lowest;
  for (Index j = 0; j < width; j += lanes)
    largest = hn::Max(largest, hn::IfThenElse(meant(j), hn::LoadU(d, u + j), lowest));
  const W top = hn::GetLane(hn::MaxOfLanes(d, largest));
  const auto far = hn::Set(d, W(-kFar)), peak = hn::Set(d, top);
  auto sum = hn::Zero(d);
  for (Index j = 0; j < width; j += lanes) {
    const auto margin = hn::LoadU(d, u + j);
    const auto e = hn::Exp(d, hn::Max(hn::Sub(margin, peak), far));
    const auto nan = hn::Sub(margin, margin);  // 0, or not a number, which the maximum above would swallow
    const auto kept = hn::IfThenElseZero(meant(j), hn::Add(e, nan));
    hn::StoreU(kept, d, u + j);
    sum = hn::Add(sum, kept);
  }
  const W total = hn::GetLane(hn::SumOfLanes(d, sum));
  const auto share = hn::Set(d, W(1) / total);
  for (Index j = 0; j < width; j += lanes) hn::StoreU(hn::Mul(hn::LoadU(d, u + j), share), d, u + j);
  return static_cast<double>(top) + std::log(static_cast<double>(total));
}

template <class W>
void softmax_all(Index count, Index classes, Index width, W* u, double* log_sums) {
  for (Index r = 0; r < count; ++r) log_sums[r] = softmax_row(classes, width, u + r * width);
}

// Calls work(tag, place) for the numbers 0 .. n-1: as many as go into a vector at once, then one by one.
template <class Work>
HWY_INLINE void for_each_vector(Index n, Work&& work) {
  const hn::ScalableTag<double> d;
  const auto step = static_cast<Index>(hn::Lanes(d));
  Index i = 0;
  for (; i + step <= n; i += step) work(d, i);
  for (; i < n; ++i) work(hn::CappedTag<double, 1>(), i);
}

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
  for_each_vector(n, [&](auto d, Index i) { one_vector(d, beta, shift, u, y, i, out); });
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
  for_each_vector(n, [&](auto d, Index i) { entropy_at(d, a + i, out + i); });
}

// Names that can be exported: one for each combination of types.
#define S3GD_TABLE(name, X, I, W)                                                                                \
  void times_##name(const X* v, const I* p, Index n, const W* t, Index w, W* y) { times_all(v, p, n, t, w, y); } \
  void add_##name(const X* v, const I* p, Index n, const W* c, Index w, W* t) { add_all(v, p, n, c, w, t); }
S3GD_EVERY_TABLE
#undef S3GD_TABLE
void softmax_single(Index n, Index k, Index w, float* u, double* out) { softmax_all(n, k, w, u, out); }
void softmax_twice(Index n, Index k, Index w, double* u, double* out) { softmax_all(n, k, w, u, out); }

}  // namespace s3gd::kernel::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace s3gd::kernel {

#define S3GD_TABLE(name, X, I, W)                                                                   \
  HWY_EXPORT(times_##name);                                                                         \
  HWY_EXPORT(add_##name);                                                                           \
  template <>                                                                                       \
  void times_table(const X* values, const I* places, Index n, const W* table, Index width, W* y) {  \
    HWY_DYNAMIC_DISPATCH(times_##name)(values, places, n, table, width, y);                         \
  }                                                                                                 \
  template <>                                                                                       \
  void add_to_table(const X* values, const I* places, Index n, const W* c, Index width, W* table) { \
    HWY_DYNAMIC_DISPATCH(add_##name)(values, places, n, c, width, table);                           \
  }
S3GD_EVERY_TABLE
#undef S3GD_TABLE

HWY_EXPORT(softplus_terms);
HWY_EXPORT(negative_entropy);
HWY_EXPORT(softmax_single);
HWY_EXPORT(softmax_twice);

void softmax_rows(Index count, Index classes, Index width, float* u, double* log_sums) {
  HWY_DYNAMIC_DISPATCH(softmax_single)(count, classes, width, u, log_sums);
}
void softmax_rows(Index count, Index classes, Index width, double* u, double* log_sums) {
  HWY_DYNAMIC_DISPATCH(softmax_twice)(count, classes, width, u, log_sums);
}

void negative_entropy(const double* a, Index n, double* out) { HWY_DYNAMIC_DISPATCH(negative_entropy)(a, n, out); }

void softplus_terms(double beta, double shift, const double* u, const double* y, Index n, const SoftplusTerms& out) {
  HWY_DYNAMIC_DISPATCH(softplus_terms)(beta, shift, u, y, n, out);
}

}  // namespace s3gd::kernel
#endif
