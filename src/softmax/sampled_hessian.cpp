#include "softmax/sampled_hessian.hpp"

#include <algorithm>
#include <cmath>

#include "base/threads.hpp"
#include "data/row_access.hpp"
#include "kernel/blas.hpp"

namespace s3gd {
namespace {

constexpr Index kBlockRows = 256;
constexpr Index kMostParts = 4;
constexpr Index kRowsPerPart = 512;
constexpr Index kBytesInParts = 32 << 20;
constexpr double kFirstJitter = 1e-7;  // of a unit diagonal summed in float

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

}  // namespace

std::vector<double> sampled_hessian(const SoftmaxProblem& problem, std::span<const Index> rows,
                                    std::span<const double> weights) {
  const Index dim = problem.features(), count = static_cast<Index>(rows.size());
  const Index parts = std::clamp<Index>(std::min(count / kRowsPerPart, kBytesInParts / (4 * dim * dim)), 1, kMostParts);
  std::vector<std::vector<float>> sums(at(parts));
  problem.x().visit([&](const auto& x) {
    parallel_for(parts, problem.spec().threads, [&](Index part) {
      std::vector<float> block(at(kBlockRows * dim));
      sums[at(part)].assign(at(dim * dim), 0.0F);
      const Index end = count * (part + 1) / parts;
      for (Index first = count * part / parts; first < end; first += kBlockRows) {
        const Index size = std::min(kBlockRows, end - first);
        for (Index r = 0; r < size; ++r) {
          float* out = block.data() + r * dim;
          const auto root = static_cast<float>(std::sqrt(weights[at(first + r)]));
          expand_row(x, rows[at(first + r)], out);
          if (dim > x.cols) out[x.cols] = 1.0F;
          for (Index j = 0; j < dim; ++j) out[j] *= root;
        }
        blas::syrk_transposed(dim, size, 1.0F, block.data(), dim, 1.0F, sums[at(part)].data(), dim);
      }
    });
  });
  std::vector<double> total(at(dim * dim));
  for (Index a = 0; a < dim; ++a)
    for (Index b = 0; b <= a; ++b) {
      double sum = 0;
      for (const auto& part : sums) sum += static_cast<double>(part[at(a * dim + b)]);
      total[at(a * dim + b)] = total[at(b * dim + a)] = sum;
    }
  return total;
}

FeatureFactor::FeatureFactor(std::vector<double> matrix, std::span<const double> added) {
  const auto dim = static_cast<Index>(added.size());
  for (Index j = 0; j < dim; ++j) {
    double& diagonal = matrix[at(j * dim + j)];
    diagonal += added[at(j)];
    scale_.push_back(diagonal > 0 ? 1.0 / std::sqrt(diagonal) : 1.0);
  }
  for (Index a = 0; a < dim; ++a)
    for (Index b = 0; b <= a; ++b) matrix[at(a * dim + b)] *= scale_[at(a)] * scale_[at(b)];
  for (double jitter = kFirstJitter;; jitter *= 10) {
    factor_ = matrix;
    for (Index a = 0; a < dim; ++a) factor_[at(a * dim + a)] += jitter;
    if (blas::cholesky(dim, factor_.data(), dim) || jitter > 1) break;
  }
}

void FeatureFactor::solve(std::span<double> v) const {
  const std::size_t dim = scale_.size();
  const auto rescale = [&] {
    for (std::size_t first = 0; first < v.size(); first += dim)
      for (std::size_t j = 0; j < dim; ++j) v[first + j] *= scale_[j];
  };
  rescale();
  blas::cholesky_solve(static_cast<Index>(dim), factor_.data(), static_cast<Index>(dim), v.data(),
                       static_cast<Index>(v.size() / dim));
  rescale();
}

}  // namespace s3gd
