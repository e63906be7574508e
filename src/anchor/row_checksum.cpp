#include "anchor/row_checksum.hpp"

#include <bit>
#include <type_traits>
#include <vector>

#include "anchor/rows.hpp"
#include "base/threads.hpp"
#include "s3gd/graph.hpp"

namespace s3gd {
namespace {

constexpr Index kRowsPerChunk = 1024;

// One step of a running checksum: a bijection in each of its arguments.
std::uint64_t mix_checksum(std::uint64_t state, std::uint64_t word) {
  std::uint64_t z = (state ^ word) * 0x9e3779b97f4a7c15U;
  z = (z ^ (z >> 32)) * 0xd6e8feb86659fd93U;
  return z ^ (z >> 32);
}

std::uint64_t column_key(Index column) {
  return mix_checksum(0x2545f4914f6cdd1dU, static_cast<std::uint64_t>(column)) | 1U;
}

template <class T>
std::uint64_t value_bits(T value) {
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  return value == T(0) ? 0 : std::uint64_t{std::bit_cast<Bits>(value)};
}

template <class T, class Key>
std::uint64_t row_sum(const DenseView<T>& x, Index i, Key&& key) {
  const T* row = x.row(i);
  std::uint64_t sum = 0;
  for (Index j = 0; j < x.cols; ++j) sum += value_bits(row[j]) * key(j);
  return sum;
}

template <class T, class I, class Key>
std::uint64_t row_sum(const CsrView<T, I>& x, Index i, Key&& key) {
  std::uint64_t sum = 0;
  for (auto k = x.starts[i]; k < x.starts[i + 1]; ++k)
    sum += value_bits(x.values[k]) * key(static_cast<Index>(x.columns[k]));
  return sum;
}

template <class View>
std::uint64_t all_rows(const View& x, std::uint64_t state, int threads) {
  std::vector<std::uint64_t> keys(static_cast<std::size_t>(x.cols));
  for (Index j = 0; j < x.cols; ++j) keys[static_cast<std::size_t>(j)] = column_key(j);
  const auto* key_data = keys.data();
  std::vector<std::uint64_t> chunks(static_cast<std::size_t>((x.rows + kRowsPerChunk - 1) / kRowsPerChunk));
  parallel_ranges(x.rows, kRowsPerChunk, threads, [&](Index begin, Index end, Index chunk) {
    std::uint64_t sum = 0;
    for (Index i = begin; i < end; ++i)
      sum = mix_checksum(sum, row_sum(x, i, [key_data](Index j) { return key_data[j]; }));
    chunks[static_cast<std::size_t>(chunk)] = sum;
  });
  for (const auto chunk : chunks) state = mix_checksum(state, chunk);
  return state;
}

}  // namespace

std::uint64_t row_checksum(const Matrix& x, Index i) {
  return x.visit([&](const auto& view) { return row_sum(view, i, column_key); });
}

std::uint64_t checksum(const Matrix& x, int threads) {
  std::uint64_t state = mix_checksum(static_cast<std::uint64_t>(x.rows()), static_cast<std::uint64_t>(x.cols()));
  state = mix_checksum(state, x.precision() == Precision::float32 ? 32 : 64);
  return x.visit([&](const auto& view) { return all_rows(view, state, threads); });
}

}  // namespace s3gd
