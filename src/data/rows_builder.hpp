// RowsBuilder: rows of unknown number and width, collected into dense or CSR storage without a second copy.
//
// With Layout::automatic the rows are kept in whichever storage the entries so far call for (dense when more than a
// third are non-zero), so that memory peaks near the size of the result; the storage changes at most once each time
// the number of entries doubles, or when a new column would make dense rows too sparse, and all rows together speak
// the last word. Each row costs its entries, amortised.
#pragma once

#include <optional>

#include "data/rows_store.hpp"
#include "s3gd/dataset.hpp"

namespace s3gd {

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

extern template class RowsBuilder<float>;
extern template class RowsBuilder<double>;

}  // namespace s3gd
