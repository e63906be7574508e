// Matrices put together from arrays that own their memory, and the arithmetic of sizes that come from a file.
#pragma once

#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "s3gd/error.hpp"
#include "s3gd/matrix.hpp"

namespace s3gd {

// Empty when the product of two sizes does not fit into 64 bits, or either is negative.
inline std::optional<Index> product(Index a, Index b) {
  Index result = 0;
  if (a < 0 || b < 0 || __builtin_mul_overflow(a, b, &result)) return std::nullopt;
  return result;
}

// Throws when more memory is asked for than the machine has: an Error now rather than the system killing us later.
void require_memory(double bytes, const std::string& purpose);

inline bool fits_narrow_columns(Index cols) { return cols <= std::numeric_limits<std::int32_t>::max(); }

template <class T>
Matrix dense_matrix(const Array<T>& values, Index rows, Index cols) {
  return Matrix(DenseView<T>{values.data(), rows, cols, cols}, values.owner());
}

template <class T, class I>
Matrix csr_matrix(Array<T> values, Array<I> columns, Array<std::int64_t> starts, Index cols) {
  struct Parts {
    Array<T> values;
    Array<I> columns;
    Array<std::int64_t> starts;
  };
  const Index rows = starts.size() - 1;
  const CsrView<T, I> view{values.data(), columns.data(), starts.data(), rows, cols};
  return Matrix(view, std::make_shared<const Parts>(Parts{std::move(values), std::move(columns), std::move(starts)}));
}

}  // namespace s3gd
