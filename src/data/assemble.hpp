// Matrices put together, from arrays that own their memory or row by row, and the arithmetic of sizes from a file.
#pragma once

#include <algorithm>
#include <limits>
#include <optional>

#include "base/buffer.hpp"
#include "base/index.hpp"
#include "base/threads.hpp"
#include "s3gd/error.hpp"

namespace s3gd {

// Empty when the product of two sizes does not fit into 64 bits, or either is negative.
inline std::optional<Index> product(Index a, Index b) {
  Index result = 0;
  if (a < 0 || b < 0 || __builtin_mul_overflow(a, b, &result)) return std::nullopt;
  return result;
}

// Throws when more memory is asked for than the machine has: an Error now rather than the system killing us later.
void require_memory(double bytes, const std::string& purpose);

inline bool fits_narrow_columns(Index cols) { return cols <= std::numeric_limits<std::int32_t>::max(); }

template <class T>
Matrix dense_matrix(const Array<T>& values, Index rows, Index cols) {
  return Matrix(DenseView<T>{values.data(), rows, cols, cols}, values.owner());
}

template <class T, class I>
Matrix csr_matrix(Array<T> values, Array<I> columns, Array<std::int64_t> starts, Index cols) {
  struct Parts {
    Array<T> values;
    Array<I> columns;
    Array<std::int64_t> starts;
  };
  const Index rows = starts.size() - 1;
  const CsrView<T, I> view{values.data(), columns.data(), starts.data(), rows, cols};
  return Matrix(view, std::make_shared<const Parts>(Parts{std::move(values), std::move(columns), std::move(starts)}));
}

// `count` zeros to be written over: pages of their own where they are so many that those are large ones, else from the heap:
// samples of rows are taken at every step, and new pages would cost more than filling them.
template <class T>
std::pair<T*, Array<T>> room_for(Index count) {
  if (count * static_cast<Index>(sizeof(T)) < 8 << 20) {
    const auto kept = std::make_shared<T[]>(at(count));
    return {kept.get(), Array<T>({kept.get(), at(count)}, kept)};
  }
  GrowBuffer<T> pages;
  pages.resize(count);
  Array<T> array = std::move(pages).finish();
  return {const_cast<T*>(array.data()), array};
}

template <class T, class V>
Array<T> converted(std::span<const V> from, int threads) {
  constexpr Index kEntriesPerChunk = 1 << 18;
  const auto [into, kept] = room_for<T>(std::ssize(from));
  parallel_ranges(std::ssize(from), kEntriesPerChunk, threads, [&, to = into](Index begin, Index end, Index) {
    std::copy(from.begin() + begin, from.begin() + end, to + begin);
  });
  return kept;
}

// A matrix of so many rows and columns, row after row, becomes one column after column.
template <class T>
void transpose(const T* from, Index rows, Index cols, T* to) {
  constexpr Index kTile = 32;  // a tile of both fits the first cache
  for (Index i0 = 0; i0 < rows; i0 += kTile)
    for (Index j0 = 0; j0 < cols; j0 += kTile)
      for (Index i = i0; i < std::min(rows, i0 + kTile); ++i)
        for (Index j = j0; j < std::min(cols, j0 + kTile); ++j) to[j * rows + i] = from[i * cols + j];
}

// Rows made in parallel. Dense: fill(i, its place). CSR: count(i) entries, then fill(i, values, columns).
inline constexpr Index kRowsPerChunk = 1024;
template <class T, class Fill>
Matrix make_dense(Index rows, Index cols, int threads, const Fill& fill) {
  const auto [values, kept] = room_for<T>(rows * cols);
  parallel_ranges(rows, kRowsPerChunk, threads, [&, to = values](Index begin, Index end, Index) {
    for (Index i = begin; i < end; ++i) fill(i, to + i * cols);
  });
  return dense_matrix(kept, rows, cols);
}
template <class T, class I, class Count, class Fill>
Matrix make_csr(Index rows, Index cols, int threads, const Count& count, const Fill& fill) {
  const auto [starts, kept_starts] = room_for<std::int64_t>(rows + 1);
  for (Index i = 0; i < rows; ++i) starts[i + 1] = starts[i] + count(i);
  const auto [values, kept_values] = room_for<T>(starts[rows]);
  const auto [columns, kept_columns] = room_for<I>(starts[rows]);
  parallel_ranges(rows, kRowsPerChunk, threads,
                  [&, s = starts, v = values, c = columns](Index begin, Index end, Index) {
                    for (Index i = begin; i < end; ++i) fill(i, v + s[i], c + s[i]);
                  });
  return csr_matrix(kept_values, kept_columns, kept_starts, cols);
}

// One Part for each column, gathered by row(view, i, parts) over all rows. Every chunk of rows has a full set of its own,
// so their number is kept low for wide data; it depends on the shape alone, and chunks are merged in order.
template <class Part, class Row, class Merge>
std::vector<Part> per_column(const Matrix& x, int threads, const Row& row, const Merge& merge) {
  const Index most_chunks = std::clamp<Index>((Index{1} << 24) / std::max<Index>(x.cols(), 1), 1, 16);
  const Index chunk_rows = std::max(kRowsPerChunk, (x.rows() + most_chunks - 1) / most_chunks);
  std::vector<std::vector<Part>> parts(at((x.rows() + chunk_rows - 1) / chunk_rows));
  parallel_ranges(x.rows(), chunk_rows, threads, [&](Index begin, Index end, Index chunk) {
    std::vector<Part> part(at(x.cols()));
    x.visit([&](const auto& view) {
      for (Index i = begin; i < end; ++i) row(view, i, part.data());
    });
    parts[at(chunk)] = std::move(part);
  });
  std::vector<Part> total(at(x.cols()));
  for (const auto& part : parts)
    for (std::size_t j = 0; j < total.size(); ++j) merge(total[j], part[j]);
  return total;
}

}  // namespace s3gd
