// The equation behind a 2-norm next to squared terms:  sum_j t_j^2 / (a_j r + nu)^2 = 1.
//
// Its root r is the length of the minimiser of  sum_j (a_j/2 w_j^2 - t_j w_j) + nu ||w||_2,  whose coordinates are then
// w_j = t_j r / (a_j r + nu). Equal a_j need one Newton step; the cost is O(size) for each.
#pragma once

#include <vector>

namespace s3gd {

// r >= 0; 0 when the minimiser is 0. Meaningful only when the sum falls to 1 for some r.
double radius_of(const std::vector<double>& t, const std::vector<double>& a, double nu);

}  // namespace s3gd
