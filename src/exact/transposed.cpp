#include "exact/transposed.hpp"

#include <cstdint>
#include <limits>

#include "base/index.hpp"
#include "base/threads.hpp"
#include "kernel/kernel.hpp"

namespace s3gd {
namespace {

constexpr Index kColumnsPerChunk = 512;

template <class T, class I>
Matrix transpose(const CsrView<T, I>& x) {
  std::vector<std::int64_t> starts(at(x.cols + 1), 0);
  for (auto k = x.starts[0]; k < x.starts[x.rows]; ++k) ++starts[at(static_cast<Index>(x.columns[k]) + 1)];
  for (Index j = 0; j < x.cols; ++j) starts[at(j + 1)] += starts[at(j)];
  std::vector<std::int64_t> next(starts.begin(), starts.end() - 1);
  std::vector<T> values(at(starts.back()));
  std::vector<std::int32_t> rows(values.size());
  for (Index i = 0; i < x.rows; ++i)
    for (auto k = x.starts[i]; k < x.starts[i + 1]; ++k) {
      const auto to = at(next[at(static_cast<Index>(x.columns[k]))]++);
      values[to] = x.values[k];
      rows[to] = static_cast<std::int32_t>(i);
    }
  return Matrix::own_csr(std::move(values), std::move(rows), std::move(starts), x.rows);
}

template <class T, class I>
Matrix gather(const CsrView<T, I>& columns, std::span<const Index> chosen, Index rows) {
  std::vector<std::int64_t> starts(at(rows + 1), 0);
  for (const Index j : chosen)
    for (auto k = columns.starts[j]; k < columns.starts[j + 1]; ++k)
      ++starts[at(static_cast<Index>(columns.columns[k]) + 1)];
  for (Index i = 0; i < rows; ++i) starts[at(i + 1)] += starts[at(i)];
  std::vector<std::int64_t> next(starts.begin(), starts.end() - 1);
  std::vector<T> values(at(starts.back()));
  std::vector<std::int32_t> places(values.size());
  for (std::size_t c = 0; c < chosen.size(); ++c)
    for (auto k = columns.starts[chosen[c]]; k < columns.starts[chosen[c] + 1]; ++k) {
      const auto to = at(next[at(static_cast<Index>(columns.columns[k]))]++);
      values[to] = columns.values[k];
      places[to] = static_cast<std::int32_t>(c);
    }
  return Matrix::own_csr(std::move(values), std::move(places), std::move(starts), static_cast<Index>(chosen.size()));
}

}  // namespace

std::optional<Transposed> Transposed::of(const Matrix& x, Index most) {
  const Index entry = 4 + (x.precision() == Precision::float32 ? 4 : 8);
  const bool fits = x.stored() <= most / entry && x.rows() <= std::numeric_limits<std::int32_t>::max();
  if (x.is_dense() || !fits) return std::nullopt;
  Matrix columns = x.visit([](const auto& view) {
    if constexpr (requires { view.starts; })
      return transpose(view);
    else
      return Matrix();
  });
  return Transposed(std::move(columns), x.rows());
}

Index Transposed::stored_in(std::span<const Index> columns) const {
  return visit([&](const auto& view) {
    Index sum = 0;
    for (const Index j : columns) sum += view.row_nonzeros(j);
    return sum;
  });
}

void Transposed::times(std::span<const double> c, std::span<double> out, int threads) const {
  visit([&](const auto& view) {
    parallel_ranges(view.rows, kColumnsPerChunk, threads, [&](Index begin, Index end, Index) {
      for (Index j = begin; j < end; ++j) {
        const auto start = view.starts[j];
        out[at(j)] = kernel::sparse_dot(view.values + start, view.columns + start, view.row_nonzeros(j), c.data());
      }
    });
  });
}

Matrix Transposed::rows_of(std::span<const Index> columns) const {
  return visit([&](const auto& view) { return gather(view, columns, rows_); });
}

}  // namespace s3gd
