#include "exact/column_store.hpp"

#include <cstdint>

#include "base/index.hpp"
#include "base/threads.hpp"
#include "kernel/kernel.hpp"

namespace s3gd {
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
    std::vector<Index> place(at(x.cols + 1), -1);
    for (std::size_t k = 0; k < chosen.size(); ++k) place[at(chosen[k])] = static_cast<Index>(k);
    ones_ = place.back();
    std::vector<Index> starts(chosen.size() + 1);
    const auto end = x.starts[x.rows];
    for (auto k = x.starts[0]; k < end; ++k)
      if (const Index p = place[at(static_cast<Index>(x.columns[k]))]; p >= 0) ++starts[at(p + 1)];
    for (std::size_t k = 1; k < starts.size(); ++k) starts[k] += starts[k - 1];
    own_values_.resize(at(starts.back()));
    own_places_.resize(own_values_.size());
    std::vector<Index> next(starts.begin(), starts.end() - 1);
    for (Index i = 0; i < x.rows; ++i)
      for (auto k = x.starts[i]; k < x.starts[i + 1]; ++k)
        if (const Index p = place[at(static_cast<Index>(x.columns[k]))]; p >= 0) {
          const auto to = at(next[at(p)]++);
          own_values_[to] = x.values[k];
          own_places_[to] = static_cast<std::int32_t>(i);
        }
    for (std::size_t k = 0; k < chosen.size(); ++k)
      columns_.push_back({own_values_.data() + starts[k], own_places_.data() + starts[k], starts[k + 1] - starts[k]});
  }

  // Columns where they lie: `x` has them as rows.
  SparseColumns(const CsrView<T, std::int32_t>& x, const std::vector<Index>& chosen, Index rows) : rows_(rows) {
    for (const Index j : chosen) {
      if (j == x.rows) ones_ = static_cast<Index>(columns_.size());
      const Index start = j < x.rows ? static_cast<Index>(x.starts[j]) : 0;
      columns_.push_back({x.values + start, x.columns + start, j < x.rows ? x.row_nonzeros(j) : 0});
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

  Index rows_;
  Index ones_ = -1;
  std::vector<Column> columns_;
  std::vector<T> own_values_;
  std::vector<std::int32_t> own_places_;
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
