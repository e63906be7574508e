// Sparse rows turned into columns, once for many products and many choices of columns.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "s3gd/matrix.hpp"

namespace s3gd {

class Transposed {
 public:
  // None for dense rows, which have their columns at hand, and where a second copy would take more than `most` bytes.
  static std::optional<Transposed> of(const Matrix& x, Index most);

  Index stored_in(std::span<const Index> columns) const;
  // out_j = sum_i c_i x_ij; each column is summed over its rows in order, so threads do not matter.
  void times(std::span<const double> c, std::span<double> out, int threads) const;
  // The columns asked for (ascending), as rows again. O(rows + entries in them).
  Matrix rows_of(std::span<const Index> columns) const;
  Index rows() const { return rows_; }
  // f(x'), as a view of sparse rows.
  template <class F>
  auto visit(F&& f) const {
    using Narrow = CsrView<float, std::int32_t>;
    using Wide = CsrView<double, std::int32_t>;
    const auto* narrow = std::get_if<Narrow>(&columns_.view());
    return narrow != nullptr ? f(*narrow) : f(std::get<Wide>(columns_.view()));
  }

 private:
  Transposed(Matrix columns, Index rows) : columns_(std::move(columns)), rows_(rows) {}

  Matrix columns_;  // x', in CSR
  Index rows_;
};

}  // namespace s3gd
