#include "data/rows_builder.hpp"

#include <cmath>

namespace s3gd {
namespace {

constexpr Index kNarrowest = std::numeric_limits<std::int32_t>::max();
constexpr Index kSlackBytes = Index{32} << 20;  // at most this much of a dense result is room for columns to come

}  // namespace

template <class T>
void RowBlock<T>::clear() {
  labels.clear();
  weights.clear();
  ends.clear();
  columns.resize(0);
  values.resize(0);
  widest = -1;
  column_zero = false;
}

template <class T>
void SparseRows<T>::append(const RowBlock<T>& block, Index base) {
  const Index count = block.entries();
  const Index before = values_.size();
  if (!wide_ && block.widest - base > kNarrowest) widen();
  values_.append({block.values.data(), at(count)});
  const auto copy = [&](auto& columns) {
    columns.resize(before + count);
    auto* to = columns.data() + before;
    using Column = std::remove_reference_t<decltype(*to)>;
    for (Index k = 0; k < count; ++k) to[k] = static_cast<Column>(block.columns[k] - base);
  };
  wide_ ? copy(wide_columns_) : copy(narrow_columns_);
  const Index row = starts_.size();
  starts_.resize(row + block.rows());
  for (Index i = 0; i < block.rows(); ++i) starts_[row + i] = before + block.ends[at(i)];
}

template <class T>
void SparseRows<T>::append_entry(Index column, T value) {
  if (!wide_ && column > kNarrowest) widen();
  wide_ ? wide_columns_.push_back(column) : narrow_columns_.push_back(static_cast<std::int32_t>(column));
  values_.push_back(value);
}

template <class T>
void SparseRows<T>::shift_columns() {
  const Index count = values_.size();
  if (!wide_)
    for (Index k = 0; k < count && !wide_; ++k)
      if (narrow_columns_[k] == kNarrowest) widen();
  for (Index k = 0; k < count; ++k) wide_ ? ++wide_columns_[k] : ++narrow_columns_[k];
}

template <class T>
void SparseRows<T>::widen() {
  wide_ = true;
  wide_columns_.resize(narrow_columns_.size());
  for (Index k = 0; k < narrow_columns_.size(); ++k) wide_columns_[k] = narrow_columns_[k];
  narrow_columns_ = {};
}

template <class T>
Matrix SparseRows<T>::finish(Index cols) && {
  auto values = std::move(values_).finish();
  auto starts = std::move(starts_).finish();
  if (wide_) return csr_matrix(std::move(values), std::move(wide_columns_).finish(), std::move(starts), cols);
  return csr_matrix(std::move(values), std::move(narrow_columns_).finish(), std::move(starts), cols);
}

template <class T>
void DenseRows<T>::reserve(Index rows, Index stride) {
  require_memory(static_cast<double>(rows) * static_cast<double>(stride) * sizeof(T), "rows in the dense layout");
  values_.resize(rows * stride);
}

template <class T>
void DenseRows<T>::shift_columns(Index width) {
  lay_out(std::max(width, width_ + 1), 1);
  width_ = std::max(width, width_ + 1);
}

template <class T>
void DenseRows<T>::lay_out(Index width, Index shift) {
  const Index slack_limit = kSlackBytes / static_cast<Index>(sizeof(T)) / std::max<Index>(rows_, 1);
  const Index slack = rows_ == 0 ? 0 : std::min(width / 8, slack_limit);
  const Index stride = std::max(stride_, width + slack);
  reserve(rows_, stride);
  for (Index i = rows_ - 1; i >= 0; --i) {  // from the last row on: no row is overwritten before it has moved
    T* const to = values_.data() + i * stride;
    if (width_ > 0) std::memmove(to + shift, row(i), at(width_) * sizeof(T));
    std::fill(to, to + shift, T{0});
    std::fill(to + shift + width_, to + stride, T{0});
  }
  stride_ = stride;
}

template <class T>
T* DenseRows<T>::append_row() {
  reserve(rows_ + 1, stride_);
  return row(rows_++);
}

template <class T>
void DenseRows<T>::append(const RowBlock<T>& block, Index base) {
  reserve(rows_ + block.rows(), stride_);
  Index k = 0;
  for (const Index end : block.ends) {
    T* const to = row(rows_++);
    for (; k < end; ++k) to[block.columns[k] - base] = block.values[k];
  }
}

template <class T>
Matrix DenseRows<T>::finish() && {
  for (Index i = 1; i < rows_ && stride_ > width_; ++i)
    std::memmove(values_.data() + i * width_, row(i), at(width_) * sizeof(T));
  values_.resize(rows_ * width_);
  return dense_matrix(std::move(values_).finish(), rows_, width_);
}

template <class T>
RowsBuilder<T>::RowsBuilder(Layout layout, Index min_cols, IndexBase base)
    : layout_(layout), detect_(base == IndexBase::detect), base_(base == IndexBase::zero ? 0 : 1), width_(min_cols) {
  if (layout == Layout::dense)
    dense_.emplace(width_);
  else
    sparse_.emplace(min_cols);
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
  std::vector<long double> mean(at(width_), 0);  // wide enough for any sum of doubles
  std::vector<Index> missing(at(width_), 0);
  for_each_entry([&](Index column, T& value) {
    const auto j = at(column);
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
    if (std::isnan(value)) value = static_cast<T>(mean[at(column)]);
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

template struct RowBlock<float>;
template struct RowBlock<double>;
template class RowsBuilder<float>;
template class RowsBuilder<double>;
template class SparseRows<float>;
template class SparseRows<double>;

}  // namespace s3gd
