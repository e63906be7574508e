// Sparse rows against a table that holds several numbers for each column: one load of an entry serves them all.
//
// Tables have rows of `width` numbers, a multiple of kTableUnit; X is the type of the entries, W that of the table and
// of the arithmetic. X = float|double, W = float|double but not X = double with W = float; I = int32|int64.
#pragma once

#include <cstdint>

#include "s3gd/matrix.hpp"

namespace s3gd::kernel {

inline constexpr Index kTableUnit = 8;
inline Index table_width(Index numbers) { return (numbers + kTableUnit - 1) / kTableUnit * kTableUnit; }

// y = sum_k values[k] * (row places[k] of the table)
template <class X, class I, class W>
void times_table(const X* values, const I* places, Index count, const W* table, Index width, W* y);

// row places[k] of the table += values[k] * c, for all k
template <class X, class I, class W>
void add_to_table(const X* values, const I* places, Index count, const W* c, Index width, W* table);

// Each row of u (count x width, the first `classes` of them meant) becomes the probabilities exp(u_k) / sum_l exp(u_l),
// zero behind them. log_sums = log sum_k exp(u_k), no overflow; not a number where a margin is not finite.
void softmax_rows(Index count, Index classes, Index width, float* u, double* log_sums);
void softmax_rows(Index count, Index classes, Index width, double* u, double* log_sums);

}  // namespace s3gd::kernel
