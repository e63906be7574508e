// RowsBuilder: rows of unknown number and width, collected into dense or CSR storage without a second copy.
//
// With Layout::automatic the rows are kept in whichever storage the entries so far call for (dense when more than a
// third are non-zero), so that memory peaks near the size of the result; the storage changes at most once each time
// the number of entries doubles, or when a new column would make dense rows too sparse, and all rows together speak
// the last word. Each row costs its entries, amortised.
#pragma once

#include <bit>

#include "data/assemble.hpp"
#include "s3gd/dataset.hpp"

namespace s3gd {

// Negative zero is kept as an entry: it is another bit pattern.
template <class T>
bool is_plain_zero(T value) {
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  return std::bit_cast<Bits>(value) == 0;
}

// Consecutive rows as they were parsed. Zeros are left out, but count for `widest`.
template <class T>
struct RowBlock {
  std::vector<double> labels;
  std::vector<double> weights;
  std::vector<Index> ends;    // for each row, the end of its entries
  GrowBuffer<Index> columns;  // as in the file: counted from 0 or from 1; ascending within a row
  GrowBuffer<T> values;
  Index widest = -1;         // largest column, also of entries that were left out
  bool column_zero = false;  // a column 0 was there

  Index rows() const { return static_cast<Index>(ends.size()); }
  Index entries() const { return values.size(); }
  void clear();
};

// The two storages a RowsBuilder fills grow without ever being copied whole. CSR: columns take 32 bits until one appears
// that needs 64, or as many are announced.
template <class T>
class SparseRows {
 public:
  explicit SparseRows(Index cols = 0) : wide_(!fits_narrow_columns(cols)) { starts_.push_back(0); }
  void append(const RowBlock<T>& block, Index base);
  void append_entry(Index column, T value);
  void end_row() { starts_.push_back(values_.size()); }

  Index rows() const { return starts_.size() - 1; }
  Index entries() const { return values_.size(); }
  Index column(Index k) const { return wide_ ? static_cast<Index>(wide_columns_[k]) : narrow_columns_[k]; }
  T& value(Index k) { return values_[k]; }
  Index row_begin(Index i) const { return starts_[i]; }

  void shift_columns();  // every column becomes the next one
  Matrix finish(Index cols) &&;

 private:
  void widen();

  bool wide_;
  GrowBuffer<T> values_;
  GrowBuffer<std::int32_t> narrow_columns_;
  GrowBuffer<std::int64_t> wide_columns_;
  GrowBuffer<std::int64_t> starts_;
};

// Dense rows of `width` columns with some slack behind each, so that not every new column moves every row.
template <class T>
class DenseRows {
 public:
  explicit DenseRows(Index width) : width_(width), stride_(width) {}
  void append(const RowBlock<T>& block, Index base);
  T* append_row();  // zeros
  Index rows() const { return rows_; }
  Index width() const { return width_; }
  T* row(Index i) { return values_.data() + i * stride_; }

  void widen(Index width) {
    if (width > stride_) lay_out(width, 0);
    width_ = std::max(width_, width);
  }
  void shift_columns(Index width);  // every column becomes the next one; at least `width` columns then
  Matrix finish() &&;

 private:
  void reserve(Index rows, Index stride);
  void lay_out(Index width, Index shift);

  Index rows_ = 0;
  Index width_;
  Index stride_;
  GrowBuffer<T> values_;
};

template <class T>
class RowsBuilder {
 public:
  // base: what the file's columns are counted from; detect = from 1 unless a column 0 appears.
  RowsBuilder(Layout layout, Index min_cols, IndexBase base);

  void append(const RowBlock<T>& block);
  Index rows() const { return rows_; }
  Index cols() const { return width_; }
  Index base() const { return base_; }  // as given, or as found so far

  // Every NaN becomes the mean of the other values of its column (zeros count). Returns a column that has no other
  // value, or empty.
  std::optional<Index> fill_missing_by_mean();

  Matrix finish() &&;

 private:
  bool calls_for_dense(Index entries, Index rows, Index width) const;
  void count_from_zero();
  void use_dense();
  void use_sparse();
  template <class F>
  void for_each_entry(F&& visit);

  const Layout layout_;
  bool detect_;
  Index base_;
  Index rows_ = 0;
  Index width_;  // columns of the result: those seen, or more where more were asked for
  Index seen_width_ = 0;
  Index entries_ = 0;
  Index entries_at_change_ = 0;
  std::optional<SparseRows<T>> sparse_;  // exactly one of the two is there
  std::optional<DenseRows<T>> dense_;
};

extern template struct RowBlock<float>;
extern template struct RowBlock<double>;
extern template class RowsBuilder<float>;
extern template class RowsBuilder<double>;
extern template class SparseRows<float>;
extern template class SparseRows<double>;

}  // namespace s3gd
