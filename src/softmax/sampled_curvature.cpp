#include "softmax/sampled_curvature.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "anchor/rows.hpp"
#include "finish/curvature_sample.hpp"
#include "kernel/kernel.hpp"
#include "softmax/sandwich.hpp"

namespace s3gd {
namespace {

constexpr int kMostProducts = 60;
constexpr Index kRowsPerWeight = 8;  // in the coupled factor
constexpr double kAccuracy = 0.1;    // of the residual at the start, in the norm of the preconditioner

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

double product(std::span<const double> a, std::span<const double> b) {
  return kernel::dot(a.data(), b.data(), static_cast<Index>(a.size()));
}

}  // namespace

SampledCurvature::SampledCurvature(const SoftmaxProblem& problem, const MatrixPenalty& penalty,
                                   const Metric& preconditioner, std::function<bool()> stop)
    : problem_(problem), preconditioner_(preconditioner), stop_(std::move(stop)) {
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
  probabilities_.resize(at(count_ * classes));
  const auto note = [&](const auto& block) {
    for (std::size_t r = 0; r < block.rows.size(); ++r)
      for (Index k = 0; k < classes; ++k)
        probabilities_[at((block.first + static_cast<Index>(r)) * classes + k)] =
            static_cast<float>(block.probabilities[static_cast<Index>(r) * block.width + k]);
  };
  SoftmaxPass pass;
  pass.rows = drawn.rows;
  pass.watch_float = note;
  pass.watch_double = note;
  run_pass(problem_, w, pass);
  if (CoupledFactor::suits(problem_.dim()))
    coupled_.build({x_, problem_.has_intercept(), classes, weights_, probabilities_, problem_.spec().threads}, ridge_,
                   kRowsPerWeight * problem_.dim());
}

void SampledCurvature::times(std::span<const double> v, std::span<double> out) const {
  const Index classes = problem_.classes();
  const Sandwich sandwich{x_, classes, problem_.has_intercept(), problem_.spec().threads};
  sandwich.times(v, out, [&](Index row, auto* u) {
    using T = std::decay_t<decltype(*u)>;
    const float* p = probabilities_.data() + row * classes;
    T mean = 0;
    for (Index k = 0; k < classes; ++k) mean += static_cast<T>(p[k]) * u[k];
    const T weight = static_cast<T>(weights_[at(row)]);
    for (Index k = 0; k < classes; ++k) u[k] = weight * static_cast<T>(p[k]) * (u[k] - mean);
  });
  for (Index j = 0; j < problem_.features(); ++j)
    for (Index c = j * classes; c < (j + 1) * classes; ++c) out[at(c)] += ridge_[at(j)] * v[at(c)];
  products_ += static_cast<double>(count_);
}

void SampledCurvature::solve(std::span<double> v) const {
  const Metric& preconditioner =
      CoupledFactor::suits(problem_.dim()) ? static_cast<const Metric&>(coupled_) : preconditioner_;
  std::vector<double> x(v.size(), 0.0), r(v.begin(), v.end()), z = r, direction, image(v.size());
  preconditioner.solve(z);
  direction = z;
  double rz = product(r, z);
  const double enough = kAccuracy * kAccuracy * rz;
  const auto n = static_cast<Index>(v.size());
  for (int step = 0; step < kMostProducts && rz > enough; ++step) {
    times(direction, image);
    const double bent = product(direction, image);
    if (!(bent > 0) || (stop_ && stop_())) break;
    const double length = rz / bent;
    kernel::axpy(length, direction.data(), x.data(), n);
    kernel::axpy(-length, image.data(), r.data(), n);
    z = r;
    preconditioner.solve(z);
    const double next = product(r, z);
    const double carry = next / rz;
    for (std::size_t j = 0; j < direction.size(); ++j) direction[j] = z[j] + carry * direction[j];
    rz = next;
  }
  std::copy(x.begin(), x.end(), v.begin());
}

}  // namespace s3gd
