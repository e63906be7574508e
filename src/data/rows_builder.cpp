#include "data/rows_builder.hpp"

#include <cmath>

namespace s3gd {
namespace {

constexpr Index kNarrowest = std::numeric_limits<std::int32_t>::max();
constexpr Index kSlackBytes = Index{32} << 20;  // at most this much of a dense result is room for columns to come

}  // namespace

// Both grow without ever being copied whole. CSR: columns take 32 bits until one appears that needs 64, or as many are
// announced.
template <class T>
class SparseRows {
 public:
  explicit SparseRows(Index cols = 0) : wide_(!fits_narrow_columns(cols)) { starts_.push_back(0); }

  Index rows() const { return starts_.size() - 1; }
  Index entries() const { return values_.size(); }
  Index column(Index k) const { return wide_ ? static_cast<Index>(wide_columns_[k]) : narrow_columns_[k]; }
  T& value(Index k) { return values_[k]; }
  Index row_begin(Index i) const { return starts_[i]; }

  void append(const RowBlock<T>& block, Index base) {
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
    for (Index i = 1; i <= block.rows(); ++i) starts_.push_back(before + block.starts[at(i)]);
  }
  void append_entry(Index column, T value) {
    if (!wide_ && column > kNarrowest) widen();
    wide_ ? wide_columns_.push_back(column) : narrow_columns_.push_back(static_cast<std::int32_t>(column));
    values_.push_back(value);
  }
  void end_row() { starts_.push_back(values_.size()); }

  void shift_columns() {  // every column becomes the next one
    const Index count = values_.size();
    for (Index k = 0; k < count && !wide_; ++k)
      if (narrow_columns_[k] == kNarrowest) widen();
    for (Index k = 0; k < count; ++k) wide_ ? ++wide_columns_[k] : ++narrow_columns_[k];
  }

  Matrix finish(Index cols) && {
    auto values = std::move(values_).finish();
    auto starts = std::move(starts_).finish();
    if (wide_) return csr_matrix(std::move(values), std::move(wide_columns_).finish(), std::move(starts), cols);
    return csr_matrix(std::move(values), std::move(narrow_columns_).finish(), std::move(starts), cols);
  }

 private:
  void widen() {
    wide_ = true;
    wide_columns_.resize(narrow_columns_.size());
    for (Index k = 0; k < narrow_columns_.size(); ++k) wide_columns_[k] = narrow_columns_[k];
    narrow_columns_ = {};
  }

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
  Index rows() const { return rows_; }
  Index width() const { return width_; }
  T* row(Index i) { return values_.data() + i * stride_; }

  void append(const RowBlock<T>& block, Index base) {
    reserve(rows_ + block.rows(), stride_);
    for (Index i = 0; i < block.rows(); ++i) {
      T* const to = row(rows_++);
      for (Index k = block.starts[at(i)]; k < block.starts[at(i) + 1]; ++k)
        to[block.columns[k] - base] = block.values[k];
    }
  }
  T* append_row() {  // zeros
    reserve(rows_ + 1, stride_);
    return row(rows_++);
  }

  void widen(Index width) {
    if (width > stride_) lay_out(width, 0);
    width_ = std::max(width_, width);
  }
  void shift_columns(Index width) {  // every column becomes the next one; at least `width` columns then
    width = std::max(width, width_ + 1);
    lay_out(width, 1);
    width_ = width;
  }

  Matrix finish() && {
    for (Index i = 1; i < rows_ && stride_ > width_; ++i)
      std::memmove(values_.data() + i * width_, row(i), at(width_) * sizeof(T));
    values_.resize(rows_ * width_);
    return dense_matrix(std::move(values_).finish(), rows_, width_);
  }

 private:
  void reserve(Index rows, Index stride) {
    require_memory(static_cast<double>(rows) * static_cast<double>(stride) * sizeof(T), "rows in the dense layout");
    values_.resize(rows * stride);
  }
  void lay_out(Index width, Index shift) {
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

  Index rows_ = 0;
  Index width_;
  Index stride_;
  GrowBuffer<T> values_;
};

template <class T>
RowsBuilder<T>::RowsBuilder(Layout layout, Index min_cols, IndexBase base)
    : layout_(layout), detect_(base == IndexBase::detect), base_(base == IndexBase::zero ? 0 : 1), width_(min_cols) {
  if (layout == Layout::dense)
    dense_ = std::make_unique<DenseRows<T>>(width_);
  else
    sparse_ = std::make_unique<SparseRows<T>>(min_cols);
}

template <class T>
RowsBuilder<T>::~RowsBuilder() = default;

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
  if (dense != (dense_ != nullptr) && (too_wide || entries >= 2 * entries_at_change_)) {
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
  dense_ = std::make_unique<DenseRows<T>>(width_);
  for (Index i = 0; i < sparse_->rows(); ++i) {
    T* const to = dense_->append_row();
    for (Index k = sparse_->row_begin(i); k < sparse_->row_begin(i + 1); ++k)
      to[sparse_->column(k)] = sparse_->value(k);
  }
  sparse_.reset();
}

template <class T>
void RowsBuilder<T>::use_sparse() {
  sparse_ = std::make_unique<SparseRows<T>>();
  for (Index i = 0; i < dense_->rows(); ++i) {
    const T* const from = dense_->row(i);
    for (Index j = 0; j < dense_->width(); ++j)
      if (!is_plain_zero(from[j])) sparse_->append_entry(j, from[j]);
    sparse_->end_row();
  }
  dense_.reset();
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

template class RowsBuilder<float>;
template class RowsBuilder<double>;

}  // namespace s3gd
