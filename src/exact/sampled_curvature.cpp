#include "exact/sampled_curvature.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "anchor/rows.hpp"
#include "base/index.hpp"
#include "exact/curvature_sample.hpp"
#include "exact/output_products.hpp"
#include "problem/conjugate_gradients.hpp"

namespace s3gd {
namespace {

constexpr Index kRowsPerWeight = 8;  // in the coupled factor

}  // namespace

SampledCurvature::SampledCurvature(const SoftmaxProblem& problem, const MatrixPenalty& penalty,
                                   const Metric& preconditioner)
    : problem_(problem), preconditioner_(preconditioner) {
  for (Index j = 0; j < problem.features(); ++j) ridge_.push_back(2.0 * penalty.ridge(j));
}

void SampledCurvature::build(std::span<const double> w, std::span<const Index> rows, std::span<const double> sizes,
                             double scale, Index sample, Rng& rng) {
  RowSample drawn = sample_by_size(sizes, sample, rng);
  weights_.resize(drawn.rows.size());
  for (std::size_t k = 0; k < drawn.rows.size(); ++k) {
    const Index place = drawn.rows[k];
    if (!rows.empty()) drawn.rows[k] = rows[at(place)];
    // What the row stands for, times its own weight in the sum.
    weights_[k] = scale * problem_.weight(drawn.rows[k]) * drawn.weights[k] / sizes[at(place)];
  }
  count_ = static_cast<Index>(drawn.rows.size());
  x_ = gather_rows(problem_.x(), drawn.rows, problem_.spec().threads);
  const Index classes = problem_.classes();
  probabilities_ = probabilities_at(problem_, w, drawn.rows);
  if (CoupledFactor::suits(problem_.dim()))
    coupled_.build({x_, problem_.has_intercept(), classes, weights_, probabilities_, problem_.spec().threads}, ridge_,
                   kRowsPerWeight * problem_.dim());
}

void SampledCurvature::times(std::span<const double> v, std::span<double> out) const {
  const Index classes = problem_.classes();
  const OutputProducts products{x_, classes, problem_.has_intercept(), problem_.spec().threads};
  products.times(v, out, [&](Index row, auto* u) {
    using T = std::decay_t<decltype(*u)>;
    const float* p = probabilities_.data() + row * classes;
    T mean = 0;
    for (Index k = 0; k < classes; ++k) mean += static_cast<T>(p[k]) * u[k];
    const T weight = static_cast<T>(weights_[at(row)]);
    for (Index k = 0; k < classes; ++k) u[k] = weight * static_cast<T>(p[k]) * (u[k] - mean);
  });
  for (Index j = 0; j < problem_.features(); ++j)
    for (Index c = j * classes; c < (j + 1) * classes; ++c) out[at(c)] += ridge_[at(j)] * v[at(c)];
}

Index SampledCurvature::solve(std::vector<double>& v, const std::function<bool()>& stop) const {
  const Metric& preconditioner =
      CoupledFactor::suits(problem_.dim()) ? static_cast<const Metric&>(coupled_) : preconditioner_;
  LinearSystems one;
  one.times = [this](auto, auto in, auto out) { times(in, out); };
  one.precondition = [&](std::span<double> residual) { preconditioner.solve(residual); };
  one.stop = stop;
  return conjugate_gradients(one, {&v, 1})[0];
}

}  // namespace s3gd
