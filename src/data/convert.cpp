#include "data/convert.hpp"

#include <numeric>

#include "base/memory.hpp"
#include "base/mention.hpp"
#include "data/assemble.hpp"
#include "data/row_access.hpp"

namespace s3gd {
namespace {

// Non-zero entries of each row.
template <class View>
std::vector<Index> row_nonzeros(const View& view, int threads) {
  std::vector<Index> counts(at(view.rows));
  parallel_ranges(view.rows, kRowsPerChunk, threads, [&](Index begin, Index end, Index) {
    for (Index i = begin; i < end; ++i) {
      const auto values = row_values(view, i);
      counts[at(i)] = std::ssize(values) - std::count(values.begin(), values.end(), typename View::Value{0});
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
  return make_dense<T>(view.rows, cols, threads, [&](Index i, T* row) {
    for_each_entry(view, i, [&](Index j, auto value) { row[j] = static_cast<T>(value); });
  });
}

template <class T, class I, class V>
Matrix dense_to_csr(const DenseView<V>& view, int threads) {
  const auto counts = row_nonzeros(view, threads);
  const auto count = [&](Index i) { return counts[at(i)]; };
  return make_csr<T, I>(view.rows, view.cols, threads, count, [&](Index i, T* values, I* columns) {
    if constexpr (std::is_same_v<T, V> && std::is_same_v<I, std::int32_t>) {
      kernel::find_nonzeros(view.row(i), view.cols, columns, values);
    } else {
      for_each_nonzero(view, i, [&](Index j, V value) {
        *values++ = static_cast<T>(value);
        *columns++ = static_cast<I>(j);
      });
    }
  });
}

template <class T>
Matrix gather(const DenseView<T>& x, std::span<const Index> rows, int threads) {
  return make_dense<T>(std::ssize(rows), x.cols, threads,
                       [&](Index r, T* row) { std::copy_n(x.row(rows[at(r)]), x.cols, row); });
}

template <class T, class I>
Matrix gather(const CsrView<T, I>& x, std::span<const Index> rows, int threads) {
  const auto count = [&](Index r) { return x.row_nonzeros(rows[at(r)]); };
  return make_csr<T, I>(std::ssize(rows), x.cols, threads, count, [&](Index r, T* values, I* columns) {
    std::copy_n(x.values + x.starts[rows[at(r)]], count(r), values);
    std::copy_n(x.columns + x.starts[rows[at(r)]], count(r), columns);
  });
}

template <class T>
Matrix rearranged(const DenseView<T>& x, std::span<const Index> to, int threads) {
  return make_dense<T>(x.rows, x.cols, threads, [&](Index i, T* row) {
    for (Index j = 0; j < x.cols; ++j) row[to[at(j)]] = x.row(i)[j];
  });
}

template <class T, class I>
Matrix rearranged(const CsrView<T, I>& x, std::span<const Index> to, int threads) {
  const auto count = [&](Index i) { return x.row_nonzeros(i); };
  return make_csr<T, I>(x.rows, x.cols, threads, count, [&](Index i, T* values, I* columns) {
    std::vector<std::pair<Index, T>> row;
    for_each_entry(x, i, [&](Index j, T value) { row.emplace_back(to[at(j)], value); });
    std::sort(row.begin(), row.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    for (const auto& [column, value] : row) {
      *columns++ = static_cast<I>(column);
      *values++ = value;
    }
  });
}

// The columns and starts stay where they are, kept alive by the matrix they belong to.
template <class T, class V, class I>
Matrix csr_values_as(const CsrView<V, I>& view, const std::shared_ptr<const void>& owner, int threads) {
  const Index end = view.rows == 0 ? 0 : view.starts[view.rows];
  const auto kept = std::make_shared<const std::pair<Array<T>, std::shared_ptr<const void>>>(
      converted<T>(std::span(view.values, at(end)), threads), owner);
  return Matrix(CsrView<T, I>{kept->first.data(), view.columns, view.starts, view.rows, view.cols}, kept);
}

template <class T>
Matrix reshaped(const Matrix& matrix, bool dense, int threads) {
  return matrix.visit([&](const auto& view) -> Matrix {
    using View = std::decay_t<decltype(view)>;
    constexpr bool same_values = std::is_same_v<typename View::Value, T>;
    if (is_dense_view<View> == dense && same_values) return matrix;
    if (dense) return to_dense<T>(view, view.cols, threads);
    if constexpr (!is_dense_view<View>)
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

Matrix gather_rows(const Matrix& matrix, std::span<const Index> rows, int threads) {
  return matrix.visit([&](const auto& view) { return gather(view, rows, threads); });
}

Matrix with_columns_at(const Matrix& matrix, std::span<const Index> places, int threads) {
  return matrix.visit([&](const auto& view) { return rearranged(view, places, threads); });
}

Matrix with_layout(const Matrix& matrix, Layout layout, Precision precision, int threads) {
  const bool dense = layout == Layout::automatic ? better_dense(matrix, threads) : layout == Layout::dense;
  return (precision == Precision::float32 ? reshaped<float> : reshaped<double>)(matrix, dense, threads);
}

Matrix with_cols(const Matrix& matrix, Index cols, int threads) {
  if (cols <= matrix.cols()) return matrix;
  return matrix.visit([&](const auto& view) -> Matrix {
    using View = std::decay_t<decltype(view)>;
    if constexpr (is_dense_view<View>) {
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
  if (!data.feature_names.empty()) data.feature_names.resize(at(data.cols()));
}

}  // namespace s3gd
