// Compiled once for each instruction set (foreach_target.h includes this file again and again); the best of them for
// the machine at hand is chosen on first use, as a table of function pointers.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernel/kernel.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h

#include <hwy/highway.h>

#include "kernel/kernel.hpp"

#ifndef S3GD_KERNEL_TABLE
#define S3GD_KERNEL_TABLE
namespace s3gd::kernel {

// X: type of the rows; W: type of the vector, and of the arithmetic.
template <class X, class W>
struct Operations {
  double (*dot)(const X*, const W*, Index);
  void (*axpy)(double, const X*, W*, Index);
  void (*dot_rows)(const X* const*, Index, const W*, Index, double*);
  void (*axpy_rows)(const double*, const X* const*, Index, W*, Index);
};

struct Table {
  const char* name;
  Operations<float, float> single;
  Operations<double, double> twice;
  Operations<float, double> mixed;
  void (*scale_single)(double, float*, Index);
  void (*scale_twice)(double, double*, Index);
  void (*shrink_single)(double, double, const float*, float*, Index);
  void (*shrink_twice)(double, double, const double*, double*, Index);
};

}  // namespace s3gd::kernel
#endif

HWY_BEFORE_NAMESPACE();
namespace s3gd::kernel::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Lanes are summed in float for at most this many entries, then in double: the error of a float sum stays bounded.
constexpr Index kBlock = 8192;

template <class W>
using Tag = hn::ScalableTag<W>;
template <class W>
HWY_INLINE Index lanes() {
  return static_cast<Index>(hn::Lanes(Tag<W>()));
}

HWY_INLINE auto load(Tag<float> d, const float* p) { return hn::LoadU(d, p); }
HWY_INLINE auto load(Tag<double> d, const double* p) { return hn::LoadU(d, p); }
HWY_INLINE auto load(Tag<double> d, const float* p) {
  return hn::PromoteTo(d, hn::LoadU(hn::Rebind<float, Tag<double>>(), p));
}

template <class W, class V>
HWY_INLINE double lane_sum(V v) {
  return static_cast<double>(hn::GetLane(hn::SumOfLanes(Tag<W>(), v)));
}

template <class X, class W>
HWY_INLINE double dot_block(const X* HWY_RESTRICT x, const W* HWY_RESTRICT w, Index n) {
  const Tag<W> d;
  const Index step = lanes<W>();
  auto s0 = hn::Zero(d), s1 = s0, s2 = s0, s3 = s0;  // four chains hide the latency of a fused multiply-add
  Index j = 0;
  for (; j + 4 * step <= n; j += 4 * step) {
    s0 = hn::MulAdd(load(d, x + j), load(d, w + j), s0);
    s1 = hn::MulAdd(load(d, x + j + step), load(d, w + j + step), s1);
    s2 = hn::MulAdd(load(d, x + j + 2 * step), load(d, w + j + 2 * step), s2);
    s3 = hn::MulAdd(load(d, x + j + 3 * step), load(d, w + j + 3 * step), s3);
  }
  for (; j + step <= n; j += step) s0 = hn::MulAdd(load(d, x + j), load(d, w + j), s0);
  double sum = lane_sum<W>(hn::Add(hn::Add(s0, s1), hn::Add(s2, s3)));
  for (; j < n; ++j) sum += static_cast<double>(x[j]) * static_cast<double>(w[j]);
  return sum;
}

template <class X, class W>
double dot(const X* x, const W* w, Index n) {
  double sum = 0;
  for (; n > kBlock; n -= kBlock, x += kBlock, w += kBlock) sum += dot_block(x, w, kBlock);
  return sum + dot_block(x, w, n);
}

template <class X, class W>
HWY_INLINE void dot_four(const X* const* rows, Index begin, const W* HWY_RESTRICT w, Index n, double* out) {
  const Tag<W> d;
  const Index step = lanes<W>();
  const X *a = rows[0] + begin, *b = rows[1] + begin, *c = rows[2] + begin, *e = rows[3] + begin;
  auto a0 = hn::Zero(d), a1 = a0, b0 = a0, b1 = a0, c0 = a0, c1 = a0, e0 = a0, e1 = a0;
  Index j = 0;
  for (; j + 2 * step <= n; j += 2 * step) {
    const auto w0 = load(d, w + j), w1 = load(d, w + j + step);
    a0 = hn::MulAdd(load(d, a + j), w0, a0);
    b0 = hn::MulAdd(load(d, b + j), w0, b0);
    c0 = hn::MulAdd(load(d, c + j), w0, c0);
    e0 = hn::MulAdd(load(d, e + j), w0, e0);
    a1 = hn::MulAdd(load(d, a + j + step), w1, a1);
    b1 = hn::MulAdd(load(d, b + j + step), w1, b1);
    c1 = hn::MulAdd(load(d, c + j + step), w1, c1);
    e1 = hn::MulAdd(load(d, e + j + step), w1, e1);
  }
  double sums[4] = {lane_sum<W>(hn::Add(a0, a1)), lane_sum<W>(hn::Add(b0, b1)), lane_sum<W>(hn::Add(c0, c1)),
                    lane_sum<W>(hn::Add(e0, e1))};
  for (; j < n; ++j) {
    const double wj = static_cast<double>(w[j]);
    sums[0] += static_cast<double>(a[j]) * wj;
    sums[1] += static_cast<double>(b[j]) * wj;
    sums[2] += static_cast<double>(c[j]) * wj;
    sums[3] += static_cast<double>(e[j]) * wj;
  }
  for (int r = 0; r < 4; ++r) out[r] += sums[r];
}

template <class X, class W>
void dot_rows(const X* const* rows, Index count, const W* w, Index n, double* out) {
  Index r = 0;
  for (; r + 4 <= count; r += 4) {
    for (int k = 0; k < 4; ++k) out[r + k] = 0;
    for (Index begin = 0; begin < n; begin += kBlock)
      dot_four(rows + r, begin, w + begin, n - begin < kBlock ? n - begin : kBlock, out + r);
  }
  for (; r < count; ++r) out[r] = dot(rows[r], w, n);
}

template <class X, class W>
void axpy(double a, const X* HWY_RESTRICT x, W* HWY_RESTRICT y, Index n) {
  const Tag<W> d;
  const Index step = lanes<W>();
  const W factor = static_cast<W>(a);
  const auto va = hn::Set(d, factor);
  Index j = 0;
  for (; j + 2 * step <= n; j += 2 * step) {
    hn::StoreU(hn::MulAdd(va, load(d, x + j), load(d, y + j)), d, y + j);
    hn::StoreU(hn::MulAdd(va, load(d, x + j + step), load(d, y + j + step)), d, y + j + step);
  }
  for (; j < n; ++j) y[j] += factor * static_cast<W>(x[j]);
}

template <class X, class W>
HWY_INLINE void axpy_four(const double* coefficients, const X* const* rows, W* HWY_RESTRICT y, Index n) {
  const Tag<W> d;
  const Index step = lanes<W>();
  const X *a = rows[0], *b = rows[1], *c = rows[2], *e = rows[3];
  const W fa = static_cast<W>(coefficients[0]), fb = static_cast<W>(coefficients[1]);
  const W fc = static_cast<W>(coefficients[2]), fe = static_cast<W>(coefficients[3]);
  const auto va = hn::Set(d, fa), vb = hn::Set(d, fb), vc = hn::Set(d, fc), ve = hn::Set(d, fe);
  Index j = 0;
  for (; j + step <= n; j += step) {
    const auto first = hn::MulAdd(va, load(d, a + j), load(d, y + j));
    const auto second = hn::MulAdd(vc, load(d, c + j), hn::Mul(vb, load(d, b + j)));
    hn::StoreU(hn::Add(hn::MulAdd(ve, load(d, e + j), first), second), d, y + j);
  }
  for (; j < n; ++j)
    y[j] +=
        fa * static_cast<W>(a[j]) + fb * static_cast<W>(b[j]) + fc * static_cast<W>(c[j]) + fe * static_cast<W>(e[j]);
}

template <class X, class W>
void axpy_rows(const double* coefficients, const X* const* rows, Index count, W* y, Index n) {
  Index r = 0;
  for (; r + 4 <= count; r += 4) axpy_four(coefficients + r, rows + r, y, n);
  for (; r < count; ++r) axpy(coefficients[r], rows[r], y, n);
}

template <class W>
void scale(double a, W* y, Index n) {
  const Tag<W> d;
  const Index step = lanes<W>();
  const W factor = static_cast<W>(a);
  const auto va = hn::Set(d, factor);
  Index j = 0;
  for (; j + step <= n; j += step) hn::StoreU(hn::Mul(va, load(d, y + j)), d, y + j);
  for (; j < n; ++j) y[j] *= factor;
}

template <class W>
void shrink_step(double shrink, double a, const W* HWY_RESTRICT g, W* HWY_RESTRICT w, Index n) {
  const Tag<W> d;
  const Index step = lanes<W>();
  const W keep = static_cast<W>(shrink), move = static_cast<W>(a);
  const auto vkeep = hn::Set(d, keep), vmove = hn::Set(d, move);
  Index j = 0;
  for (; j + step <= n; j += step)
    hn::StoreU(hn::Mul(vkeep, hn::NegMulAdd(vmove, load(d, g + j), load(d, w + j))), d, w + j);
  for (; j < n; ++j) w[j] = keep * (w[j] - move * g[j]);
}

template <class X, class W>
constexpr Operations<X, W> operations() {
  return {&dot<X, W>, &axpy<X, W>, &dot_rows<X, W>, &axpy_rows<X, W>};
}

const Table* table() {
  static constexpr Table kTable = {nullptr,
                                   operations<float, float>(),
                                   operations<double, double>(),
                                   operations<float, double>(),
                                   &scale<float>,
                                   &scale<double>,
                                   &shrink_step<float>,
                                   &shrink_step<double>};
  return &kTable;
}

const char* target_name() { return hwy::TargetName(HWY_TARGET); }

}  // namespace s3gd::kernel::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace s3gd::kernel {
namespace {

HWY_EXPORT(table);
HWY_EXPORT(target_name);

Table choose() {
  Table chosen = *HWY_DYNAMIC_DISPATCH(table)();
  chosen.name = HWY_DYNAMIC_DISPATCH(target_name)();
  return chosen;
}

const Table& active() {
  static const Table chosen = choose();
  return chosen;
}

}  // namespace

double dot(const float* x, const float* w, Index n) { return active().single.dot(x, w, n); }
double dot(const double* x, const double* w, Index n) { return active().twice.dot(x, w, n); }
double dot(const float* x, const double* w, Index n) { return active().mixed.dot(x, w, n); }

void axpy(double a, const float* x, float* y, Index n) { active().single.axpy(a, x, y, n); }
void axpy(double a, const double* x, double* y, Index n) { active().twice.axpy(a, x, y, n); }
void axpy(double a, const float* x, double* y, Index n) { active().mixed.axpy(a, x, y, n); }

void scale(double a, float* y, Index n) { active().scale_single(a, y, n); }
void scale(double a, double* y, Index n) { active().scale_twice(a, y, n); }

void dot_rows(const float* const* rows, Index count, const float* w, Index n, double* out) {
  active().single.dot_rows(rows, count, w, n, out);
}
void dot_rows(const double* const* rows, Index count, const double* w, Index n, double* out) {
  active().twice.dot_rows(rows, count, w, n, out);
}
void dot_rows(const float* const* rows, Index count, const double* w, Index n, double* out) {
  active().mixed.dot_rows(rows, count, w, n, out);
}

void axpy_rows(const double* coefficients, const float* const* rows, Index count, float* y, Index n) {
  active().single.axpy_rows(coefficients, rows, count, y, n);
}
void axpy_rows(const double* coefficients, const double* const* rows, Index count, double* y, Index n) {
  active().twice.axpy_rows(coefficients, rows, count, y, n);
}
void axpy_rows(const double* coefficients, const float* const* rows, Index count, double* y, Index n) {
  active().mixed.axpy_rows(coefficients, rows, count, y, n);
}

void shrink_step(double scale, double a, const float* g, float* w, Index n) {
  active().shrink_single(scale, a, g, w, n);
}
void shrink_step(double scale, double a, const double* g, double* w, Index n) {
  active().shrink_twice(scale, a, g, w, n);
}

const char* instruction_set() { return active().name; }

}  // namespace s3gd::kernel
#endif
