// Steps for the nuclear norm of X (p x K).
//
// A sweep is a proximal step, which shrinks singular values and finds the rank r. A leap is a Newton step over the
// matrices of rank r near X = U S V', to first order  D V' + U E W'  (W: the directions that X lacks). There the norm is
// smooth, and bends by lambda times
//
//     sum over a < b of (u_a'd_b - u_b'd_a)^2 / (s_a + s_b) + sum over b of ||(1 - U U') d_b||^2 / s_b
//         + sum over a, b of E_ab^2 / s_a
#include <algorithm>
#include <cmath>
#include <utility>

#include "base/index.hpp"
#include "exact/dense_step.hpp"
#include "kernel/blas.hpp"
#include "kernel/kernel.hpp"

namespace s3gd {
namespace {

constexpr double kZero = 1e-10;  // of the largest singular value
constexpr int kPowers = 20;      // products for the steepest direction; too low an estimate shows in the first sweeps

// Right singular vectors, one a row, those of the largest values first, and the values.
struct Right {
  std::vector<double> vectors, values;
};

Right right_vectors(std::span<const double> x, Index rows, Index cols) {
  std::vector<double> gram(at(cols * cols)), squares(at(cols)), part(at(rows));
  blas::gemm(blas::Op::transposed, blas::Op::plain, cols, cols, rows, 1.0, x.data(), cols, x.data(), cols, 0.0,
             gram.data(), cols);
  blas::symmetric_eigen(cols, gram.data(), squares.data());
  Right right;
  for (Index v = cols - 1; v >= 0; --v) {
    const double* vector = gram.data() + v * cols;
    right.vectors.insert(right.vectors.end(), vector, vector + cols);
    for (Index j = 0; j < rows; ++j) part[at(j)] = kernel::dot(&x[at(j * cols)], vector, cols);
    right.values.push_back(std::sqrt(kernel::dot(part.data(), part.data(), rows)));
  }
  return right;
}

// X as a leap sees it.
struct Tangent {
  Index rank = 0;
  Right right;
  std::vector<double> left;   // rank x p, one vector a row
  std::vector<double> basis;  // directions x weights, orthonormal: D (feature by feature), then E
  Index directions = 0;
};

class NuclearDescent final : public Descent {
 public:
  NuclearDescent(DenseModel& model, const MatrixPenalty& penalty, Index classes)
      : model_(model),
        penalty_(penalty),
        lambda_(penalty.threshold(0)),
        classes_(classes),
        features_(model.size / classes) {
    std::vector<double> v(at(model.size), 1.0), image(v.size());
    for (Index c = 0; c < model.size; ++c) v[at(c)] = std::sqrt(model.diagonal(c)) * (c % 2 == 0 ? 1.0 : -0.9);
    for (int power = 0; power < kPowers; ++power) {
      blas::gemm(blas::Op::plain, blas::Op::plain, model.size, 1, model.size, 1.0, model.matrix.data(), model.size,
                 v.data(), 1, 0.0, image.data(), 1);
      const double size = std::sqrt(kernel::dot(image.data(), image.data(), model.size));
      if (!(size > 0)) break;
      steepest_ = size / std::sqrt(kernel::dot(v.data(), v.data(), model.size));
      v = image;
      kernel::scale(1 / size, v.data(), model.size);
    }
  }

  double penalty(std::span<const double> x) const override { return penalty_.value(x); }
  double sweep() override;
  std::vector<double> direction(double damping) const override;
  Leap leap(std::span<const double> direction, double length) const override;

 private:
  Index rank_of(const Right& right) const {
    Index rank = 0;
    while (rank < std::min(features_, classes_) && right.values[at(rank)] > kZero * right.values[0]) ++rank;
    return rank;
  }
  Tangent tangent() const;
  void bend(const Tangent& tangent, std::span<double> matrix) const;

  DenseModel& model_;
  const MatrixPenalty& penalty_;
  double lambda_;
  Index classes_, features_;
  double steepest_ = 1;  // M's largest eigenvalue, or a little less
};

double NuclearDescent::sweep() {
  for (;;) {
    std::vector<double> next = model_.x;
    kernel::axpy(-1 / steepest_, model_.slope.data(), next.data(), model_.size);
    penalty_.prox(1 / steepest_, next);
    std::vector<double> slope = model_.slope_at(next);
    double bent = 0, moved = 0;
    for (std::size_t c = 0; c < next.size(); ++c) {
      const double d = next[c] - model_.x[c];
      bent += d * (slope[c] - model_.slope[c]);
      moved += d * d;
    }
    if (bent > steepest_ * moved * (1 + 1e-9)) {
      steepest_ = 1.1 * bent / moved;
      continue;
    }
    model_.x = std::move(next);
    model_.slope = std::move(slope);
    return steepest_ * moved;
  }
}

Tangent NuclearDescent::tangent() const {
  Tangent t;
  t.right = right_vectors(model_.x, features_, classes_);
  t.rank = rank_of(t.right);
  t.left.resize(at(t.rank * features_));
  for (Index a = 0; a < t.rank; ++a)
    for (Index j = 0; j < features_; ++j) {
      const double along = kernel::dot(&model_.x[at(j * classes_)], &t.right.vectors[at(a * classes_)], classes_);
      t.left[at(a * features_ + j)] = along / t.right.values[at(a)];
    }
  t.directions = features_ * t.rank + t.rank * (classes_ - t.rank);
  t.basis.assign(at(t.directions * model_.size), 0.0);
  for (Index j = 0; j < features_; ++j)
    for (Index b = 0; b < t.rank; ++b)
      std::copy_n(&t.right.vectors[at(b * classes_)], classes_,
                  &t.basis[at((j * t.rank + b) * model_.size + j * classes_)]);
  for (Index a = 0; a < t.rank; ++a)
    for (Index b = t.rank; b < classes_; ++b) {
      const Index direction = features_ * t.rank + a * (classes_ - t.rank) + b - t.rank;
      for (Index j = 0; j < features_; ++j)
        kernel::axpy(t.left[at(a * features_ + j)], &t.right.vectors[at(b * classes_)],
                     &t.basis[at(direction * model_.size + j * classes_)], classes_);
    }
  return t;
}

// Adds the norm's curvature to a matrix over the directions.
void NuclearDescent::bend(const Tangent& t, std::span<double> matrix) const {
  const auto add = [&](Index row, Index col, double value) { matrix[at(row * t.directions + col)] += value; };
  for (Index b = 0; b < t.rank; ++b) {
    const double own = lambda_ / t.right.values[at(b)];
    for (Index i = 0; i < features_; ++i) add(i * t.rank + b, i * t.rank + b, own);
    for (Index a = 0; a < t.rank; ++a) {
      // Along u_a the norm bends by the sum of the two values, and not at all along u_b.
      const double pair = a == b ? 0.0 : lambda_ / (t.right.values[at(a)] + t.right.values[at(b)]);
      const double *ua = &t.left[at(a * features_)], *ub = &t.left[at(b * features_)];
      for (Index i = 0; i < features_; ++i)
        for (Index j = 0; j < features_; ++j) {
          add(i * t.rank + b, j * t.rank + b, (pair - own) * ua[i] * ua[j]);
          if (a != b) add(i * t.rank + b, j * t.rank + a, -pair * ua[i] * ub[j]);
        }
    }
  }
  const Index lacking = classes_ - t.rank;
  for (Index e = 0; e < t.rank * lacking; ++e) {
    const Index direction = features_ * t.rank + e;
    add(direction, direction, lambda_ / t.right.values[at(e / lacking)]);
  }
}

std::vector<double> NuclearDescent::direction(double damping) const {
  const Tangent t = tangent();
  if (t.rank == 0) return {};
  const Index n = model_.size, m = t.directions;
  std::vector<double> image(at(m * n)), matrix(at(m * m)), step(at(m));
  blas::gemm(blas::Op::plain, blas::Op::plain, m, n, n, 1.0, t.basis.data(), n, model_.matrix.data(), n, 0.0,
             image.data(), n);
  blas::gemm(blas::Op::plain, blas::Op::transposed, m, m, n, 1.0, image.data(), n, t.basis.data(), n, 0.0,
             matrix.data(), m);
  for (Index d = 0; d < m; ++d) {
    matrix[at(d * m + d)] *= 1 + damping;
    step[at(d)] = -kernel::dot(&t.basis[at(d * n)], model_.slope.data(), n);
  }
  for (Index j = 0; j < features_; ++j)
    for (Index b = 0; b < t.rank; ++b) step[at(j * t.rank + b)] -= lambda_ * t.left[at(b * features_ + j)];
  bend(t, matrix);
  if (!blas::cholesky(m, matrix.data(), m)) return {};
  blas::cholesky_solve(m, matrix.data(), m, step.data());
  std::vector<double> direction(at(n), 0.0);
  for (Index d = 0; d < m; ++d) kernel::axpy(step[at(d)], &t.basis[at(d * n)], direction.data(), n);
  return direction;
}

// Back to rank r: what is beyond it is of second order.
Descent::Leap NuclearDescent::leap(std::span<const double> direction, double length) const {
  Leap leap{model_.x, false};
  kernel::axpy(length, direction.data(), leap.to.data(), model_.size);
  const Right right = right_vectors(leap.to, features_, classes_);
  for (Index v = rank_of(right_vectors(model_.x, features_, classes_)); v < classes_; ++v) {
    const double* vector = &right.vectors[at(v * classes_)];
    for (Index j = 0; j < features_; ++j) {
      double* row = &leap.to[at(j * classes_)];
      kernel::axpy(-kernel::dot(row, vector, classes_), vector, row, classes_);
    }
  }
  return leap;
}

}  // namespace

std::unique_ptr<Descent> nuclear_descent(DenseModel& model, const MatrixPenalty& penalty, Index classes) {
  return std::make_unique<NuclearDescent>(model, penalty, classes);
}

}  // namespace s3gd
