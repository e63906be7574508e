// Second derivatives of the loss part:  H = sum_i h_i x_i x_i',  h_i = q_i psi''(u_i), the intercept's 1 included.
//
// As a matrix over chosen coordinates (n s^2 / 2 multiplications for dense rows, the squares of the rows' non-zeros for
// sparse ones), as its diagonal (one pass), or as products H p (one pass each). Same bits at any number of threads.
#pragma once

#include <span>

#include "s3gd/problem.hpp"

namespace s3gd {

// h_i at the given margins.
std::vector<double> curvatures(const Problem& problem, std::span<const double> margins);

// Lower triangle, row-major, of H over the coordinates in `chosen` (ascending). Once `must_stop` says so, from any thread, the
// rest of the rows is left out.
std::vector<double> hessian(const Problem& problem, std::span<const double> h, std::span<const Index> chosen,
                            const std::function<bool()>& must_stop = {});

std::vector<double> hessian_diagonal(const Problem& problem, std::span<const double> h);

// out = H p
void hessian_times(const Problem& problem, std::span<const double> h, std::span<const double> p, std::span<double> out);

}  // namespace s3gd
