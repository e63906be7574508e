#include "kernel/blas.hpp"

#include <cblas.h>

#include <limits>

#include "s3gd/error.hpp"

extern "C" {
void openblas_set_num_threads(int count) __attribute__((weak));  // absent from other BLAS libraries
void dpotrf_(const char* uplo, const int* n, double* a, const int* lda, int* info, std::size_t uplo_length);
void dpotrs_(const char* uplo, const int* n, const int* nrhs, const double* a, const int* lda, double* b,
             const int* ldb, int* info, std::size_t uplo_length);
void dsyev_(const char* jobz, const char* uplo, const int* n, double* a, const int* lda, double* w, double* work,
            const int* lwork, int* info, std::size_t jobz_length, std::size_t uplo_length);
}

namespace s3gd::blas {
namespace {

int small(Index size) {
  if (size < 0 || size > std::numeric_limits<int>::max())
    throw Error("a matrix side of " + std::to_string(size) + " is more than BLAS can take");
  return static_cast<int>(size);
}

int leading(Index size) { return small(size < 1 ? 1 : size); }

void one_thread() {
  static const bool done = [] {
    if (openblas_set_num_threads != nullptr) openblas_set_num_threads(1);
    return true;
  }();
  static_cast<void>(done);
}

CBLAS_TRANSPOSE flag(Op op) { return op == Op::transposed ? CblasTrans : CblasNoTrans; }

}  // namespace

void gemm(Op op_a, Op op_b, Index m, Index n, Index k, float alpha, const float* a, Index lda, const float* b,
          Index ldb, float beta, float* c, Index ldc) {
  if (m == 0 || n == 0) return;
  one_thread();
  cblas_sgemm(CblasRowMajor, flag(op_a), flag(op_b), small(m), small(n), small(k), alpha, a, leading(lda), b,
              leading(ldb), beta, c, leading(ldc));
}

void gemm(Op op_a, Op op_b, Index m, Index n, Index k, double alpha, const double* a, Index lda, const double* b,
          Index ldb, double beta, double* c, Index ldc) {
  if (m == 0 || n == 0) return;
  one_thread();
  cblas_dgemm(CblasRowMajor, flag(op_a), flag(op_b), small(m), small(n), small(k), alpha, a, leading(lda), b,
              leading(ldb), beta, c, leading(ldc));
}

void syrk_transposed(Index n, Index k, float alpha, const float* a, Index lda, float beta, float* c, Index ldc) {
  if (n == 0) return;
  one_thread();
  cblas_ssyrk(CblasRowMajor, CblasLower, CblasTrans, small(n), small(k), alpha, a, leading(lda), beta, c, leading(ldc));
}

void syrk_transposed(Index n, Index k, double alpha, const double* a, Index lda, double beta, double* c, Index ldc) {
  if (n == 0) return;
  one_thread();
  cblas_dsyrk(CblasRowMajor, CblasLower, CblasTrans, small(n), small(k), alpha, a, leading(lda), beta, c, leading(ldc));
}

// LAPACK counts by columns: the lower triangle by rows is its upper triangle.
bool cholesky(Index n, double* c, Index ldc) {
  if (n == 0) return true;
  one_thread();
  const int size = small(n), stride = leading(ldc);
  int info = 0;
  dpotrf_("U", &size, c, &stride, &info, 1);
  return info == 0;
}

void cholesky_solve(Index n, const double* factor, Index ldc, double* b, Index count) {
  if (n == 0 || count == 0) return;
  one_thread();
  const int size = small(n), stride = leading(ldc), sides = small(count);
  int info = 0;
  dpotrs_("U", &size, &sides, factor, &stride, b, &size, &info, 1);
}

void symmetric_eigen(Index n, double* c, double* values) {
  if (n == 0) return;
  one_thread();
  const int size = small(n);
  double wanted = 0;
  int info = 0, query = -1;
  dsyev_("V", "U", &size, c, &size, values, &wanted, &query, &info, 1, 1);
  std::vector<double> work(static_cast<std::size_t>(wanted));
  const int room = static_cast<int>(work.size());
  dsyev_("V", "U", &size, c, &size, values, work.data(), &room, &info, 1, 1);
  if (info != 0) throw Error("the eigenvalues of a matrix could not be found", "its entries must be finite");
}

}  // namespace s3gd::blas
