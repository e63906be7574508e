#include "softmax/quadratic.hpp"

#include <algorithm>
#include <cmath>

#include "anchor/rows.hpp"
#include "base/threads.hpp"
#include "data/row_access.hpp"
#include "kernel/blas.hpp"
#include "kernel/kernel.hpp"
#include "softmax/coupled_factor.hpp"

namespace s3gd {
namespace {

constexpr std::size_t kMemory = 10;
constexpr double kJitter = 1e-6;  // of the diagonal, which was summed in float
constexpr double kTooFlat = 0.5;  // of a column's own curvature: with less, the sample is taken to lack the column
constexpr Index kRowsPerChunk = 1024;
constexpr double kCostOfAStep = 1e9;  // operations
constexpr Index kMostCoupled = 2000;  // weights; beyond, the coupling of the classes costs more than it saves

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

double product(std::span<const double> a, std::span<const double> b) {
  return kernel::dot(a.data(), b.data(), static_cast<Index>(a.size()));
}

// Of each row: sum_j x_ij^2 / diagonal_j, which for a row of unit curvature is what it adds to its columns' own.
std::vector<double> column_shares(const SoftmaxProblem& problem, std::span<const double> diagonal) {
  std::vector<double> shares(at(problem.rows()));
  std::vector<double> inverse(diagonal.begin(), diagonal.end());
  for (double& value : inverse) value = 1 / value;
  problem.x().visit([&](const auto& x) {
    parallel_ranges(x.rows, kRowsPerChunk, problem.spec().threads, [&](Index begin, Index end, Index) {
      for (Index i = begin; i < end; ++i) {
        double sum = problem.has_intercept() ? inverse.back() : 0.0;
        for_each_nonzero(x, i, [&](Index j, auto value) {
          sum += static_cast<double>(value) * static_cast<double>(value) * inverse[at(j)];
        });
        shares[at(i)] = sum;
      }
    });
  });
  return shares;
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

void Damped::times(std::span<const double> v, std::span<double> out) const {
  part_.times(v, out);
  for (std::size_t c = 0; c < v.size(); ++c) out[c] += damping_ * diagonal_[c] * v[c];
}

std::vector<double> Damped::diagonal() const {
  std::vector<double> result = diagonal_;
  for (double& value : result) value *= 1 + damping_;
  return result;
}

LossQuadratic::LossQuadratic(const SoftmaxProblem& problem)
    : problem_(problem),
      coupled_(problem.dim() <= kMostCoupled),
      size_(coupled_ ? problem.dim() : problem.features()),
      outputs_(coupled_ ? 1 : problem.classes()) {}

// The Hessian over the drawn rows, whose weights are multiples of their curvatures.
std::vector<double> LossQuadratic::coupled(std::span<const double> w, const RowSample& drawn,
                                           std::span<const double> curvatures) const {
  const Index classes = problem_.classes(), count = static_cast<Index>(drawn.rows.size());
  std::vector<double> weights(drawn.weights);
  for (std::size_t k = 0; k < weights.size(); ++k)
    weights[k] *= problem_.weight(drawn.rows[k]) / curvatures[at(drawn.rows[k])];
  std::vector<float> probabilities(at(count * classes));
  const auto note = [&](const auto& block) {
    for (std::size_t r = 0; r < block.rows.size(); ++r)
      for (Index k = 0; k < classes; ++k)
        probabilities[at((block.first + static_cast<Index>(r)) * classes + k)] =
            static_cast<float>(block.probabilities[static_cast<Index>(r) * block.width + k]);
  };
  SoftmaxPass pass;
  pass.rows = drawn.rows;
  pass.watch_float = note;
  pass.watch_double = note;
  run_pass(problem_, w, pass);
  const int threads = problem_.spec().threads;
  const Matrix x = gather_rows(problem_.x(), drawn.rows, threads);
  return coupled_hessian({x, problem_.has_intercept(), classes, weights, probabilities, threads}, count);
}

// whole: of each feature, the mean over the directions that change probabilities.
void LossQuadratic::raise_flat(std::span<const double> whole) {
  const Index per_feature = size_ / problem_.features();
  const double directions = coupled_ ? static_cast<double>(per_feature - 1) : 1.0;
  for (Index j = 0; j < problem_.features(); ++j) {
    double own = 0;
    for (Index c = j * per_feature; c < (j + 1) * per_feature; ++c) own += matrix_[at(c * size_ + c)];
    const double wanted = directions * whole[at(j)];
    const double added = (own < kTooFlat * wanted ? wanted - own : 0.0) + kJitter * wanted;
    for (Index c = j * per_feature; c < (j + 1) * per_feature; ++c)
      matrix_[at(c * size_ + c)] += added / static_cast<double>(per_feature);
  }
}

void LossQuadratic::build(std::span<const double> w, const Curvatures& curvatures, Index sample, Rng& rng) {
  const std::vector<double> whole = curvature_diagonal(problem_, {}, curvatures.of_rows());
  const std::vector<double> shares = column_shares(problem_, whole);
  std::vector<double> sizes(curvatures.of_rows().begin(), curvatures.of_rows().end());
  for (std::size_t i = 0; i < sizes.size(); ++i) sizes[i] *= shares[i];
  RowSample drawn = sample_by_size(sizes, sample, rng);
  for (std::size_t k = 0; k < drawn.rows.size(); ++k) drawn.weights[k] /= shares[at(drawn.rows[k])];
  matrix_ = coupled_ ? coupled(w, drawn, curvatures.of_rows()) : sampled_hessian(problem_, drawn.rows, drawn.weights);
  raise_flat(whole);
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
  std::vector<double> out(v.size());
  blas::gemm(blas::Op::plain, blas::Op::plain, size_, outputs_, size_, 1.0, matrix_.data(), size_, v.data(), outputs_,
             0.0, out.data(), outputs_);
  return out;
}

LossQuadratic::Part LossQuadratic::part(std::span<const Index> chosen) const {
  const Index per_feature = size_ / problem_.features(), size = static_cast<Index>(chosen.size()) * per_feature;
  Part part;
  part.size_ = size;
  part.classes_ = problem_.classes();
  part.outputs_ = outputs_;
  part.matrix_.resize(at(size * size));
  for (Index a = 0; a < size; ++a) {
    const double* row = matrix_.data() + (chosen[at(a / per_feature)] * per_feature + a % per_feature) * size_;
    double* out = part.matrix_.data() + a * size;
    for (const Index j : chosen) out = std::copy_n(row + j * per_feature, per_feature, out);
  }
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
  for (Index c = 0; c < size_; ++c) result.insert(result.end(), at(outputs_), matrix_[at(c * size_ + c)]);
  return result;
}

int LossQuadratic::Part::most_products() const {
  if (outputs_ != 1) return QuadraticPart::most_products();
  const double cost = 2.0 * static_cast<double>(size_) * static_cast<double>(size_);
  return static_cast<int>(std::clamp(kCostOfAStep / cost, 300.0, 3000.0));
}

void LossQuadratic::Part::times(std::span<const double> v, std::span<double> out) const {
  blas::gemm(blas::Op::plain, blas::Op::plain, size_, outputs_, size_, 1.0, matrix_.data(), size_, v.data(), outputs_,
             0.0, out.data(), outputs_);
  if (middle_.empty()) return;
  const Index length = size_ * outputs_;
  const auto m = static_cast<Index>(vectors_.size()) / std::max<Index>(1, length);
  std::vector<double> along(at(m));
  for (Index c = 0; c < m; ++c) along[at(c)] = kernel::dot(vectors_.data() + c * length, v.data(), length);
  for (Index c = 0; c < m; ++c) {
    const double share = kernel::dot(middle_.data() + c * m, along.data(), m);
    kernel::axpy(-share, vectors_.data() + c * length, out.data(), length);
  }
}

}  // namespace s3gd
