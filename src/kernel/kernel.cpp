// Compiled once for each instruction set (foreach_target.h includes this file again and again); the best of them for
// the machine at hand is chosen on first use, as a table of function pointers. What lies between SSE2 and AVX2 would
// only double the time that takes: nothing here is faster with it.
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4)
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

template <class W>
struct VectorOperations {
  void (*scale)(double, W*, Index);
  double (*distance)(const W*, const W*, Index);
  void (*gather)(const W*, const std::int32_t*, Index, const W*, Index, W*);
  void (*gather_wide)(const W*, const std::int64_t*, Index, const W*, Index, W*);
  Index (*nonzeros)(const W*, Index, std::int32_t*, W*);
};

struct Table {
  const char* name;
  Operations<float, float> single;
  Operations<double, double> twice;
  Operations<float, double> mixed;
  VectorOperations<float> single_vectors;
  VectorOperations<double> twice_vectors;
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

// In double whatever the rows hold.
template <class X>
double squared_distance(const X* x, const X* z, Index n) {
  const Tag<double> d;
  const Index step = lanes<double>();
  auto even = hn::Zero(d), odd = even;  // two chains, so that the additions overlap
  Index j = 0;
  for (; j + 2 * step <= n; j += 2 * step) {
    const auto a = hn::Sub(load(d, x + j), load(d, z + j));
    const auto b = hn::Sub(load(d, x + j + step), load(d, z + j + step));
    even = hn::MulAdd(a, a, even);
    odd = hn::MulAdd(b, b, odd);
  }
  double sum = lane_sum<double>(hn::Add(even, odd));
  for (; j < n; ++j) {
    const double difference = static_cast<double>(x[j]) - static_cast<double>(z[j]);
    sum += difference * difference;
  }
  return sum;
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
template <class W>
constexpr VectorOperations<W> vector_operations() {
  return {&scale<W>, &squared_distance<W>, &gather_rows<W, std::int32_t>, &gather_rows<W, std::int64_t>,
          &find_nonzeros<W>};
}

Table table() {
  return {hwy::TargetName(HWY_TARGET), operations<float, float>(), operations<double, double>(),
          operations<float, double>(), vector_operations<float>(), vector_operations<double>()};
}

}  // namespace s3gd::kernel::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace s3gd::kernel {

HWY_EXPORT(table);

static const Table& active() {
  static const Table chosen = HWY_DYNAMIC_DISPATCH(table)();
  return chosen;
}

// clang-format off
#define S3GD_OPERATIONS(X, W, part)                                                                         \
  template <> double dot(const X* x, const W* w, Index n) { return active().part.dot(x, w, n); }            \
  template <> void axpy(double a, const X* x, W* y, Index n) { active().part.axpy(a, x, y, n); }            \
  template <> void dot_rows(const X* const* rows, Index count, const W* w, Index n, double* out) {          \
    active().part.dot_rows(rows, count, w, n, out);                                                         \
  }                                                                                                         \
  template <> void axpy_rows(const double* coefficients, const X* const* rows, Index count, W* y, Index n) { \
    active().part.axpy_rows(coefficients, rows, count, y, n);                                               \
  }
#define S3GD_VECTOR_OPERATIONS(W, part)                                                                     \
  template <> void scale(double a, W* y, Index n) { active().part.scale(a, y, n); }                         \
  template <> double squared_distance(const W* x, const W* z, Index n) { return active().part.distance(x, z, n); } \
  template <> void gather_rows(const W* v, const std::int32_t* places, Index count, const W* table, Index n, W* y) { \
    active().part.gather(v, places, count, table, n, y);                                                    \
  }                                                                                                         \
  template <> void gather_rows(const W* v, const std::int64_t* places, Index count, const W* table, Index n, W* y) { \
    active().part.gather_wide(v, places, count, table, n, y);                                               \
  }                                                                                                         \
  template <> Index find_nonzeros(const W* row, Index n, std::int32_t* places, W* values) {                 \
    return active().part.nonzeros(row, n, places, values);                                                  \
  }
// clang-format on
S3GD_OPERATIONS(float, float, single)
S3GD_OPERATIONS(double, double, twice)
S3GD_OPERATIONS(float, double, mixed)
S3GD_VECTOR_OPERATIONS(float, single_vectors)
S3GD_VECTOR_OPERATIONS(double, twice_vectors)

const char* instruction_set() { return active().name; }

}  // namespace s3gd::kernel
#endif
