#include "kernel/blas.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "base/random.hpp"
#include "s3gd/error.hpp"

namespace s3gd {
namespace {

std::vector<double> random_matrix(Index rows, Index cols, std::uint64_t seed) {
  Rng rng(seed);
  std::vector<double> values(static_cast<std::size_t>(rows * cols));
  for (auto& v : values) v = rng.normal();
  return values;
}

TEST(Blas, ProductsEqualTheTripleLoopForAllTranspositions) {
  const Index m = 7, n = 5, k = 11;
  const auto a = random_matrix(m, k, 1), b = random_matrix(k, n, 2);
  std::vector<double> at(a.size()), bt(b.size());
  for (Index i = 0; i < m; ++i)
    for (Index l = 0; l < k; ++l) at[static_cast<std::size_t>(l * m + i)] = a[static_cast<std::size_t>(i * k + l)];
  for (Index l = 0; l < k; ++l)
    for (Index j = 0; j < n; ++j) bt[static_cast<std::size_t>(j * k + l)] = b[static_cast<std::size_t>(l * n + j)];
  using blas::Op;
  for (const Op op_a : {Op::plain, Op::transposed})
    for (const Op op_b : {Op::plain, Op::transposed}) {
      std::vector<double> c(static_cast<std::size_t>(m * n), 1.0);
      std::vector<float> cf(c.size(), 1.0F);
      const auto& as = op_a == Op::plain ? a : at;
      const auto& bs = op_b == Op::plain ? b : bt;
      const Index lda = op_a == Op::plain ? k : m, ldb = op_b == Op::plain ? n : k;
      blas::gemm(op_a, op_b, m, n, k, 2.0, as.data(), lda, bs.data(), ldb, 3.0, c.data(), n);
      const std::vector<float> af(as.begin(), as.end()), bf(bs.begin(), bs.end());
      blas::gemm(op_a, op_b, m, n, k, 2.0F, af.data(), lda, bf.data(), ldb, 3.0F, cf.data(), n);
      for (Index i = 0; i < m; ++i)
        for (Index j = 0; j < n; ++j) {
          double expected = 3.0;
          for (Index l = 0; l < k; ++l)
            expected += 2.0 * a[static_cast<std::size_t>(i * k + l)] * b[static_cast<std::size_t>(l * n + j)];
          EXPECT_NEAR(c[static_cast<std::size_t>(i * n + j)], expected, 1e-12);
          EXPECT_NEAR(cf[static_cast<std::size_t>(i * n + j)], expected, 1e-4);
        }
    }
}

TEST(Blas, CholeskySolvesTheNormalEquations) {
  const Index n = 6, k = 20;
  const auto a = random_matrix(k, n, 3), truth = random_matrix(n, 1, 4);
  std::vector<double> gram(static_cast<std::size_t>(n * n), 0.0), rhs(static_cast<std::size_t>(n), 0.0);
  blas::syrk_transposed(n, k, 1.0, a.data(), n, 0.0, gram.data(), n);
  for (Index l = 0; l < k; ++l) {
    double product = 0;
    for (Index j = 0; j < n; ++j)
      product += a[static_cast<std::size_t>(l * n + j)] * truth[static_cast<std::size_t>(j)];
    for (Index j = 0; j < n; ++j) rhs[static_cast<std::size_t>(j)] += a[static_cast<std::size_t>(l * n + j)] * product;
  }
  ASSERT_TRUE(blas::cholesky(n, gram.data(), n));
  blas::cholesky_solve(n, gram.data(), n, rhs.data());
  for (std::size_t j = 0; j < rhs.size(); ++j) EXPECT_NEAR(rhs[j], truth[j], 1e-11);
}

TEST(Blas, AnIndefiniteMatrixIsReported) {
  std::vector<double> c = {1.0, 0.0, 2.0, 1.0};
  EXPECT_FALSE(blas::cholesky(2, c.data(), 2));
}

TEST(Blas, SizesBeyondThirtyOneBitsAreRefused) {
  double cell = 0;
  EXPECT_THROW(blas::syrk_transposed(Index{1} << 31, 1, 1.0, &cell, 1, 0.0, &cell, 1), Error);
}

}  // namespace
}  // namespace s3gd
