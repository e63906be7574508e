// The rows of a training set: dense row-major or CSR, float or double, borrowed, owned or mapped from a file.
//
// A view is a handful of pointers and never owns; an Array or a Matrix is a view together with whatever keeps it
// alive (nothing at all when it is borrowed from the caller, a heap block, or a mapped file). All are immutable:
// sharing one between threads needs no lock and copying one copies no data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <variant>
#include <vector>

namespace s3gd {

using Index = std::int64_t;

enum class Precision : std::uint8_t { float32, float64 };
enum class Layout : std::uint8_t { automatic, dense, sparse };

template <class T>
struct DenseView {
  using Value = T;
  const T* values = nullptr;
  Index rows = 0;
  Index cols = 0;
  Index stride = 0;  // values between the starts of two rows; at least cols

  const T* row(Index i) const { return values + i * stride; }
};

template <class T, class I>
struct CsrView {
  using Value = T;
  using Column = I;
  const T* values = nullptr;
  const I* columns = nullptr;            // ascending and distinct within a row
  const std::int64_t* starts = nullptr;  // rows + 1 of them; 64-bit whatever the width of the columns
  Index rows = 0;
  Index cols = 0;

  Index row_nonzeros(Index i) const { return starts[i + 1] - starts[i]; }
  Index nonzeros() const { return rows == 0 ? 0 : starts[rows] - starts[0]; }
};

using MatrixView =
    std::variant<DenseView<float>, DenseView<double>, CsrView<float, std::int32_t>, CsrView<float, std::int64_t>,
                 CsrView<double, std::int32_t>, CsrView<double, std::int64_t>>;

// An immutable array and its owner. The owner is empty when the memory is borrowed.
template <class T>
class Array {
 public:
  Array() = default;
  Array(std::span<const T> values, std::shared_ptr<const void> owner) : values_(values), owner_(std::move(owner)) {}
  explicit Array(std::vector<T> values) {
    auto kept = std::make_shared<const std::vector<T>>(std::move(values));
    values_ = *kept;
    owner_ = std::move(kept);
  }
  static Array borrow(std::span<const T> values) { return Array(values, nullptr); }

  const T* data() const { return values_.data(); }
  Index size() const { return static_cast<Index>(values_.size()); }
  bool empty() const { return values_.empty(); }
  const T& operator[](Index i) const { return values_[static_cast<std::size_t>(i)]; }
  auto begin() const { return values_.begin(); }
  auto end() const { return values_.end(); }
  std::span<const T> span() const { return values_; }
  const std::shared_ptr<const void>& owner() const { return owner_; }

 private:
  std::span<const T> values_;
  std::shared_ptr<const void> owner_;
};

class Matrix {
 public:
  Matrix() = default;
  Matrix(MatrixView view, std::shared_ptr<const void> owner) : view_(view), owner_(std::move(owner)) {}

  // The caller's arrays, used where they lie: they must outlive every copy of this Matrix.
  static Matrix borrow(MatrixView view) { return Matrix(view, nullptr); }
  template <class T>
  static Matrix own_dense(std::vector<T> values, Index rows, Index cols);
  template <class T, class I>
  static Matrix own_csr(std::vector<T> values, std::vector<I> columns, std::vector<std::int64_t> starts, Index cols);

  const MatrixView& view() const { return view_; }
  template <class F>
  decltype(auto) visit(F&& f) const {
    return std::visit(std::forward<F>(f), view_);
  }

  Index rows() const;
  Index cols() const;
  Index stored() const;  // entries held: all of them when dense, the CSR entries otherwise
  bool is_dense() const;
  Precision precision() const;
  const std::shared_ptr<const void>& owner() const { return owner_; }

  // Throws unless pointers, row starts and column indices are in bounds, ascending, and every value is finite.
  // One parallel pass over the data (threads 0 = all).
  void check(int threads = 0) const;

 private:
  MatrixView view_;
  std::shared_ptr<const void> owner_;
};

template <class T>
Matrix Matrix::own_dense(std::vector<T> values, Index rows, Index cols) {
  auto kept = std::make_shared<const std::vector<T>>(std::move(values));
  return Matrix(DenseView<T>{kept->data(), rows, cols, cols}, kept);
}

template <class T, class I>
Matrix Matrix::own_csr(std::vector<T> values, std::vector<I> columns, std::vector<std::int64_t> starts, Index cols) {
  struct Parts {
    std::vector<T> values;
    std::vector<I> columns;
    std::vector<std::int64_t> starts;
  };
  auto kept = std::make_shared<const Parts>(Parts{std::move(values), std::move(columns), std::move(starts)});
  const Index rows = static_cast<Index>(kept->starts.size()) - 1;
  return Matrix(CsrView<T, I>{kept->values.data(), kept->columns.data(), kept->starts.data(), rows, cols}, kept);
}

}  // namespace s3gd
