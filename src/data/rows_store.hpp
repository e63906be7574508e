// The two storages a RowsBuilder fills: CSR and dense rows that grow without ever being copied whole.
#pragma once

#include <algorithm>
#include <bit>
#include <type_traits>
#include <vector>

#include "base/buffer.hpp"
#include "s3gd/matrix.hpp"

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

// Columns take 32 bits until one appears that needs 64.
template <class T>
class SparseRows {
 public:
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

  bool wide_ = false;
  GrowBuffer<T> values_;
  GrowBuffer<std::int32_t> narrow_columns_;
  GrowBuffer<std::int64_t> wide_columns_;
  GrowBuffer<std::int64_t> starts_ = [] {
    GrowBuffer<std::int64_t> starts;
    starts.push_back(0);
    return starts;
  }();
};

// Rows of `width` columns with some slack behind each, so that not every new column moves every row.
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

extern template struct RowBlock<float>;
extern template struct RowBlock<double>;
extern template class SparseRows<float>;
extern template class SparseRows<double>;
extern template class DenseRows<float>;
extern template class DenseRows<double>;

}  // namespace s3gd
