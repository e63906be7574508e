// One proximal Newton step over a matrix in memory, against proximal gradient steps without end.
#include "exact/dense_step.hpp"

#include <gtest/gtest.h>

#include "exact/softmax_hessian.hpp"
#include "support/softmax_sample.hpp"

namespace s3gd {
namespace {

using testing::Vector;

class NeverStops final : public Progress {
 public:
  bool moved(std::span<const double>, double, double, double) override { return true; }
  bool must_stop() const override { return false; }
};

struct Quadratic {
  Vector matrix, w, gradient;

  std::size_t size() const { return w.size(); }
  Vector slope(const Vector& x) const {
    Vector out = gradient;
    for (std::size_t a = 0; a < size(); ++a)
      for (std::size_t b = 0; b < size(); ++b) out[a] += matrix[a * size() + b] * (x[b] - w[b]);
    return out;
  }
  double value(const Vector& x) const {
    const Vector there = slope(x);
    double sum = 0;
    for (std::size_t a = 0; a < size(); ++a) sum += 0.5 * (x[a] - w[a]) * (gradient[a] + there[a]);
    return sum;
  }
};

// A'A of correlated columns: each is a random one plus a multiple of the same.
Quadratic correlated(Index size, double common, std::uint64_t seed) {
  const Index rows = 2 * size;
  const Vector shared = testing::random_vector(rows, seed);
  Vector a = testing::random_vector(rows * size, seed + 1);
  for (Index r = 0; r < rows; ++r)
    for (Index c = 0; c < size; ++c)
      a[static_cast<std::size_t>(r * size + c)] += common * shared[static_cast<std::size_t>(r)];
  Quadratic q{Vector(static_cast<std::size_t>(size * size), 0.0), testing::random_vector(size, seed + 2, 0.3),
              testing::random_vector(size, seed + 3, 0.5)};
  for (Index i = 0; i < size; ++i)
    for (Index j = 0; j < size; ++j)
      for (Index r = 0; r < rows; ++r)
        q.matrix[static_cast<std::size_t>(i * size + j)] += a[static_cast<std::size_t>(r * size + i)] *
                                                            a[static_cast<std::size_t>(r * size + j)] /
                                                            static_cast<double>(rows);
  return q;
}

Vector slowly(const Quadratic& q, const MatrixPenalty& penalty, int steps) {
  double trace = 0;
  for (std::size_t c = 0; c < q.size(); ++c) trace += q.matrix[c * q.size() + c];
  Vector x = q.w;
  for (int k = 0; k < steps; ++k) {
    const Vector slope = q.slope(x);
    for (std::size_t c = 0; c < q.size(); ++c) x[c] -= slope[c] / trace;
    penalty.prox(1 / trace, x);
  }
  return x;
}

TEST(DenseStep, EndsAtTheMinimumForEveryPenaltyAndIntercept) {
  const Index cols = 6, classes = 3;
  for (const Intercept intercept : {Intercept::none, Intercept::free, Intercept::regularised})
    for (auto spec : testing::matrix_penalties())
      for (const double lambda : {0.02, 0.2}) {
        spec.lambda = lambda;
        const MatrixPenalty penalty(spec, cols, classes, intercept);
        const Index size = (cols + (intercept == Intercept::none ? 0 : 1)) * classes;
        const Quadratic q = correlated(size, 2.0, 91);
        SCOPED_TRACE(std::string(name_of(spec.kind)) + " " + std::to_string(lambda) + " " +
                     std::to_string(static_cast<int>(intercept)));
        double damping = 0.1;
        NeverStops progress;
        const Vector x = minimise({q.matrix, penalty, q.w, q.gradient, classes, intercept == Intercept::free, 1e9},
                                  1e-9, damping, progress);
        const Vector slow = slowly(q, penalty, 40000);
        const double best = q.value(slow) + penalty.value(slow);
        EXPECT_NEAR(q.value(x) + penalty.value(x), best, 1e-8 * std::max(1.0, std::abs(best)));
        for (std::size_t c = 0; c < x.size(); ++c) EXPECT_NEAR(x[c], slow[c], 1e-4) << c;
        if (spec.kind == MatrixPenaltyKind::nuclear) {
          EXPECT_EQ(penalty.rank(x), penalty.rank(slow));
        }
      }
}

// Rows of few entries are multiplied entry by entry, full ones as matrices: both as three plain loops do.
TEST(CoupledHessian, IsTheSumOverTheRows) {
  for (const double density : {1.0, 0.05}) {
    const Index rows = 70, cols = 40, classes = 3, features = cols + 1, dim = features * classes;
    const auto sample = testing::softmax_sample(rows, cols, classes, 92, density);
    const Matrix x = sample.table.csr<float, std::int32_t>();
    Vector weights(static_cast<std::size_t>(rows));
    std::vector<float> p;
    for (Index i = 0; i < rows; ++i) {
      weights[static_cast<std::size_t>(i)] = 0.1 + 0.01 * static_cast<double>(i);
      const float first = 0.1F + 0.01F * static_cast<float>(i % 30), second = 0.3F;
      p.insert(p.end(), {first, second, 1.0F - first - second});
    }
    const Vector matrix = coupled_hessian({x, true, classes, weights, p, 1}, rows);
    for (Index a = 0; a < dim; ++a)
      for (Index b = 0; b < dim; ++b) {
        const Index k = a % classes, l = b % classes, ja = a / classes, jb = b / classes;
        double sum = 0;
        for (Index i = 0; i < rows; ++i) {
          const double xa = ja == cols ? 1.0 : static_cast<double>(static_cast<float>(sample.table.at(i, ja)));
          const double xb = jb == cols ? 1.0 : static_cast<double>(static_cast<float>(sample.table.at(i, jb)));
          const float* of = &p[static_cast<std::size_t>(i * classes)];
          sum += weights[static_cast<std::size_t>(i)] * xa * xb * static_cast<double>(of[k]) *
                 ((k == l ? 1.0 : 0.0) - static_cast<double>(of[l]));
        }
        EXPECT_NEAR(matrix[static_cast<std::size_t>(a * dim + b)], sum, 1e-5) << a << " " << b;
      }
  }
}

}  // namespace
}  // namespace s3gd
