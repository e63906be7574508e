// Between layouts and precisions: dense <-> CSR, float <-> double, more columns.
//
// Layout::automatic is dense when more than a third of the entries are non-zero. CSR columns are 32 bits wide when
// they fit. Each call is one or two parallel passes over the data; asking for what is already there copies nothing.
#pragma once

#include "s3gd/dataset.hpp"

namespace s3gd {

Index count_nonzeros(const Matrix& matrix, int threads);

// Exact zeros are dropped when going from dense to CSR, and kept when the matrix is CSR already.
Matrix with_layout(const Matrix& matrix, Layout layout, Precision precision, int threads);

// At least `cols` columns; the new ones hold zeros.
Matrix with_cols(const Matrix& matrix, Index cols, int threads);

// Rows by number, in the given order and in the same layout (a copy).
Matrix gather_rows(const Matrix& matrix, std::span<const Index> rows, int threads);
// Column j becomes column places[j] (a copy).
Matrix with_columns_at(const Matrix& matrix, std::span<const Index> places, int threads);

// What a reader does last: layout, precision and columns as asked. A layout the options leave open is kept as it is in
// the file, or chosen by the rule. Data that must be copied for it is verified first.
enum class WhenOpen : std::uint8_t { keep, choose };
void apply_options(Dataset& data, const LoadOptions& options, WhenOpen when_open);

}  // namespace s3gd
