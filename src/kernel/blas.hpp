// Matrix products and Cholesky factors from BLAS and LAPACK, all matrices row-major.
//
// The library's own threads call these on blocks; BLAS itself never starts a thread (two levels of threads fight for
// the cores, and its split of the work would change the bits). Sizes are 64-bit here and checked against BLAS's own.
#pragma once

#include "s3gd/matrix.hpp"

namespace s3gd::blas {

enum class Op : bool { plain, transposed };

// C (m x n) = alpha op(A) op(B) + beta C, where op(A) is m x k and op(B) k x n; ld* = values between rows as stored.
void gemm(Op op_a, Op op_b, Index m, Index n, Index k, float alpha, const float* a, Index lda, const float* b,
          Index ldb, float beta, float* c, Index ldc);
void gemm(Op op_a, Op op_b, Index m, Index n, Index k, double alpha, const double* a, Index lda, const double* b,
          Index ldb, double beta, double* c, Index ldc);

// Lower triangle of C (n x n) = alpha A'A + beta C, where A is k x n.
void syrk_transposed(Index n, Index k, float alpha, const float* a, Index lda, float beta, float* c, Index ldc);
void syrk_transposed(Index n, Index k, double alpha, const double* a, Index lda, double beta, double* c, Index ldc);

// C = L L' in place, using and overwriting the lower triangle. False when C is not positive definite.
bool cholesky(Index n, double* c, Index ldc);
// Solves L L' x = b in place with the factor from cholesky(), for `count` right-hand sides: b is count x n.
void cholesky_solve(Index n, const double* factor, Index ldc, double* b, Index count = 1);

// Eigenvalues, ascending, of the symmetric C (n x n); its rows become the eigenvectors, in the same order. Throws when
// the iteration does not converge, as it does not for entries that are not finite.
void symmetric_eigen(Index n, double* c, double* values);

}  // namespace s3gd::blas
