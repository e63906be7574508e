// The length of a row, right also where the squares of its entries leave the range of a double.
#pragma once

#include <algorithm>
#include <cmath>

#include "data/row_access.hpp"

namespace s3gd {

// An entry divided by the length; a row of zeros stays one.
struct RowLength {
  double largest = 1, rest = 1;  // their product is the length
  double unit(double value) const { return value / largest / rest; }
};

template <class View>
RowLength row_length(const View& view, Index i) {
  double largest = 0, squares = 0;
  for_each_nonzero(view, i, [&](Index, double value) { largest = std::max(largest, std::abs(value)); });
  if (largest == 0) return {};
  for_each_nonzero(view, i, [&](Index, double value) { squares += (value / largest) * (value / largest); });
  return {largest, std::sqrt(squares)};
}

}  // namespace s3gd
