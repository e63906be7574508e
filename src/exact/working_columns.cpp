#include "exact/working_columns.hpp"

#include <algorithm>
#include <limits>

#include "base/index.hpp"
#include "base/threads.hpp"
#include "kernel/kernel.hpp"
#include "problem/full_pass.hpp"
#include "problem/hessian.hpp"

namespace s3gd {
namespace {

constexpr Index kRowsPerChunk = 1024;    // a unit of work for a thread
constexpr double kWorthGathering = 0.6;  // share of the stored entries above which the original rows serve as well
constexpr Index kMostBytes = 40 << 20;   // of a gathered copy
constexpr std::size_t kSmallGram = 400;  // columns up to which a Gram matrix is cheap whatever their length
constexpr Index kMostGram = 2000;        // columns whose Gram matrix is kept
constexpr double kInCache = 250'000;     // numbers of a matrix that stay in the second-level cache from sweep to sweep
constexpr double kUsualSweeps = 40;      // of coordinate descent for one quadratic model
constexpr double kShortRow = 8;          // entries, below which getting to a row costs more than what is in it

// Where each column goes, -1 for those left out.
std::vector<std::int32_t> places_of(const std::vector<Index>& chosen, Index cols) {
  std::vector<std::int32_t> place(at(cols), -1);
  for (std::size_t k = 0; k < chosen.size(); ++k)
    if (chosen[k] < cols) place[at(chosen[k])] = static_cast<std::int32_t>(k);
  return place;
}

template <class T>
Matrix gather(const DenseView<T>& x, const std::vector<Index>& features, const std::vector<std::int32_t>&,
              int threads) {
  const auto size = static_cast<Index>(features.size());
  std::vector<T> values(at(x.rows * size));
  parallel_ranges(x.rows, kRowsPerChunk, threads, [&](Index begin, Index end, Index) {
    for (Index i = begin; i < end; ++i) {
      const T* row = x.row(i);
      T* out = values.data() + i * size;
      for (Index k = 0; k < size; ++k) out[k] = row[features[at(k)]];
    }
  });
  return Matrix::own_dense(std::move(values), x.rows, size);
}

template <class T, class I>
Matrix gather(const CsrView<T, I>& x, const std::vector<Index>& features, const std::vector<std::int32_t>& place,
              int threads) {
  std::vector<std::int64_t> starts(at(x.rows + 1), 0);
  parallel_ranges(x.rows, kRowsPerChunk, threads, [&](Index begin, Index end, Index) {
    for (Index i = begin; i < end; ++i) {
      std::int64_t count = 0;
      for (auto k = x.starts[i]; k < x.starts[i + 1]; ++k) count += place[at(static_cast<Index>(x.columns[k]))] >= 0;
      starts[at(i + 1)] = count;
    }
  });
  for (Index i = 0; i < x.rows; ++i) starts[at(i + 1)] += starts[at(i)];
  // Every entry is written where the next one kept goes: no branch to mispredict.
  std::vector<T> values(at(starts.back()));
  std::vector<std::int32_t> columns(at(starts.back()));
  parallel_ranges(x.rows, kRowsPerChunk, threads, [&](Index begin, Index end, Index) {
    std::int64_t to = starts[at(begin)];
    const std::int64_t stop = starts[at(end)];
    for (auto k = x.starts[begin]; k < x.starts[end] && to < stop; ++k) {
      const auto p = place[at(static_cast<Index>(x.columns[k]))];
      values[at(to)] = x.values[k];
      columns[at(to)] = p;
      to += p >= 0 ? 1 : 0;
    }
  });
  return Matrix::own_csr(std::move(values), std::move(columns), std::move(starts), static_cast<Index>(features.size()));
}

// Rows become columns: the entries of row(i), i < count, that have a place to go to, as rows by place, in the order of i.
template <class T, class I, class Row, class Place>
Matrix turned(const CsrView<T, I>& x, Index count, Index places, const Row& row, const Place& place) {
  std::vector<std::int64_t> starts(at(places + 1), 0);
  for (Index i = 0; i < count; ++i)
    for (auto k = x.starts[row(i)]; k < x.starts[row(i) + 1]; ++k)
      if (const Index to = place(static_cast<Index>(x.columns[k])); to >= 0) ++starts[at(to + 1)];
  for (Index j = 0; j < places; ++j) starts[at(j + 1)] += starts[at(j)];
  std::vector<std::int64_t> next(starts.begin(), starts.end() - 1);
  std::vector<T> values(at(starts.back()));
  std::vector<std::int32_t> numbers(values.size());
  for (Index i = 0; i < count; ++i)
    for (auto k = x.starts[row(i)]; k < x.starts[row(i) + 1]; ++k)
      if (const Index to = place(static_cast<Index>(x.columns[k])); to >= 0) {
        const auto entry = at(next[at(to)]++);
        values[entry] = x.values[k];
        numbers[entry] = static_cast<std::int32_t>(i);
      }
  return Matrix::own_csr(std::move(values), std::move(numbers), std::move(starts), count);
}

constexpr auto kItself = [](Index i) { return i; };

// Stored entries in the chosen columns, estimated from some of the rows.
double stored_in(const Matrix& x, Index features, const std::vector<std::int32_t>& place) {
  if (x.is_dense()) return static_cast<double>(x.rows() * features);
  return x.visit([&](const auto& view) -> double {
    if constexpr (requires { view.stride; }) {
      return 0;
    } else {
      const Index step = std::max<Index>(1, view.rows / 2048);
      double inside = 0, all = 0;
      for (Index i = 0; i < view.rows; i += step) {
        all += static_cast<double>(view.row_nonzeros(i));
        for (auto k = view.starts[i]; k < view.starts[i + 1]; ++k)
          inside += place[at(static_cast<Index>(view.columns[k]))] >= 0 ? 1 : 0;
      }
      return all > 0 ? inside / all * static_cast<double>(view.nonzeros()) : 0.0;
    }
  });
}

// The same rows with other columns. Products alone are asked of it, so it needs no targets of its own.
Problem with_columns(const Problem& problem, Matrix x) {
  Dataset data;
  data.x = std::move(x);
  data.y.kind = LabelKind::real;
  data.y.values = Array<double>::borrow(problem.targets());
  ProblemSpec spec;
  spec.loss.kind = LossKind::squared;
  spec.intercept = problem.spec().intercept;
  spec.threads = problem.spec().threads;
  return Problem(std::move(data), spec);
}

}  // namespace

Matrix gather_columns(const Matrix& x, const std::vector<Index>& features, int threads) {
  const auto place = places_of(features, x.cols());
  return x.visit([&](const auto& view) { return gather(view, features, place, threads); });
}

WorkingColumns::WorkingColumns(const Problem& problem, std::vector<Index> chosen, const Transposed* all)
    : problem_(problem), all_(all), chosen_(std::move(chosen)), places_(chosen_) {
  std::vector<Index> features = chosen_;
  if (!features.empty() && features.back() == problem.cols()) features.pop_back();
  const auto count = static_cast<Index>(features.size());
  const auto place = all == nullptr ? places_of(chosen_, problem.cols()) : std::vector<std::int32_t>();
  const double stored =
      all == nullptr ? stored_in(problem.x(), count, place) : static_cast<double>(all->stored_in(features));
  const double rows = static_cast<double>(problem.rows()), size = static_cast<double>(chosen_.size());
  share_ = std::min(1.0, stored / std::max(1.0, static_cast<double>(problem.x().stored())));
  const bool dense = problem.x().is_dense();
  // In multiplications by scattered numbers; those of BLAS are cheaper. A sweep over columns touches every stored entry
  // twice, one over the Gram matrix its s^2 entries in order; a step needs two products and the terms of all rows.
  const double per_row = stored / rows;
  const double gram = (dense ? 0.1 : 1.0) * rows * per_row * per_row / 2,
               entry = size * size > kInCache ? 1.0 : 1.0 / 6;
  prefers_gram_ =
      chosen_.size() <= kSmallGram ||
      (chosen_.size() <= kMostGram && gram + kUsualSweeps * entry * size * size < 3 * kUsualSweeps * stored);
  gram_cost_ = gram / ((dense ? 1.0 : 2.0) * stored + 20 * rows);
  const double width = dense ? (problem.x().precision() == Precision::float32 ? 4 : 8)
                             : 4 + (problem.x().precision() == Precision::float32 ? 4 : 8);
  by_columns_ = all != nullptr && (!prefers_gram_ || per_row < kShortRow);
  const bool rows_needed = all == nullptr || prefers_gram_;
  if (!rows_needed || share_ > kWorthGathering || stored * width > static_cast<double>(kMostBytes) || features.empty())
    return;
  gathered_ = with_columns(problem, all != nullptr ? all->rows_of(features) : problem.x().visit([&](const auto& view) {
    return gather(view, features, place, problem.spec().threads);
  }));
  for (std::size_t k = 0; k < places_.size(); ++k) places_[k] = static_cast<Index>(k);
}

void WorkingColumns::times(std::span<const double> d, std::span<double> out) const {
  if (by_columns_) {
    std::fill(out.begin(), out.end(), 0.0);
    for (Index k = 0; k < size(); ++k)
      if (d[at(k)] != 0) store().add(k, d[at(k)], nullptr, out.data());
    return;
  }
  std::vector<double> full(at(rows().dim()), 0.0);
  for (std::size_t k = 0; k < places_.size(); ++k) full[at(places_[k])] = d[k];
  margins(rows(), full, out);
}

std::vector<double> WorkingColumns::transpose_times(std::span<const double> c) const {
  std::vector<double> out(chosen_.size());
  if (by_columns_) {
    for (Index k = 0; k < size(); ++k) out[at(k)] = store().dot(k, c.data());
    return out;
  }
  std::vector<double> full(at(rows().dim()));
  s3gd::transpose_times(rows(), c, full);
  for (std::size_t k = 0; k < places_.size(); ++k) out[k] = full[at(places_[k])];
  return out;
}

std::vector<double> WorkingColumns::gram(std::span<const double> h) const {
  std::vector<double> matrix = hessian(rows(), h, places_);
  mirror(matrix, size());
  return matrix;
}

const ColumnStore& WorkingColumns::store() const {
  if (!store_)
    store_ = all_ != nullptr ? make_column_store(*all_, chosen_)
                             : make_column_store(problem_.x(), chosen_, problem_.spec().threads);
  return *store_;
}

namespace {

constexpr Index kColumnsPerChunk = 512;  // likewise

}  // namespace

std::optional<Transposed> Transposed::of(const Matrix& x, Index most) {
  const Index entry = 4 + (x.precision() == Precision::float32 ? 4 : 8);
  const bool fits = x.stored() <= most / entry && x.rows() <= std::numeric_limits<std::int32_t>::max();
  if (x.is_dense() || !fits) return std::nullopt;
  Matrix columns = x.visit([](const auto& view) {
    if constexpr (requires { view.starts; })
      return turned(view, view.rows, view.cols, kItself, kItself);
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
  const auto row = [&](Index c) { return columns[at(c)]; };
  return visit([&](const auto& view) { return turned(view, static_cast<Index>(columns.size()), rows_, row, kItself); });
}

namespace {

double sum(const double* v, Index rows) {
  double total = 0;
  for (Index i = 0; i < rows; ++i) total += v[i];
  return total;
}

template <class T>
class DenseColumns : public ColumnStore {
 public:
  DenseColumns(const DenseView<T>& x, const std::vector<Index>& chosen, int threads)
      : rows_(x.rows), values_(at(x.rows * static_cast<Index>(chosen.size()))) {
    constexpr Index kTile = 256;  // rows read together: their lines stay in cache for the next column
    parallel_ranges(x.rows, kTile, threads, [&](Index begin, Index end, Index) {
      for (std::size_t k = 0; k < chosen.size(); ++k)
        for (Index i = begin; i < end; ++i)
          values_[k * at(rows_) + at(i)] = chosen[k] == x.cols ? T(1) : x.row(i)[chosen[k]];
    });
  }

  double dot(Index k, const double* v) const override { return kernel::dot(column(k), v, rows_); }
  double square(Index k, const double* h) const override {
    const T* x = column(k);
    double total = 0;
    for (Index i = 0; i < rows_; ++i) total += h[i] * static_cast<double>(x[i]) * static_cast<double>(x[i]);
    return total;
  }
  void add(Index k, double factor, const double* h, double* v) const override {
    const T* x = column(k);
    if (h == nullptr) return kernel::axpy(factor, x, v, rows_);
    for (Index i = 0; i < rows_; ++i) v[i] += factor * h[i] * static_cast<double>(x[i]);
  }

 private:
  const T* column(Index k) const { return values_.data() + k * rows_; }

  Index rows_;
  std::vector<T> values_;
};

template <class T>
class SparseColumns : public ColumnStore {
 public:
  // A copy of the chosen columns.
  template <class I>
  SparseColumns(const CsrView<T, I>& x, const std::vector<Index>& chosen) : rows_(x.rows) {
    const std::vector<std::int32_t> place = places_of(chosen, x.cols);
    own_ = turned(x, x.rows, static_cast<Index>(chosen.size()), kItself, [&](Index j) { return place[at(j)]; });
    const auto& columns = std::get<CsrView<T, std::int32_t>>(own_.view());
    for (Index k = 0; k < columns.rows; ++k) {
      if (chosen[at(k)] == x.cols) ones_ = k;
      add_column(columns, k);
    }
  }

  // Columns where they lie: `x` has them as rows.
  SparseColumns(const CsrView<T, std::int32_t>& x, const std::vector<Index>& chosen, Index rows) : rows_(rows) {
    for (const Index j : chosen) {
      if (j == x.rows) ones_ = static_cast<Index>(columns_.size());
      if (j == x.rows)
        columns_.push_back({x.values, x.columns, 0});
      else
        add_column(x, j);
    }
  }

  double dot(Index k, const double* v) const override {
    if (k == ones_) return sum(v, rows_);
    const Column& c = columns_[at(k)];
    return kernel::sparse_dot(c.values, c.places, c.count, v);
  }
  double square(Index k, const double* h) const override {
    if (k == ones_) return sum(h, rows_);
    const Column& c = columns_[at(k)];
    double total = 0;
    for (Index e = 0; e < c.count; ++e) {
      const double x = static_cast<double>(c.values[e]);
      total += h[c.places[e]] * x * x;
    }
    return total;
  }
  void add(Index k, double factor, const double* h, double* v) const override {
    if (k == ones_) {
      for (Index i = 0; i < rows_; ++i) v[i] += factor * (h == nullptr ? 1.0 : h[i]);
      return;
    }
    const Column& c = columns_[at(k)];
    if (h == nullptr) return kernel::sparse_axpy(factor, c.values, c.places, c.count, v);
    for (Index e = 0; e < c.count; ++e) {
      const auto i = c.places[e];
      v[i] += factor * h[i] * static_cast<double>(c.values[e]);
    }
  }

 private:
  struct Column {
    const T* values;
    const std::int32_t* places;
    Index count;
  };

  void add_column(const CsrView<T, std::int32_t>& x, Index j) {
    columns_.push_back({x.values + x.starts[j], x.columns + x.starts[j], x.row_nonzeros(j)});
  }

  Index rows_;
  Index ones_ = -1;
  Matrix own_;
  std::vector<Column> columns_;
};

}  // namespace

std::unique_ptr<ColumnStore> make_column_store(const Matrix& x, const std::vector<Index>& chosen, int threads) {
  return x.visit([&](const auto& view) -> std::unique_ptr<ColumnStore> {
    using T = typename std::decay_t<decltype(view)>::Value;
    if constexpr (requires { view.stride; })
      return std::make_unique<DenseColumns<T>>(view, chosen, threads);
    else
      return std::make_unique<SparseColumns<T>>(view, chosen);
  });
}

std::unique_ptr<ColumnStore> make_column_store(const Transposed& all, const std::vector<Index>& chosen) {
  return all.visit([&](const auto& view) -> std::unique_ptr<ColumnStore> {
    using T = typename std::decay_t<decltype(view)>::Value;
    return std::make_unique<SparseColumns<T>>(view, chosen, all.rows());
  });
}

}  // namespace s3gd
