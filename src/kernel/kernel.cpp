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
  void (*gather_single)(const float*, const std::int32_t*, Index, const float*, Index, float*);
  void (*gather_single_wide)(const float*, const std::int64_t*, Index, const float*, Index, float*);
  void (*gather_twice)(const double*, const std::int32_t*, Index, const double*, Index, double*);
  void (*gather_twice_wide)(const double*, const std::int64_t*, Index, const double*, Index, double*);
  Index (*nonzeros_single)(const float*, Index, std::int32_t*, float*);
  Index (*nonzeros_twice)(const double*, Index, std::int32_t*, double*);
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

// The first `count` lanes, zeros behind them: the end of a row without a scalar loop.
template <class W>
HWY_INLINE auto load_some(Tag<W> d, const W* p, Index count) {
  return hn::MaskedLoad(hn::FirstN(d, static_cast<std::size_t>(count)), d, p);
}
HWY_INLINE auto load_some(Tag<double> d, const float* p, Index count) {
  const hn::Rebind<float, Tag<double>> narrow;
  return hn::PromoteTo(d, hn::MaskedLoad(hn::FirstN(narrow, static_cast<std::size_t>(count)), narrow, p));
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

// The first lines of the next four rows: the hardware follows a row once it has begun, but each begins anew.
template <class X>
HWY_INLINE void prefetch_four(const X* const* rows) {
  for (int r = 0; r < 4; ++r)
    for (int line = 0; line < 4; ++line) __builtin_prefetch(reinterpret_cast<const char*>(rows[r]) + 64 * line);
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
  for (; j < n; j += step) {
    const Index left = n - j < step ? n - j : step;
    const auto w0 = load_some(d, w + j, left);
    a0 = hn::MulAdd(load_some(d, a + j, left), w0, a0);
    b0 = hn::MulAdd(load_some(d, b + j, left), w0, b0);
    c0 = hn::MulAdd(load_some(d, c + j, left), w0, c0);
    e0 = hn::MulAdd(load_some(d, e + j, left), w0, e0);
  }
  const double sums[4] = {lane_sum<W>(hn::Add(a0, a1)), lane_sum<W>(hn::Add(b0, b1)), lane_sum<W>(hn::Add(c0, c1)),
                          lane_sum<W>(hn::Add(e0, e1))};
  for (int r = 0; r < 4; ++r) out[r] += sums[r];
}

template <class X, class W>
void dot_rows(const X* const* rows, Index count, const W* w, Index n, double* out) {
  Index r = 0;
  for (; r + 4 <= count; r += 4) {
    if (r + 8 <= count) prefetch_four(rows + r + 4);
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
  if (j == n) return;
  const Index left = n - j;
  const auto first = hn::MulAdd(va, load_some(d, a + j, left), load_some(d, y + j, left));
  const auto second = hn::MulAdd(vc, load_some(d, c + j, left), hn::Mul(vb, load_some(d, b + j, left)));
  hn::BlendedStore(hn::Add(hn::MulAdd(ve, load_some(d, e + j, left), first), second),
                   hn::FirstN(d, static_cast<std::size_t>(left)), d, y + j);
}

template <class X, class W>
void axpy_rows(const double* coefficients, const X* const* rows, Index count, W* y, Index n) {
  Index r = 0;
  for (; r + 4 <= count; r += 4) {
    if (r + 8 <= count) prefetch_four(rows + r + 4);
    axpy_four(coefficients + r, rows + r, y, n);
  }
  for (; r < count; ++r) axpy(coefficients[r], rows[r], y, n);
}

// y[at .. at + 6 vectors) = sum_k values[k] * (row places[k] of the table), the sums kept in registers.
template <class D, class W, class I>
HWY_INLINE void gather_tile(D d, const W* values, const I* places, Index count, const W* table, Index n, Index at,
                            W* y) {
  const auto step = static_cast<Index>(hn::Lanes(d));
  auto s0 = hn::Zero(d), s1 = s0, s2 = s0, s3 = s0, s4 = s0, s5 = s0;
  for (Index k = 0; k < count; ++k) {
    const auto c = hn::Set(d, values[k]);
    const W* x = table + static_cast<Index>(places[k]) * n + at;
    s0 = hn::MulAdd(c, hn::LoadU(d, x), s0);
    s1 = hn::MulAdd(c, hn::LoadU(d, x + step), s1);
    s2 = hn::MulAdd(c, hn::LoadU(d, x + 2 * step), s2);
    s3 = hn::MulAdd(c, hn::LoadU(d, x + 3 * step), s3);
    s4 = hn::MulAdd(c, hn::LoadU(d, x + 4 * step), s4);
    s5 = hn::MulAdd(c, hn::LoadU(d, x + 5 * step), s5);
  }
  hn::StoreU(s0, d, y + at);
  hn::StoreU(s1, d, y + at + step);
  hn::StoreU(s2, d, y + at + 2 * step);
  hn::StoreU(s3, d, y + at + 3 * step);
  hn::StoreU(s4, d, y + at + 4 * step);
  hn::StoreU(s5, d, y + at + 5 * step);
}

// The same for one vector: four chains over the rows, since a single one would wait for every addition.
template <class D, class W, class I>
HWY_INLINE void gather_vector(D d, const W* values, const I* places, Index count, const W* table, Index n, Index at,
                              W* y) {
  const auto entry = [&](Index k) { return hn::LoadU(d, table + static_cast<Index>(places[k]) * n + at); };
  auto s0 = hn::Zero(d), s1 = s0, s2 = s0, s3 = s0;
  Index k = 0;
  for (; k + 4 <= count; k += 4) {
    s0 = hn::MulAdd(hn::Set(d, values[k]), entry(k), s0);
    s1 = hn::MulAdd(hn::Set(d, values[k + 1]), entry(k + 1), s1);
    s2 = hn::MulAdd(hn::Set(d, values[k + 2]), entry(k + 2), s2);
    s3 = hn::MulAdd(hn::Set(d, values[k + 3]), entry(k + 3), s3);
  }
  for (; k < count; ++k) s0 = hn::MulAdd(hn::Set(d, values[k]), entry(k), s0);
  hn::StoreU(hn::Add(hn::Add(s0, s1), hn::Add(s2, s3)), d, y + at);
}

template <class W, class I>
void gather_rows(const W* values, const I* places, Index count, const W* table, Index n, W* y) {
  const Tag<W> d;
  const hn::CappedTag<W, 4> narrow;
  const Index step = lanes<W>(), narrow_step = static_cast<Index>(hn::Lanes(narrow));
  Index j = 0;
  for (; j + 6 * step <= n; j += 6 * step) gather_tile(d, values, places, count, table, n, j, y);
  for (; j + step <= n; j += step) gather_vector(d, values, places, count, table, n, j, y);
  for (; j + narrow_step <= n; j += narrow_step) gather_vector(narrow, values, places, count, table, n, j, y);
  for (; j < n; ++j) {
    W sum = 0;
    for (Index k = 0; k < count; ++k) sum += values[k] * table[static_cast<Index>(places[k]) * n + j];
    y[j] = sum;
  }
}

template <class W>
Index find_nonzeros(const W* row, Index n, std::int32_t* places, W* values) {
  const Tag<W> d;
  const Index step = lanes<W>();
  Index count = 0, j = 0;
  for (; j + step <= n; j += step) {
    std::uint64_t bits = 0;
    hn::StoreMaskBits(d, hn::Ne(hn::LoadU(d, row + j), hn::Zero(d)), reinterpret_cast<std::uint8_t*>(&bits));
    for (; bits != 0; bits &= bits - 1) {
      const Index place = j + static_cast<Index>(hwy::Num0BitsBelowLS1Bit_Nonzero64(bits));
      places[count] = static_cast<std::int32_t>(place);
      values[count++] = row[place];
    }
  }
  for (; j < n; ++j) {
    if (row[j] == W(0)) continue;
    places[count] = static_cast<std::int32_t>(j);
    values[count++] = row[j];
  }
  return count;
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
                                   &gather_rows<float, std::int32_t>,
                                   &gather_rows<float, std::int64_t>,
                                   &gather_rows<double, std::int32_t>,
                                   &gather_rows<double, std::int64_t>,
                                   &find_nonzeros<float>,
                                   &find_nonzeros<double>};
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

void gather_rows(const float* values, const std::int32_t* places, Index count, const float* table, Index n, float* y) {
  active().gather_single(values, places, count, table, n, y);
}
void gather_rows(const float* values, const std::int64_t* places, Index count, const float* table, Index n, float* y) {
  active().gather_single_wide(values, places, count, table, n, y);
}
void gather_rows(const double* values, const std::int32_t* places, Index count, const double* table, Index n,
                 double* y) {
  active().gather_twice(values, places, count, table, n, y);
}
void gather_rows(const double* values, const std::int64_t* places, Index count, const double* table, Index n,
                 double* y) {
  active().gather_twice_wide(values, places, count, table, n, y);
}

Index find_nonzeros(const float* row, Index n, std::int32_t* places, float* values) {
  return active().nonzeros_single(row, n, places, values);
}
Index find_nonzeros(const double* row, Index n, std::int32_t* places, double* values) {
  return active().nonzeros_twice(row, n, places, values);
}

const char* instruction_set() { return active().name; }

}  // namespace s3gd::kernel
#endif
