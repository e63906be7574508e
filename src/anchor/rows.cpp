#include "anchor/rows.hpp"

#include <bit>

#include "base/index.hpp"
#include "base/threads.hpp"
#include "s3gd/graph.hpp"

namespace s3gd {
namespace {

constexpr Index kRowsPerChunk = 1024;  // a unit of work for a thread

// One step of a running checksum: a bijection in each of its arguments.
std::uint64_t mix_checksum(std::uint64_t state, std::uint64_t word) {
  std::uint64_t z = (state ^ word) * 0x9e3779b97f4a7c15U;
  z = (z ^ (z >> 32)) * 0xd6e8feb86659fd93U;
  return z ^ (z >> 32);
}

template <class T>
using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

template <class T>
Bits<T> column_key(Index column) {
  return static_cast<Bits<T>>(mix_checksum(0x2545f4914f6cdd1dU, static_cast<std::uint64_t>(column)) | 1U);
}

// As an integer, with both zeros as 0. Comparing integers, not numbers, lets the compiler use vectors.
template <class T>
std::uint64_t value_bits(T value) {
  const auto bits = std::bit_cast<Bits<T>>(value);
  return bits == std::bit_cast<Bits<T>>(T(-0.0)) ? 0 : bits;
}

template <class View, class Key>
std::uint64_t row_sum(const View& x, Index i, Key&& key) {
  std::uint64_t sum = 0;
  for_each_entry(x, i, [&](Index j, auto value) { sum += value_bits(value) * std::uint64_t{key(j)}; });
  return sum;
}

template <class View>
std::uint64_t all_rows(const View& x, std::uint64_t state, int threads) {
  using T = typename View::Value;
  std::vector<Bits<T>> keys(at(x.cols));
  for (Index j = 0; j < x.cols; ++j) keys[at(j)] = column_key<T>(j);
  const auto* key_data = keys.data();
  std::vector<std::uint64_t> chunks(static_cast<std::size_t>((x.rows + kRowsPerChunk - 1) / kRowsPerChunk));
  parallel_ranges(x.rows, kRowsPerChunk, threads, [&](Index begin, Index end, Index chunk) {
    std::uint64_t sum = 0;
    for (Index i = begin; i < end; ++i)
      sum = mix_checksum(sum, row_sum(x, i, [key_data](Index j) { return key_data[j]; }));
    chunks[at(chunk)] = sum;
  });
  for (const auto chunk : chunks) state = mix_checksum(state, chunk);
  return state;
}

template <class T>
bool equal(const DenseView<T>& x, Index a, Index b) {
  return std::equal(x.row(a), x.row(a) + x.cols, x.row(b));
}

template <class T, class I>
bool equal(const CsrView<T, I>& x, Index a, Index b) {
  auto i = x.starts[a], j = x.starts[b];
  const auto i_end = x.starts[a + 1], j_end = x.starts[b + 1];
  for (;; ++i, ++j) {
    while (i < i_end && x.values[i] == T(0)) ++i;
    while (j < j_end && x.values[j] == T(0)) ++j;
    if (i == i_end || j == j_end) return i == i_end && j == j_end;
    if (x.columns[i] != x.columns[j] || x.values[i] != x.values[j]) return false;
  }
}

}  // namespace

double row_square(const Matrix& x, Index i) {
  return x.visit([&](const auto& view) { return row_square(view, i); });
}
void add_row(double a, const Matrix& x, Index i, double* out) {
  x.visit([&](const auto& view) { add_row(a, view, i, out); });
}
void expand_row(const Matrix& x, Index i, double* out) {
  x.visit([&](const auto& view) { expand_row(view, i, out); });
}

bool rows_equal(const Matrix& x, Index a, Index b) {
  return x.visit([&](const auto& view) { return equal(view, a, b); });
}

std::uint64_t row_checksum(const Matrix& x, Index i) {
  return x.visit(
      [&](const auto& view) { return row_sum(view, i, column_key<typename std::decay_t<decltype(view)>::Value>); });
}

std::uint64_t checksum(const Matrix& x, int threads) {
  std::uint64_t state = mix_checksum(static_cast<std::uint64_t>(x.rows()), static_cast<std::uint64_t>(x.cols()));
  state = mix_checksum(state, x.precision() == Precision::float32 ? 32 : 64);
  return x.visit([&](const auto& view) { return all_rows(view, state, threads); });
}

}  // namespace s3gd
