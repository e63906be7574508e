#include "oracle/quality.hpp"

#include <cmath>
#include <numeric>

#include "kernel/kernel.hpp"
#include "model/full_pass.hpp"

namespace s3gd {
namespace {

constexpr int kBatches = 10;

void add_row(const Problem& problem, Index row, double coefficient, std::span<double> out) {
  problem.x().visit([&](const auto& view) {
    if constexpr (requires { view.stride; }) {
      kernel::axpy(coefficient, view.row(row), out.data(), view.cols);
    } else {
      const auto start = view.starts[row];
      kernel::sparse_axpy(coefficient, view.values + start, view.columns + start, view.row_nonzeros(row), out.data());
    }
  });
  if (problem.has_intercept()) out.back() += coefficient;
}

double pearson(std::span<const double> a, std::span<const double> b) {
  const auto n = static_cast<double>(a.size());
  const double mean_a = std::accumulate(a.begin(), a.end(), 0.0) / n;
  const double mean_b = std::accumulate(b.begin(), b.end(), 0.0) / n;
  double aa = 0, bb = 0, ab = 0;
  for (std::size_t j = 0; j < a.size(); ++j) {
    aa += (a[j] - mean_a) * (a[j] - mean_a);
    bb += (b[j] - mean_b) * (b[j] - mean_b);
    ab += (a[j] - mean_a) * (b[j] - mean_b);
  }
  return ab / std::sqrt(aa * bb);  // NaN when either is constant: there is no correlation to speak of
}

std::vector<double> weighted_sum(const Problem& problem, std::span<const double> values) {
  std::vector<double> coefficients(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) coefficients[i] = problem.weight(static_cast<Index>(i)) * values[i];
  std::vector<double> sum(static_cast<std::size_t>(problem.dim()));
  transpose_times(problem, coefficients, sum);
  return sum;
}

}  // namespace

template <class T>
GradientQuality measure_quality(const Problem& problem, const Control<T>& control, const Sampler& sampler,
                                bool unbiased, Index batch_size, std::span<const double> w, Rng& rng) {
  if (!control.draws_rows()) return {1.0, 0.0, std::vector<double>(static_cast<std::size_t>(problem.dim()), 0.0)};
  const auto n = static_cast<std::size_t>(problem.rows());
  const Loss loss(problem.spec().loss);
  std::vector<double> slopes(n), residuals(n), all_margins(n);
  margins(problem, w, all_margins);
  for (std::size_t i = 0; i < n; ++i) slopes[i] = loss.slope(all_margins[i], problem.targets()[i]);
  std::vector<Index> every_row(n);
  std::iota(every_row.begin(), every_row.end(), Index{0});
  control.control(every_row, all_margins.data(), residuals.data());
  for (std::size_t i = 0; i < n; ++i) residuals[i] = slopes[i] - residuals[i];

  const std::vector<double> gradient = weighted_sum(problem, slopes);
  GradientQuality quality;
  quality.surrogate = weighted_sum(problem, residuals);  // grad P - drift
  std::vector<double> drift = gradient;
  for (std::size_t j = 0; j < drift.size(); ++j) {
    drift[j] -= quality.surrogate[j];
    quality.surrogate[j] = -quality.surrogate[j];
  }

  // A biased estimator (SAG) uses q_i where the others use the batch's weight.
  if (!unbiased)
    for (std::size_t i = 0; i < n; ++i)
      residuals[i] *= problem.weight(static_cast<Index>(i)) * static_cast<double>(batch_size) / problem.total_weight();
  std::vector<double> mean = weighted_sum(problem, residuals);
  double squared_bias = 0;
  for (std::size_t j = 0; j < mean.size(); ++j) {
    const double bias = drift[j] + mean[j] - gradient[j];
    squared_bias += bias * bias;
  }
  const std::vector<double> norms = squared_row_norms(problem);
  const auto plain = make_sampler(Sampling::weighted, problem, batch_size);
  const double error = sampler.variance(residuals, norms, problem) + (unbiased ? 0.0 : squared_bias);
  quality.variance_ratio = error / plain->variance(slopes, norms, problem);

  Batch batch;
  const auto probe = sampler.clone();
  double sum = 0;
  for (int repeat = 0; repeat < kBatches; ++repeat) {
    std::vector<double> estimate = drift;
    probe->next(rng, batch);
    for (std::size_t b = 0; b < batch.rows.size(); ++b)
      add_row(problem, batch.rows[b], batch.weights[b] * residuals[static_cast<std::size_t>(batch.rows[b])], estimate);
    sum += pearson(estimate, gradient);
  }
  quality.correlation = sum / kBatches;
  return quality;
}

template GradientQuality measure_quality(const Problem&, const Control<float>&, const Sampler&, bool, Index,
                                         std::span<const double>, Rng&);
template GradientQuality measure_quality(const Problem&, const Control<double>&, const Sampler&, bool, Index,
                                         std::span<const double>, Rng&);

}  // namespace s3gd
