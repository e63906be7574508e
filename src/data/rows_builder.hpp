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
  std::vector<Index> starts{0};  // for each row, where its entries start; and where the last one's end
  GrowBuffer<Index> columns;     // as in the file: counted from 0 or from 1; ascending within a row
  GrowBuffer<T> values;
  Index widest = -1;         // largest column, also of entries that were left out
  bool column_zero = false;  // a column 0 was there

  Index rows() const { return std::ssize(starts) - 1; }
  Index entries() const { return values.size(); }
  void clear() {
    labels.clear();
    weights.clear();
    starts.assign(1, 0);
    columns.resize(0);
    values.resize(0);
    widest = -1;
    column_zero = false;
  }
};

// The two storages there are: see rows_builder.cpp.
template <class T>
class SparseRows;
template <class T>
class DenseRows;

template <class T>
class RowsBuilder {
 public:
  // base: what the file's columns are counted from; detect = from 1 unless a column 0 appears.
  RowsBuilder(Layout layout, Index min_cols, IndexBase base);
  ~RowsBuilder();

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
  std::unique_ptr<SparseRows<T>> sparse_;  // exactly one of the two is there
  std::unique_ptr<DenseRows<T>> dense_;
};

extern template class RowsBuilder<float>;
extern template class RowsBuilder<double>;

}  // namespace s3gd
