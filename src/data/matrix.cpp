#include "s3gd/matrix.hpp"

#include <bit>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

#include "base/threads.hpp"
#include "s3gd/error.hpp"

namespace s3gd {
namespace {

constexpr Index kRowsPerChunk = 4096;

// A number that is not finite has an exponent of ones only: adding one to it overflows into the sign, of the integer that
// the bits make. Bit by bit, because the compiler makes vectors of that, and this looks at all of the data.
template <class T>
bool all_finite(const T* values, Index count) {
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  constexpr Bits infinity = std::bit_cast<Bits>(std::numeric_limits<T>::infinity());
  constexpr Bits one = infinity & (~infinity + 1);
  Bits seen = 0;
  for (Index k = 0; k < count; ++k) seen |= (std::bit_cast<Bits>(values[k]) & infinity) + one;
  return (seen & ~(~Bits{0} >> 1)) == 0;
}

template <class T>
void check_values(const T* values, Index count, Index row) {
  if (!all_finite(values, count)) throw Error("row " + std::to_string(row) + " holds a value that is not finite");
}

template <class T>
void check_view(const DenseView<T>& view, int threads) {
  if (view.stride < view.cols) throw Error("dense rows overlap: stride is smaller than the number of columns");
  parallel_ranges(view.rows, kRowsPerChunk, threads, [&](Index begin, Index end, Index) {
    for (Index i = begin; i < end; ++i) check_values(view.row(i), view.cols, i);
  });
}

template <class T, class I>
void check_row(const CsrView<T, I>& view, Index i) {
  Index previous = -1;
  for (auto k = view.starts[i]; k < view.starts[i + 1]; ++k) {
    const auto column = static_cast<Index>(view.columns[k]);
    if (column <= previous || column >= view.cols)
      throw Error("row " + std::to_string(i) + " holds column " + std::to_string(column) +
                  ": columns must ascend and stay below " + std::to_string(view.cols));
    previous = column;
  }
  check_values(view.values + view.starts[i], view.row_nonzeros(i), i);
}

template <class T, class I>
void check_view(const CsrView<T, I>& view, int threads) {
  if (view.rows == 0) return;
  for (Index i = 0; i < view.rows; ++i)
    if (view.starts[i] < 0 || view.starts[i] > view.starts[i + 1])
      throw Error("row " + std::to_string(i) + " starts after it ends");
  parallel_ranges(view.rows, kRowsPerChunk, threads, [&](Index begin, Index end, Index) {
    for (Index i = begin; i < end; ++i) check_row(view, i);
  });
}

}  // namespace

Index Matrix::rows() const {
  return visit([](const auto& view) { return view.rows; });
}

Index Matrix::cols() const {
  return visit([](const auto& view) { return view.cols; });
}

Index Matrix::stored() const {
  return visit([](const auto& view) {
    if constexpr (requires { view.stride; })
      return view.rows * view.cols;
    else
      return view.nonzeros();
  });
}

bool Matrix::is_dense() const {
  return visit([](const auto& view) { return requires { view.stride; }; });
}

Precision Matrix::precision() const {
  return visit([](const auto& view) {
    using T = typename std::decay_t<decltype(view)>::Value;
    return std::is_same_v<T, float> ? Precision::float32 : Precision::float64;
  });
}

void Matrix::check(int threads) const {
  visit([&](const auto& view) { check_view(view, threads); });
}

}  // namespace s3gd
