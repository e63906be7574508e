#include "softmax/quadratic.hpp"

#include <algorithm>
#include <cmath>

#include "finish/curvature_sample.hpp"
#include "kernel/blas.hpp"
#include "kernel/kernel.hpp"

namespace s3gd {
namespace {

constexpr std::size_t kMemory = 10;
constexpr double kJitter = 1e-6;  // of the diagonal, which was summed in float

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

double product(std::span<const double> a, std::span<const double> b) {
  return kernel::dot(a.data(), b.data(), static_cast<Index>(a.size()));
}

// The inverse of a small matrix by elimination with pivots; false when it is singular.
bool invert(std::size_t n, std::vector<double>& a) {
  std::vector<double> inverse(n * n, 0.0);
  for (std::size_t r = 0; r < n; ++r) inverse[r * n + r] = 1;
  for (std::size_t c = 0; c < n; ++c) {
    std::size_t pivot = c;
    for (std::size_t r = c + 1; r < n; ++r)
      if (std::abs(a[r * n + c]) > std::abs(a[pivot * n + c])) pivot = r;
    if (!(std::abs(a[pivot * n + c]) > 0)) return false;
    for (std::size_t j = 0; j < n && pivot != c; ++j) {
      std::swap(a[pivot * n + j], a[c * n + j]);
      std::swap(inverse[pivot * n + j], inverse[c * n + j]);
    }
    const double scale = 1 / a[c * n + c];
    for (std::size_t j = 0; j < n; ++j) {
      a[c * n + j] *= scale;
      inverse[c * n + j] *= scale;
    }
    for (std::size_t r = 0; r < n; ++r) {
      const double share = a[r * n + c];
      if (r == c || share == 0) continue;
      for (std::size_t j = 0; j < n; ++j) {
        a[r * n + j] -= share * a[c * n + j];
        inverse[r * n + j] -= share * inverse[c * n + j];
      }
    }
  }
  a = std::move(inverse);
  return true;
}

}  // namespace

LossQuadratic::LossQuadratic(const SoftmaxProblem& problem) : problem_(problem) {}

void LossQuadratic::build(const Curvatures& curvatures, Index sample, Rng& rng) {
  const Index n = problem_.features();
  const RowSample drawn = sample_by_size(curvatures.of_rows(), sample, rng);
  matrix_ = sampled_hessian(problem_, drawn.rows, drawn.weights);
  double largest = 0;
  for (Index j = 0; j < n; ++j) largest = std::max(largest, matrix_[at(j * n + j)]);
  for (Index a = 0; a < n; ++a) matrix_[at(a * n + a)] += kJitter * std::max(matrix_[at(a * n + a)], 1e-6 * largest);
  for (Pair& pair : pairs_) pair.image = metric_times(pair.moved);
}

void LossQuadratic::remember(std::vector<double> moved, std::vector<double> change) {
  const double along = product(moved, change);
  const double sizes = std::sqrt(product(moved, moved) * product(change, change));
  if (!(along > 1e-10 * sizes)) return;  // rounding, not curvature
  std::vector<double> image = metric_times(moved);
  pairs_.push_back({std::move(moved), std::move(change), along, std::move(image)});
  if (pairs_.size() > kMemory) pairs_.pop_front();
}

std::vector<double> LossQuadratic::metric_times(std::span<const double> v) const {
  const Index n = problem_.features(), classes = problem_.classes();
  std::vector<double> out(v.size());
  blas::gemm(blas::Op::plain, blas::Op::plain, n, classes, n, 1.0, matrix_.data(), n, v.data(), classes, 0.0,
             out.data(), classes);
  return out;
}

LossQuadratic::Part LossQuadratic::part(std::span<const Index> chosen) const {
  const Index n = problem_.features(), size = static_cast<Index>(chosen.size());
  Part part;
  part.size_ = size;
  part.classes_ = problem_.classes();
  part.matrix_.resize(at(size * size));
  for (Index a = 0; a < size; ++a)
    for (Index b = 0; b < size; ++b) part.matrix_[at(a * size + b)] = matrix_[at(chosen[at(a)] * n + chosen[at(b)])];
  // B = M - [M S, Y] [[S'M S, L], [L', -D]]^-1 [M S, Y]', L the strictly lower part of S'Y, D its diagonal.
  const std::size_t m = pairs_.size();
  std::vector<double> middle(4 * m * m, 0.0);
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < m; ++j) {
      middle[i * 2 * m + j] = product(pairs_[i].moved, pairs_[j].image);
      if (i > j) middle[i * 2 * m + m + j] = middle[(m + j) * 2 * m + i] = product(pairs_[i].moved, pairs_[j].change);
      if (i == j) middle[(m + i) * 2 * m + m + i] = -pairs_[i].product;
    }
  if (m == 0 || !invert(2 * m, middle)) return part;
  const auto append = [&](const std::vector<double>& vector) {
    for (const Index j : chosen)
      part.vectors_.insert(part.vectors_.end(), vector.begin() + j * part.classes_,
                           vector.begin() + (j + 1) * part.classes_);
  };
  for (const Pair& pair : pairs_) append(pair.image);
  for (const Pair& pair : pairs_) append(pair.change);
  part.middle_ = std::move(middle);
  return part;
}

std::vector<double> LossQuadratic::Part::diagonal() const {
  std::vector<double> result;
  for (Index j = 0; j < size_; ++j) result.push_back(matrix_[at(j * size_ + j)]);
  return result;
}

void LossQuadratic::Part::times(std::span<const double> v, std::span<double> out) const {
  blas::gemm(blas::Op::plain, blas::Op::plain, size_, classes_, size_, 1.0, matrix_.data(), size_, v.data(), classes_,
             0.0, out.data(), classes_);
  if (middle_.empty()) return;
  const Index length = size_ * classes_;
  const auto m = static_cast<Index>(vectors_.size()) / std::max<Index>(1, length);
  std::vector<double> along(at(m));
  for (Index c = 0; c < m; ++c) along[at(c)] = kernel::dot(vectors_.data() + c * length, v.data(), length);
  for (Index c = 0; c < m; ++c) {
    const double share = kernel::dot(middle_.data() + c * m, along.data(), m);
    kernel::axpy(-share, vectors_.data() + c * length, out.data(), length);
  }
}

}  // namespace s3gd
