#include "softmax/coupled_factor.hpp"

#include <algorithm>

#include "base/threads.hpp"
#include "data/row_access.hpp"
#include "kernel/blas.hpp"

namespace s3gd {
namespace {

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

}  // namespace

std::vector<double> coupled_hessian(const CoupledSample& sample, Index rows) {
  const Index classes = sample.classes, features = sample.x.cols() + (sample.constant ? 1 : 0);
  const Index dim = features * classes, stored = sample.x.rows(), every = std::max<Index>(1, stored / rows);
  const Index count = (stored + every - 1) / every;
  std::vector<float> block(at(count * features));
  sample.x.visit([&](const auto& x) {
    for (Index r = 0; r < count; ++r) {
      expand_row(x, r * every, block.data() + r * features);
      if (sample.constant) block[at(r * features + x.cols)] = 1.0F;
    }
  });
  const double stands_for = static_cast<double>(stored) / static_cast<double>(count);
  std::vector<double> matrix(at(dim * dim));
  parallel_for(classes * classes, sample.threads, [&](Index pair) {
    const Index k = pair / classes, l = pair % classes;
    if (l > k) return;
    std::vector<float> bent = block, sum(at(features * features), 0.0F);
    for (Index r = 0; r < count; ++r) {
      const float* p = sample.probabilities.data() + r * every * classes;
      const double coupling = static_cast<double>(p[k]) * ((k == l ? 1.0 : 0.0) - static_cast<double>(p[l]));
      const auto factor = static_cast<float>(stands_for * sample.weights[at(r * every)] * coupling);
      for (Index j = 0; j < features; ++j) bent[at(r * features + j)] *= factor;
    }
    blas::gemm(blas::Op::transposed, blas::Op::plain, features, features, count, 1.0F, bent.data(), features,
               block.data(), features, 0.0F, sum.data(), features);
    for (Index a = 0; a < features; ++a)
      for (Index b = 0; b < features; ++b) {
        const auto value = static_cast<double>(sum[at(a * features + b)]);
        matrix[at((a * classes + k) * dim + b * classes + l)] = value;
        matrix[at((b * classes + l) * dim + a * classes + k)] = value;
      }
  });
  return matrix;
}

void CoupledFactor::build(const CoupledSample& sample, std::span<const double> ridge, Index rows) {
  std::vector<double> added;
  for (const double one : ridge) added.insert(added.end(), at(sample.classes), one);
  factor_.emplace(coupled_hessian(sample, rows), added);
}

void CoupledFactor::solve(std::span<double> v) const { factor_->solve(v); }

}  // namespace s3gd
