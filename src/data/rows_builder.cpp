#include "data/rows_builder.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "s3gd/error.hpp"

namespace s3gd {

template <class T>
RowsBuilder<T>::RowsBuilder(Layout layout, Index min_cols, IndexBase base)
    : layout_(layout), detect_(base == IndexBase::detect), base_(base == IndexBase::zero ? 0 : 1), width_(min_cols) {
  if (layout == Layout::dense)
    dense_.emplace(width_);
  else
    sparse_.emplace();
}

template <class T>
bool RowsBuilder<T>::calls_for_dense(Index entries, Index rows, Index width) const {
  if (layout_ != Layout::automatic) return layout_ == Layout::dense;
  return 3.0 * static_cast<double>(entries) > static_cast<double>(rows) * static_cast<double>(width);
}

template <class T>
void RowsBuilder<T>::append(const RowBlock<T>& block) {
  if (detect_ && base_ == 1 && block.column_zero) count_from_zero();
  seen_width_ = std::max(seen_width_, block.widest + 1 - base_);
  const Index width = std::max(width_, seen_width_);
  const Index entries = entries_ + block.entries();
  const bool dense = calls_for_dense(entries, rows_ + block.rows(), width);
  const bool too_wide = dense_ && width > dense_->width();
  if (dense != dense_.has_value() && (too_wide || entries >= 2 * entries_at_change_)) {
    entries_at_change_ = entries;
    dense ? use_dense() : use_sparse();
  }
  width_ = width;
  rows_ += block.rows();
  entries_ = entries;
  if (dense_) {
    dense_->widen(width_);
    dense_->append(block, base_);
  } else {
    sparse_->append(block, base_);
  }
}

// The rows so far took their columns for counted from 1.
template <class T>
void RowsBuilder<T>::count_from_zero() {
  base_ = 0;
  if (seen_width_ == 0) return;
  ++seen_width_;
  width_ = std::max(width_, seen_width_);
  if (dense_)
    dense_->shift_columns(width_);
  else
    sparse_->shift_columns();
}

template <class T>
void RowsBuilder<T>::use_dense() {
  DenseRows<T> rows(width_);
  for (Index i = 0; i < sparse_->rows(); ++i) {
    T* const to = rows.append_row();
    for (Index k = sparse_->row_begin(i); k < sparse_->row_begin(i + 1); ++k)
      to[sparse_->column(k)] = sparse_->value(k);
  }
  sparse_.reset();
  dense_.emplace(std::move(rows));
}

template <class T>
void RowsBuilder<T>::use_sparse() {
  SparseRows<T> rows;
  for (Index i = 0; i < dense_->rows(); ++i) {
    const T* const from = dense_->row(i);
    for (Index j = 0; j < dense_->width(); ++j)
      if (!is_plain_zero(from[j])) rows.append_entry(j, from[j]);
    rows.end_row();
  }
  dense_.reset();
  sparse_.emplace(std::move(rows));
}

template <class T>
template <class F>
void RowsBuilder<T>::for_each_entry(F&& visit) {
  if (dense_) {
    for (Index i = 0; i < dense_->rows(); ++i)
      for (Index j = 0; j < dense_->width(); ++j) visit(j, dense_->row(i)[j]);
  } else {
    for (Index k = 0; k < sparse_->entries(); ++k) visit(sparse_->column(k), sparse_->value(k));
  }
}

template <class T>
std::optional<Index> RowsBuilder<T>::fill_missing_by_mean() {
  std::vector<long double> mean(static_cast<std::size_t>(width_), 0);  // wide enough for any sum of doubles
  std::vector<Index> missing(static_cast<std::size_t>(width_), 0);
  for_each_entry([&](Index column, T& value) {
    const auto j = static_cast<std::size_t>(column);
    if (std::isnan(value))
      ++missing[j];
    else
      mean[j] += value;
  });
  for (std::size_t j = 0; j < mean.size(); ++j) {
    if (missing[j] == rows_ && rows_ > 0) return static_cast<Index>(j);
    mean[j] /= static_cast<long double>(rows_ - missing[j]);
  }
  for_each_entry([&](Index column, T& value) {
    if (std::isnan(value)) value = static_cast<T>(mean[static_cast<std::size_t>(column)]);
  });
  return std::nullopt;
}

template <class T>
Matrix RowsBuilder<T>::finish() && {
  const bool dense = calls_for_dense(entries_, rows_, width_);
  if (dense && !dense_) use_dense();
  if (!dense && dense_) use_sparse();
  if (!dense) return std::move(*sparse_).finish(width_);
  dense_->widen(width_);
  return std::move(*dense_).finish();
}

template class RowsBuilder<float>;
template class RowsBuilder<double>;

}  // namespace s3gd
