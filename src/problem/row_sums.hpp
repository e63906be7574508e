// Loss and gradient over some or all of the rows, each block of rows read from memory once.
#pragma once

#include <span>

#include "s3gd/problem.hpp"

namespace s3gd {

// data:  margins and block sums in the precision of the rows, block sums added up in double. Relative error of a margin
//        about 1e-7 on float rows: enough to move on, not to certify the last digits.
// exact: double throughout. The same as `data` for sparse rows and rows in double.
enum class Arithmetic : std::uint8_t { data, exact };

struct RowSums {
  double loss = 0;           // sum_i q_i psi(u_i, y_i) over the rows asked for
  double weight = 0;         // sum_i q_i over them
  double positive_loss = 0;  // of those with a target above zero; only where their gradient is asked for
};

// What a pass leaves for each row, in the order of the rows asked for; empty spans are left out.
struct PerRow {
  std::span<double> margins;
  std::span<double> curvatures;  // q_i psi''(u_i, y_i)
  // Not for each row: the gradient of those with a target above zero; in double whatever is asked for.
  std::span<double> positive_gradient = {};
};

// `rows` empty = all. gradient = sum_i q_i psi'(u_i, y_i) x_i, the intercept's component last.
RowSums sum_rows(const Problem& problem, std::span<const Index> rows, std::span<const double> w, Arithmetic arithmetic,
                 std::span<double> gradient, const PerRow& keep = {});

}  // namespace s3gd
