#include "data/convert.hpp"

#include <algorithm>
#include <numeric>
#include <type_traits>
#include <vector>

#include "base/buffer.hpp"
#include "base/memory.hpp"
#include "base/mention.hpp"
#include "base/threads.hpp"
#include "data/assemble.hpp"
#include "kernel/kernel.hpp"

namespace s3gd {
namespace {

constexpr Index kRowsPerChunk = 1024;
constexpr Index kEntriesPerChunk = 1 << 18;

template <class View>
constexpr bool kDense = requires(View view) { view.stride; };

// Non-zero entries of each row.
template <class View>
std::vector<Index> row_nonzeros(const View& view, int threads) {
  std::vector<Index> counts(static_cast<std::size_t>(view.rows));
  parallel_ranges(view.rows, kRowsPerChunk, threads, [&](Index begin, Index end, Index) {
    for (Index i = begin; i < end; ++i) {
      const typename View::Value* values;
      Index size;
      if constexpr (kDense<View>) {
        values = view.row(i);
        size = view.cols;
      } else {
        values = view.values + view.starts[i];
        size = view.row_nonzeros(i);
      }
      counts[static_cast<std::size_t>(i)] = size - std::count(values, values + size, typename View::Value{0});
    }
  });
  return counts;
}

template <class T, class View>
Matrix to_dense(const View& view, Index cols, int threads) {
  const auto count = product(view.rows, cols);
  if (!count)
    throw Error("a dense matrix of these rows and columns is too large", "keep it sparse: " + opt("layout", "sparse"));
  require_memory(static_cast<double>(*count) * sizeof(T), "a dense copy of the rows");
  GrowBuffer<T> values;
  values.resize(*count);
  parallel_ranges(view.rows, kRowsPerChunk, threads, [&](Index begin, Index end, Index) {
    for (Index i = begin; i < end; ++i) {
      T* row = values.data() + i * cols;
      if constexpr (kDense<View>) {
        for (Index j = 0; j < view.cols; ++j) row[j] = static_cast<T>(view.row(i)[j]);
      } else {
        for (auto k = view.starts[i]; k < view.starts[i + 1]; ++k)
          row[view.columns[k]] = static_cast<T>(view.values[k]);
      }
    }
  });
  return dense_matrix(std::move(values).finish(), view.rows, cols);
}

template <class T, class I, class V>
Matrix dense_to_csr(const DenseView<V>& view, int threads) {
  const auto counts = row_nonzeros(view, threads);
  GrowBuffer<std::int64_t> starts;
  starts.resize(view.rows + 1);
  std::partial_sum(counts.begin(), counts.end(), starts.data() + 1);
  GrowBuffer<T> values;
  GrowBuffer<I> columns;
  values.resize(starts.back());
  columns.resize(starts.back());
  parallel_ranges(view.rows, kRowsPerChunk, threads, [&](Index begin, Index end, Index) {
    for (Index i = begin; i < end; ++i) {
      Index at = starts[i];
      if constexpr (std::is_same_v<T, V> && std::is_same_v<I, std::int32_t>) {
        kernel::find_nonzeros(view.row(i), view.cols, columns.data() + at, values.data() + at);
        continue;
      }
      for (Index j = 0; j < view.cols; ++j) {
        const V value = view.row(i)[j];
        if (value == V{0}) continue;
        values[at] = static_cast<T>(value);
        columns[at++] = static_cast<I>(j);
      }
    }
  });
  return csr_matrix(std::move(values).finish(), std::move(columns).finish(), std::move(starts).finish(), view.cols);
}

template <class T, class V>
Array<T> converted(const V* from, Index count, int threads) {
  GrowBuffer<T> into;
  into.resize(count);
  parallel_ranges(count, kEntriesPerChunk, threads, [&](Index begin, Index end, Index) {
    for (Index k = begin; k < end; ++k) into[k] = static_cast<T>(from[k]);
  });
  return std::move(into).finish();
}

// The columns and starts stay where they are, kept alive by the matrix they belong to.
template <class T, class V, class I>
Matrix csr_values_as(const CsrView<V, I>& view, const std::shared_ptr<const void>& owner, int threads) {
  const Index end = view.rows == 0 ? 0 : view.starts[view.rows];
  const auto kept = std::make_shared<const std::pair<Array<T>, std::shared_ptr<const void>>>(
      converted<T>(view.values, end, threads), owner);
  return Matrix(CsrView<T, I>{kept->first.data(), view.columns, view.starts, view.rows, view.cols}, kept);
}

template <class T>
Matrix reshaped(const Matrix& matrix, bool dense, int threads) {
  return matrix.visit([&](const auto& view) -> Matrix {
    using View = std::decay_t<decltype(view)>;
    constexpr bool same_values = std::is_same_v<typename View::Value, T>;
    if (kDense<View> == dense && same_values) return matrix;
    if (dense) return to_dense<T>(view, view.cols, threads);
    if constexpr (!kDense<View>)
      return csr_values_as<T>(view, matrix.owner(), threads);
    else
      return fits_narrow_columns(view.cols) ? dense_to_csr<T, std::int32_t>(view, threads)
                                            : dense_to_csr<T, std::int64_t>(view, threads);
  });
}

bool better_dense(const Matrix& matrix, int threads) {
  const double entries = static_cast<double>(matrix.rows()) * static_cast<double>(matrix.cols());
  return static_cast<double>(count_nonzeros(matrix, threads)) * 3 > entries;
}

}  // namespace

void require_memory(double bytes, const std::string& purpose) {
  const double available = physical_memory_bytes();
  if (bytes <= available) return;
  throw Error(purpose + " needs " + std::to_string(static_cast<Index>(std::min(bytes, 9e24) / 1e9)) +
                  " GB of memory, this machine has " + std::to_string(static_cast<Index>(available / 1e9)) + " GB",
              "use fewer rows or columns, or a machine with more memory");
}

Index count_nonzeros(const Matrix& matrix, int threads) {
  return matrix.visit([&](const auto& view) {
    const auto counts = row_nonzeros(view, threads);
    return std::accumulate(counts.begin(), counts.end(), Index{0});
  });
}

Matrix with_layout(const Matrix& matrix, Layout layout, Precision precision, int threads) {
  const bool dense = layout == Layout::automatic ? better_dense(matrix, threads) : layout == Layout::dense;
  return precision == Precision::float32 ? reshaped<float>(matrix, dense, threads)
                                         : reshaped<double>(matrix, dense, threads);
}

Matrix with_cols(const Matrix& matrix, Index cols, int threads) {
  if (cols <= matrix.cols()) return matrix;
  return matrix.visit([&](const auto& view) -> Matrix {
    using View = std::decay_t<decltype(view)>;
    if constexpr (kDense<View>) {
      return to_dense<typename View::Value>(view, cols, threads);
    } else {
      View wider = view;
      wider.cols = cols;
      if (sizeof(typename View::Column) == 4 && !fits_narrow_columns(cols))
        throw Error("this data is stored with 32-bit column numbers and cannot have " + std::to_string(cols) +
                    " columns");
      return Matrix(wider, matrix.owner());
    }
  });
}

void apply_options(Dataset& data, const LoadOptions& options, WhenOpen when_open) {
  const Layout present = data.x.is_dense() ? Layout::dense : Layout::sparse;
  const Layout wanted = options.layout == Layout::automatic && when_open == WhenOpen::keep ? present : options.layout;
  const bool same = wanted == present && data.x.precision() == options.precision;
  const bool wider = options.cols > data.cols();
  if (!data.open_width) data.open_width = present == Layout::sparse;  // as in the file, whatever it becomes here
  if (same && !wider) return;
  if (!same || present == Layout::dense) {
    data.verify(options.threads);
    data.verifier = nullptr;
  }
  data.x = with_layout(data.x, wanted, options.precision, options.threads);
  data.x = with_cols(data.x, options.cols, options.threads);
  if (!data.feature_names.empty()) data.feature_names.resize(static_cast<std::size_t>(data.cols()));
}

}  // namespace s3gd
