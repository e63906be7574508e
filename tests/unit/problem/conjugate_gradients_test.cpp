#include "problem/conjugate_gradients.hpp"

#include <gtest/gtest.h>

#include "kernel/blas.hpp"
#include "support/random_problem.hpp"

namespace s3gd {
namespace {

using testing::Vector;

constexpr std::size_t kSize = 6;

// A'A + 1, row-major.
Vector positive_matrix(std::uint64_t seed) {
  const Vector a = testing::random_vector(kSize * kSize, seed);
  Vector matrix(kSize * kSize, 0.0);
  for (std::size_t r = 0; r < kSize; ++r)
    for (std::size_t c = 0; c < kSize; ++c) {
      for (std::size_t k = 0; k < kSize; ++k) matrix[r * kSize + c] += a[k * kSize + r] * a[k * kSize + c];
      if (r == c) matrix[r * kSize + c] += 1;
    }
  return matrix;
}

struct Several {
  std::vector<Vector> matrices;
  std::vector<std::size_t> asked;  // how many systems each product was for
  LinearSystems systems;

  explicit Several(std::size_t count) {
    for (std::size_t k = 0; k < count; ++k) matrices.push_back(positive_matrix(k + 1));
    systems.accuracy = 1e-9;
    systems.precondition = [](std::span<double>) {};
    systems.times = [this](std::span<const std::size_t> which, std::span<const double> v, std::span<double> out) {
      asked.push_back(which.size());
      for (std::size_t c = 0; c < which.size(); ++c)
        for (std::size_t r = 0; r < kSize; ++r) {
          out[c * kSize + r] = 0;
          for (std::size_t k = 0; k < kSize; ++k)
            out[c * kSize + r] += matrices[which[c]][r * kSize + k] * v[c * kSize + k];
        }
    };
  }
};

Vector by_factor(Vector matrix, Vector v) {
  blas::cholesky(kSize, matrix.data(), kSize);
  blas::cholesky_solve(kSize, matrix.data(), kSize, v.data());
  return v;
}

TEST(ConjugateGradients, SystemsSideBySideAreSolvedAsEachAlone) {
  Several several(3);
  std::vector<Vector> v;
  for (std::uint64_t k = 0; k < 3; ++k) v.push_back(testing::random_vector(kSize, 10 + k));
  const std::vector<Vector> right = v;
  const std::vector<Index> products = conjugate_gradients(several.systems, v);
  for (std::size_t k = 0; k < 3; ++k) {
    const Vector expected = by_factor(several.matrices[k], right[k]);
    for (std::size_t j = 0; j < kSize; ++j) EXPECT_NEAR(v[k][j], expected[j], 1e-8);
    EXPECT_LE(products[k], static_cast<Index>(kSize) + 1);
  }
}

TEST(ConjugateGradients, OneThatIsDoneDropsOut) {
  Several several(2);
  several.matrices[0].assign(kSize * kSize, 0.0);
  for (std::size_t j = 0; j < kSize; ++j) several.matrices[0][j * kSize + j] = 2;  // one product is enough
  std::vector<Vector> v(2, testing::random_vector(kSize, 20));
  const std::vector<Index> products = conjugate_gradients(several.systems, v);
  EXPECT_EQ(products[0], 1);
  EXPECT_GT(products[1], 1);
  EXPECT_EQ(several.asked[0], 2u);
  EXPECT_EQ(several.asked[1], 1u);
}

TEST(ConjugateGradients, ARightSideOfZerosNeedsNoProduct) {
  Several several(1);
  std::vector<Vector> v(1, Vector(kSize, 0.0));
  EXPECT_EQ(conjugate_gradients(several.systems, v), std::vector<Index>{0});
  EXPECT_EQ(v[0], Vector(kSize, 0.0));
}

TEST(ConjugateGradients, WhereItIsToldToStopItAnswersWithWhatThereIs) {
  Several several(1);
  int left = 2;
  several.systems.stop = [&] { return left-- == 0; };
  std::vector<Vector> v(1, testing::random_vector(kSize, 21));
  const Vector right = v[0];
  EXPECT_EQ(conjugate_gradients(several.systems, v), std::vector<Index>{2});
  double down = 0;
  for (std::size_t j = 0; j < kSize; ++j) down += right[j] * v[0][j];
  EXPECT_GT(down, 0);  // still a direction of descent
}

}  // namespace
}  // namespace s3gd
