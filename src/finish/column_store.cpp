#include "finish/column_store.hpp"

#include <cstdint>

#include "base/threads.hpp"
#include "kernel/kernel.hpp"

namespace s3gd {
namespace {

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

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
  template <class I>
  SparseColumns(const CsrView<T, I>& x, const std::vector<Index>& chosen) : rows_(x.rows), starts_(chosen.size() + 1) {
    std::vector<Index> place(at(x.cols + 1), -1);
    for (std::size_t k = 0; k < chosen.size(); ++k) place[at(chosen[k])] = static_cast<Index>(k);
    ones_ = place.back();
    const auto end = x.starts[x.rows];
    for (auto k = x.starts[0]; k < end; ++k)
      if (const Index p = place[at(static_cast<Index>(x.columns[k]))]; p >= 0) ++starts_[at(p + 1)];
    for (std::size_t k = 1; k < starts_.size(); ++k) starts_[k] += starts_[k - 1];
    entries_.resize(at(starts_.back()));
    std::vector<Index> next(starts_.begin(), starts_.end() - 1);
    for (Index i = 0; i < x.rows; ++i)
      for (auto k = x.starts[i]; k < x.starts[i + 1]; ++k)
        if (const Index p = place[at(static_cast<Index>(x.columns[k]))]; p >= 0)
          entries_[at(next[at(p)]++)] = {static_cast<std::int32_t>(i), x.values[k]};
  }

  double dot(Index k, const double* v) const override {
    if (k == ones_) return sum(v, rows_);
    double even = 0, odd = 0;
    const Entry* e = entries_.data() + starts_[at(k)];
    const Entry* end = entries_.data() + starts_[at(k + 1)];
    for (; e + 1 < end; e += 2) {
      even += static_cast<double>(e[0].value) * v[e[0].row];
      odd += static_cast<double>(e[1].value) * v[e[1].row];
    }
    if (e < end) even += static_cast<double>(e->value) * v[e->row];
    return even + odd;
  }
  double square(Index k, const double* h) const override {
    if (k == ones_) return sum(h, rows_);
    double total = 0;
    for (Index e = starts_[at(k)]; e < starts_[at(k + 1)]; ++e) {
      const double x = static_cast<double>(entries_[at(e)].value);
      total += h[entries_[at(e)].row] * x * x;
    }
    return total;
  }
  void add(Index k, double factor, const double* h, double* v) const override {
    if (k == ones_) {
      for (Index i = 0; i < rows_; ++i) v[i] += factor * h[i];
      return;
    }
    for (Index e = starts_[at(k)]; e < starts_[at(k + 1)]; ++e) {
      const Index i = entries_[at(e)].row;
      v[i] += factor * h[i] * static_cast<double>(entries_[at(e)].value);
    }
  }

 private:
  struct Entry {
    std::int32_t row;
    T value;
  };

  Index rows_;
  Index ones_ = -1;
  std::vector<Index> starts_;
  std::vector<Entry> entries_;
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

}  // namespace s3gd
