#include "data/rows_store.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "data/assemble.hpp"
#include "s3gd/error.hpp"

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
  const Index at = values_.size();
  if (!wide_ && block.widest - base > kNarrowest) widen();
  values_.append({block.values.data(), static_cast<std::size_t>(count)});
  const auto copy = [&](auto& columns) {
    columns.resize(at + count);
    auto* to = columns.data() + at;
    using Column = std::remove_reference_t<decltype(*to)>;
    for (Index k = 0; k < count; ++k) to[k] = static_cast<Column>(block.columns[k] - base);
  };
  if (wide_)
    copy(wide_columns_);
  else
    copy(narrow_columns_);
  const Index row = starts_.size();
  starts_.resize(row + block.rows());
  for (Index i = 0; i < block.rows(); ++i) starts_[row + i] = at + block.ends[static_cast<std::size_t>(i)];
}

template <class T>
void SparseRows<T>::append_entry(Index column, T value) {
  if (!wide_ && column > kNarrowest) widen();
  if (wide_)
    wide_columns_.push_back(column);
  else
    narrow_columns_.push_back(static_cast<std::int32_t>(column));
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
    if (width_ > 0) std::memmove(to + shift, row(i), static_cast<std::size_t>(width_) * sizeof(T));
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
    std::memmove(values_.data() + i * width_, row(i), static_cast<std::size_t>(width_) * sizeof(T));
  values_.resize(rows_ * width_);
  return dense_matrix(std::move(values_).finish(), rows_, width_);
}

template struct RowBlock<float>;
template struct RowBlock<double>;
template class SparseRows<float>;
template class SparseRows<double>;
template class DenseRows<float>;
template class DenseRows<double>;

}  // namespace s3gd
