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

// The same of any rows, whatever their weights stand for.
struct WeightedRows {
  const Matrix& x;
  std::span<const Index> rows;      // empty = all
  std::span<const double> weights;  // none negative; one for each of those rows
  int threads = 0;
};

// The lower triangle of sum_i weight_i x_i x_i' over the chosen columns (ascending; the one after the last is the constant 1).
// Full rows are summed in S, float or double, by parts; rows of few entries entry by entry, in double.
template <class S>
std::vector<double> sum_of_products(const WeightedRows& sample, std::span<const Index> chosen,
                                    const std::function<bool()>& must_stop = {});
// Its diagonal over all columns; constant: the one of ones comes last.
std::vector<double> sum_of_squares(const WeightedRows& sample, bool constant);

// The upper triangle becomes that of a symmetric matrix, size x size.
void mirror(std::vector<double>& matrix, Index size);

// A symmetric matrix (its lower triangle) plus diag(added) as a Cholesky factor, divided by its columns' sizes first, so that
// features on any scale keep their digits. What is lacking to a positive one is put on its diagonal, which then is 1: as
// little of it as will do, `jitter` at least.
class ScaledFactor {
 public:
  ScaledFactor() = default;
  ScaledFactor(std::vector<double> matrix, std::span<const double> added, double jitter);
  // v <- (matrix + diag(added))^-1 v; several vectors, one after the other, are solved for at once.
  void solve(std::span<double> v) const;

 private:
  std::vector<double> scale_, factor_;
};

}  // namespace s3gd
