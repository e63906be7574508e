#include "anchor/rows.hpp"

#include "base/threads.hpp"

namespace s3gd {
namespace {

constexpr Index kRowsPerChunk = 512;

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

template <class T>
Matrix gather(const DenseView<T>& x, std::span<const Index> rows, int threads) {
  const auto count = static_cast<Index>(rows.size());
  std::vector<T> values(rows.size() * static_cast<std::size_t>(x.cols));
  parallel_ranges(count, kRowsPerChunk, threads, [&](Index begin, Index end, Index) {
    for (Index r = begin; r < end; ++r)
      std::copy_n(x.row(rows[static_cast<std::size_t>(r)]), x.cols, values.data() + r * x.cols);
  });
  return Matrix::own_dense(std::move(values), count, x.cols);
}

template <class T, class I>
Matrix gather(const CsrView<T, I>& x, std::span<const Index> rows, int threads) {
  std::vector<std::int64_t> starts(rows.size() + 1, 0);
  for (std::size_t r = 0; r < rows.size(); ++r) starts[r + 1] = starts[r] + x.row_nonzeros(rows[r]);
  std::vector<T> values(static_cast<std::size_t>(starts.back()));
  std::vector<I> columns(values.size());
  parallel_ranges(static_cast<Index>(rows.size()), kRowsPerChunk, threads, [&](Index begin, Index end, Index) {
    for (auto r = static_cast<std::size_t>(begin); r < static_cast<std::size_t>(end); ++r) {
      const auto from = x.starts[rows[r]];
      std::copy_n(x.values + from, x.row_nonzeros(rows[r]), values.data() + starts[r]);
      std::copy_n(x.columns + from, x.row_nonzeros(rows[r]), columns.data() + starts[r]);
    }
  });
  return Matrix::own_csr(std::move(values), std::move(columns), std::move(starts), x.cols);
}

}  // namespace

bool rows_equal(const Matrix& x, Index a, Index b) {
  return x.visit([&](const auto& view) { return equal(view, a, b); });
}

Matrix gather_rows(const Matrix& x, std::span<const Index> rows, int threads) {
  return x.visit([&](const auto& view) { return gather(view, rows, threads); });
}

}  // namespace s3gd
