// A sample of the rows, spread evenly over all of them: a few thousand, two million entries at most or those of 200 rows.
#pragma once

#include <algorithm>

#include "data/row_access.hpp"

namespace s3gd {

// Calls visit(view, row) for the rows of the sample that have a weight.
template <class Weight, class Visit>
void for_each_in_sample(const Matrix& x, Weight&& weight, Visit&& visit) {
  constexpr Index fewest = 200, most = 5000, most_entries = 2'000'000;
  const Index n = x.rows();
  const Index per_row = std::max<Index>(1, x.stored() / std::max<Index>(1, n));
  const Index wanted = std::min(n, std::clamp(most_entries / per_row, fewest, most));
  x.visit([&](const auto& view) {
    for (Index k = 0; k < wanted; ++k) {
      const auto row =
          static_cast<Index>(static_cast<double>(k) * (static_cast<double>(n) / static_cast<double>(wanted)));
      if (weight(row) != 0) visit(view, row);
    }
  });
}

}  // namespace s3gd
