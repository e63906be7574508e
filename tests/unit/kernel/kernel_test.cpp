#include "kernel/kernel.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <vector>

#include "base/random.hpp"

namespace s3gd {
namespace {

// The pairs (type of rows, type of vector) the kernels are written for.
template <class X, class W>
struct Pair {
  using Row = X;
  using Vector = W;
};
template <class P>
class Kernel : public testing::Test {};
using Pairs = testing::Types<Pair<float, float>, Pair<double, double>, Pair<float, double>>;
TYPED_TEST_SUITE(Kernel, Pairs);

std::vector<Index> lengths() {
  std::vector<Index> all;
  for (Index n = 0; n <= 70; ++n) all.push_back(n);
  for (const Index n : {127, 784, 785, 8191, 8192, 8193, 20001}) all.push_back(n);
  return all;
}

template <class T>
std::vector<T> random_values(Index count, Rng& rng) {
  std::vector<T> values(static_cast<std::size_t>(count));
  for (auto& v : values) v = static_cast<T>(rng.normal());
  return values;
}

// What rounding allows when n products of size about 1 are added up in W.
template <class W>
double allowance(Index n) {
  return 4.0 * std::numeric_limits<W>::epsilon() * std::sqrt(static_cast<double>(n) + 1.0) * 4.0;
}

template <class X, class W>
double naive_dot(const X* x, const W* w, Index n) {
  long double sum = 0;
  for (Index j = 0; j < n; ++j) sum += static_cast<long double>(x[j]) * static_cast<long double>(w[j]);
  return static_cast<double>(sum);
}

TYPED_TEST(Kernel, DotEqualsTheNaiveLoopAtEveryLengthAndOffset) {
  using X = typename TypeParam::Row;
  using W = typename TypeParam::Vector;
  Rng rng(1);
  for (const Index n : lengths())
    for (const Index offset : {0, 1, 3}) {
      const auto x = random_values<X>(n + offset, rng);
      const auto w = random_values<W>(n + 1, rng);
      EXPECT_NEAR(kernel::dot(x.data() + offset, w.data() + 1, n), naive_dot(x.data() + offset, w.data() + 1, n),
                  allowance<W>(n))
          << "n = " << n;
    }
}

TYPED_TEST(Kernel, DotRowsEqualsADotForEachRow) {
  using X = typename TypeParam::Row;
  using W = typename TypeParam::Vector;
  Rng rng(2);
  for (const Index n : lengths())
    for (const Index count : {0, 1, 3, 4, 5, 9}) {
      const auto block = random_values<X>(count * (n + 1) + 1, rng);
      const auto w = random_values<W>(n, rng);
      std::vector<const X*> rows;
      for (Index r = 0; r < count; ++r) rows.push_back(block.data() + 1 + r * (n + 1));
      std::vector<double> out(static_cast<std::size_t>(count) + 1, -7.0);
      kernel::dot_rows(rows.data(), count, w.data(), n, out.data());
      for (Index r = 0; r < count; ++r)
        EXPECT_NEAR(out[static_cast<std::size_t>(r)], naive_dot(rows[static_cast<std::size_t>(r)], w.data(), n),
                    allowance<W>(n));
      EXPECT_EQ(out.back(), -7.0) << "wrote past the last row";
    }
}

TYPED_TEST(Kernel, AxpyRowsAddsEveryRowAndTouchesNothingElse) {
  using X = typename TypeParam::Row;
  using W = typename TypeParam::Vector;
  Rng rng(3);
  for (const Index n : lengths())
    for (const Index count : {1, 2, 4, 7}) {
      const auto block = random_values<X>(count * n + 1, rng);
      auto y = random_values<W>(n + 2, rng);
      const auto before = y;
      std::vector<const X*> rows;
      std::vector<double> coefficients;
      for (Index r = 0; r < count; ++r) {
        rows.push_back(block.data() + 1 + r * n);
        coefficients.push_back(rng.normal());
      }
      kernel::axpy_rows(coefficients.data(), rows.data(), count, y.data() + 1, n);
      EXPECT_EQ(y.front(), before.front());
      EXPECT_EQ(y.back(), before.back());
      for (Index j = 0; j < n; ++j) {
        double expected = before[static_cast<std::size_t>(j + 1)];
        for (std::size_t r = 0; r < rows.size(); ++r) expected += coefficients[r] * static_cast<double>(rows[r][j]);
        ASSERT_NEAR(y[static_cast<std::size_t>(j + 1)], expected, 40 * std::numeric_limits<W>::epsilon());
      }
    }
}

TYPED_TEST(Kernel, AxpyEqualsTheNaiveLoop) {
  using X = typename TypeParam::Row;
  using W = typename TypeParam::Vector;
  Rng rng(4);
  for (const Index n : lengths()) {
    const auto x = random_values<X>(n + 1, rng);
    auto y = random_values<W>(n + 2, rng);
    const auto before = y;
    kernel::axpy(-0.75, x.data() + 1, y.data() + 1, n);
    EXPECT_EQ(y.front(), before.front());
    EXPECT_EQ(y.back(), before.back());
    for (std::size_t j = 1; j <= static_cast<std::size_t>(n); ++j)
      ASSERT_NEAR(y[j], before[j] - 0.75 * static_cast<double>(x[j]), 8 * std::numeric_limits<W>::epsilon());
  }
}

TYPED_TEST(Kernel, ScaleEqualsTheNaiveLoop) {
  using W = typename TypeParam::Vector;
  Rng rng(5);
  for (const Index n : lengths()) {
    const auto start = random_values<W>(n + 2, rng);
    auto scaled = start;
    kernel::scale(0.3, scaled.data() + 1, n);
    EXPECT_EQ(scaled.front(), start.front());
    EXPECT_EQ(scaled.back(), start.back());
    for (std::size_t j = 1; j <= static_cast<std::size_t>(n); ++j)
      ASSERT_NEAR(scaled[j], 0.3 * start[j], 8 * std::numeric_limits<W>::epsilon());
  }
}

template <class W, class I>
void check_gather(Rng& rng, Index n, Index count) {
  constexpr Index kTableRows = 20;
  const auto table = random_values<W>(kTableRows * n + 1, rng);
  const auto values = random_values<W>(count, rng);
  std::vector<I> places;
  for (Index k = 0; k < count; ++k) places.push_back(static_cast<I>(rng.below(kTableRows)));
  auto y = random_values<W>(n + 2, rng);
  const auto before = y;
  kernel::gather_rows(values.data(), places.data(), count, table.data() + 1, n, y.data() + 1);
  EXPECT_EQ(y.front(), before.front());
  EXPECT_EQ(y.back(), before.back());
  for (Index j = 0; j < n; ++j) {
    double expected = 0;
    for (std::size_t k = 0; k < places.size(); ++k)
      expected += static_cast<double>(values[k]) *
                  static_cast<double>(table[static_cast<std::size_t>(1 + static_cast<Index>(places[k]) * n + j)]);
    ASSERT_NEAR(y[static_cast<std::size_t>(j + 1)], expected, 100 * std::numeric_limits<W>::epsilon());
  }
}

TYPED_TEST(Kernel, GatherRowsOverwritesWithTheSumOfTheChosenRows) {
  using W = typename TypeParam::Vector;
  Rng rng(7);
  for (const Index n : lengths())
    for (const Index count : {0, 1, 5, 30}) {
      check_gather<W, std::int32_t>(rng, n, count);
      check_gather<W, std::int64_t>(rng, n, count);
    }
}

TYPED_TEST(Kernel, FindNonzerosListsThemInOrder) {
  using W = typename TypeParam::Vector;
  Rng rng(8);
  for (const Index n : lengths()) {
    auto row = random_values<W>(n + 1, rng);
    for (auto& value : row)
      if (rng.uniform() < 0.6) value = rng.uniform() < 0.5 ? W(0) : -W(0);
    std::vector<std::int32_t> places(static_cast<std::size_t>(n) + 1, -7);
    std::vector<W> values(places.size(), W(-7));
    const Index count = kernel::find_nonzeros(row.data() + 1, n, places.data(), values.data());
    Index expected = 0;
    for (Index j = 0; j < n; ++j) {
      if (row[static_cast<std::size_t>(j + 1)] == W(0)) continue;
      ASSERT_EQ(places[static_cast<std::size_t>(expected)], j);
      ASSERT_EQ(values[static_cast<std::size_t>(expected)], row[static_cast<std::size_t>(j + 1)]);
      ++expected;
    }
    EXPECT_EQ(count, expected);
  }
}

TEST(SparseKernel, DotAndAxpyEqualTheDenseRow) {
  Rng rng(6);
  for (Index count = 0; count <= 9; ++count) {
    std::vector<double> dense(40, 0.0), w(40), values;
    std::vector<std::int32_t> columns;
    for (auto& v : w) v = rng.normal();
    for (Index k = 0; k < count; ++k) {
      columns.push_back(static_cast<std::int32_t>(4 * k + 1));
      values.push_back(rng.normal());
      dense[static_cast<std::size_t>(columns.back())] = values.back();
    }
    EXPECT_NEAR(kernel::sparse_dot(values.data(), columns.data(), count, w.data()),
                naive_dot(dense.data(), w.data(), 40), 1e-14);
    auto expected = w;
    for (std::size_t j = 0; j < 40; ++j) expected[j] += 0.5 * dense[j];
    kernel::sparse_axpy(0.5, values.data(), columns.data(), count, w.data());
    for (std::size_t j = 0; j < 40; ++j) EXPECT_DOUBLE_EQ(w[j], expected[j]);
  }
}

TEST(Kernel, LongFloatSumsStayAccurate) {
  const std::vector<float> ones(10'000'000, 0.1F), w(10'000'000, 1.0F);
  const double sum = kernel::dot(ones.data(), w.data(), 10'000'000);
  // A float lane takes at most 8192 / 16 terms before it is added up in double: 512 roundings of 2^-24 each.
  EXPECT_NEAR(sum, 1e7 * static_cast<double>(0.1F), 1e6 * 512 * 0x1p-24);
}

TEST(Kernel, TheInstructionSetHasAName) { EXPECT_GT(std::strlen(kernel::instruction_set()), 0U); }

}  // namespace
}  // namespace s3gd
