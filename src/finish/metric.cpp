#include "finish/metric.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/threads.hpp"
#include "data/row_access.hpp"
#include "kernel/blas.hpp"
#include "kernel/kernel.hpp"
#include "model/hessian.hpp"

namespace s3gd {
namespace {

constexpr Index kBlockRows = 256;
constexpr Index kMostParts = 4;
constexpr Index kRowsPerPart = 512;
constexpr Index kBytesInParts = 16 << 20;
constexpr double kFirstJitter = 1e-7;  // of a unit diagonal summed in float

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

double product(std::span<const double> a, std::span<const double> b) {
  return kernel::dot(a.data(), b.data(), static_cast<Index>(a.size()));
}

// Rows [begin, end) of the sample, scaled, added to the lower triangle of `sum` by blocks.
template <class View>
void add_rows(const View& x, std::span<const Index> rows, std::span<const double> weights, Index dim, Index begin,
              Index end, float* sum) {
  std::vector<float> block(at(kBlockRows * dim), 0.0F);
  for (Index first = begin; first < end; first += kBlockRows) {
    const Index count = std::min(kBlockRows, end - first);
    for (Index r = 0; r < count; ++r) {
      float* out = block.data() + r * dim;
      const auto root = static_cast<float>(std::sqrt(weights[at(first + r)]));
      const Index i = rows[at(first + r)];
      if constexpr (is_dense_view<View>) {
        const auto* row = x.row(i);
        for (Index j = 0; j < x.cols; ++j) out[j] = root * static_cast<float>(row[j]);
      } else {
        std::fill(out, out + x.cols, 0.0F);
        for_each_nonzero(x, i, [&](Index j, auto value) { out[j] = root * static_cast<float>(value); });
      }
      if (dim > x.cols) out[x.cols] = root;
    }
    blas::syrk_transposed(dim, count, 1.0F, block.data(), dim, 1.0F, sum, dim);
  }
}

}  // namespace

DiagonalMetric::DiagonalMetric(const Problem& problem, std::span<const double> curvatures,
                               std::span<const double> added)
    : diagonal_(hessian_diagonal(problem, curvatures)) {
  for (std::size_t j = 0; j < diagonal_.size(); ++j) {
    diagonal_[j] += added[j];
    if (!(diagonal_[j] > 0)) diagonal_[j] = 1;
  }
}

void DiagonalMetric::solve(std::span<double> v) const {
  for (std::size_t j = 0; j < v.size(); ++j) v[j] /= diagonal_[j];
}

double SampledMetric::row_cost(const Problem& problem) {
  const auto dim = static_cast<double>(problem.dim());
  return dim * dim / 60 + 0.5 * dim + 40;
}

void SampledMetric::build(const Problem& problem, std::span<const Index> rows, std::span<const double> weights,
                          std::span<const double> added) {
  const Index dim = problem.dim(), count = static_cast<Index>(rows.size());
  const Index parts = std::clamp<Index>(std::min(count / kRowsPerPart, kBytesInParts / (4 * dim * dim)), 1, kMostParts);
  std::vector<std::vector<float>> sums(at(parts));
  problem.x().visit([&](const auto& x) {
    parallel_for(parts, problem.spec().threads, [&](Index part) {
      sums[at(part)].assign(at(dim * dim), 0.0F);
      add_rows(x, rows, weights, dim, count * part / parts, count * (part + 1) / parts, sums[at(part)].data());
    });
  });
  // Divided by its columns' sizes before it is factorised: features on any scale keep their digits.
  scale_.resize(at(dim));
  for (Index j = 0; j < dim; ++j) {
    double sum = added[at(j)];
    for (const auto& part : sums) sum += static_cast<double>(part[at(j * dim + j)]);
    scale_[at(j)] = sum > 0 ? 1.0 / std::sqrt(sum) : 1.0;
  }
  factor_.resize(at(dim * dim));
  for (double jitter = kFirstJitter;; jitter *= 10) {
    for (Index a = 0; a < dim; ++a) {
      for (Index b = 0; b <= a; ++b) {
        double sum = 0;
        for (const auto& part : sums) sum += static_cast<double>(part[at(a * dim + b)]);
        factor_[at(a * dim + b)] = sum * scale_[at(a)] * scale_[at(b)];
      }
      factor_[at(a * dim + a)] += added[at(a)] * scale_[at(a)] * scale_[at(a)] + jitter;
    }
    if (blas::cholesky(dim, factor_.data(), dim) || jitter > 1) break;
  }
  sample_ = count;
}

void SampledMetric::solve(std::span<double> v) const {
  for (std::size_t j = 0; j < v.size(); ++j) v[j] *= scale_[j];
  blas::cholesky_solve(static_cast<Index>(v.size()), factor_.data(), static_cast<Index>(v.size()), v.data());
  for (std::size_t j = 0; j < v.size(); ++j) v[j] *= scale_[j];
}

void StepMemory::add(std::vector<double> moved, std::vector<double> gradient_change) {
  const double along = product(moved, gradient_change);
  const double sizes = std::sqrt(product(moved, moved) * product(gradient_change, gradient_change));
  if (!(along > 1e-10 * sizes)) return;  // rounding, not curvature
  pairs_.push_back({std::move(moved), std::move(gradient_change), along});
  if (pairs_.size() > most_) pairs_.pop_front();
}

std::vector<double> StepMemory::direction(std::span<const double> gradient, const Metric& metric) const {
  std::vector<double> d(gradient.begin(), gradient.end()), shares(pairs_.size());
  for (std::size_t k = pairs_.size(); k-- > 0;) {
    const Pair& pair = pairs_[k];
    shares[k] = product(pair.moved, d) / pair.product;
    kernel::axpy(-shares[k], pair.change.data(), d.data(), static_cast<Index>(d.size()));
  }
  metric.solve(d);
  if (!pairs_.empty()) {  // curvature along the last step as it was, against what the metric says
    std::vector<double> pulled = pairs_.back().change;
    metric.solve(pulled);
    const double ratio = pairs_.back().product / product(pairs_.back().change, pulled);
    if (std::isfinite(ratio) && ratio > 0) kernel::scale(ratio, d.data(), static_cast<Index>(d.size()));
  }
  for (std::size_t k = 0; k < pairs_.size(); ++k) {
    const Pair& pair = pairs_[k];
    const double share = shares[k] - product(pair.change, d) / pair.product;
    kernel::axpy(share, pair.moved.data(), d.data(), static_cast<Index>(d.size()));
  }
  for (double& value : d) value = -value;
  return d;
}

}  // namespace s3gd
