// Rows as wholes: equality, checksums and (data/convert.hpp) gathering.
//
// A row's checksum is  sum_j bits(x_ij) * key_j  modulo 2^64 with a fixed odd key for each column: absent entries and
// stored zeros of either sign add nothing, and the loop has no branch. Rows are then mixed in order (checksum() in
// s3gd/graph.hpp is of all). A change of one entry always shows, several changes all but always; it is no protection
// against somebody who wants to deceive.
#pragma once

#include "data/convert.hpp"
#include "data/row_access.hpp"

namespace s3gd {

// One row, whatever the layout: data/row_access.hpp says what each does.
double row_square(const Matrix& x, Index i);
void add_row(double a, const Matrix& x, Index i, double* out);
void expand_row(const Matrix& x, Index i, double* out);

// The same numbers in both rows (stored zeros count as absent).
bool rows_equal(const Matrix& x, Index a, Index b);

// Of one row's contents alone, not of its place; the same for every layout that holds the same numbers.
std::uint64_t row_checksum(const Matrix& x, Index i);

}  // namespace s3gd
