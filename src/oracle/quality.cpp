#include "oracle/quality.hpp"

#include <algorithm>
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

std::vector<double> weighted_sum(const Problem& problem, std::span<const double> weights,
                                 std::span<const double> values) {
  std::vector<double> coefficients(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) coefficients[i] = weights[i] * values[i];
  std::vector<double> sum(static_cast<std::size_t>(problem.dim()));
  transpose_times(problem, coefficients, sum);
  return sum;
}

double squared_distance(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t j = 0; j < a.size(); ++j) sum += (a[j] - b[j]) * (a[j] - b[j]);
  return sum;
}

// The rows an estimate is the mean over: all, or those a growing graph has seen, scaled up to stand for all.
class Covered {
 public:
  Covered(const Problem& problem, std::span<const Index> rows, Index batch)
      : rows_(rows.begin(), rows.end()), batch_(batch), weights_(static_cast<std::size_t>(problem.rows()), 0.0) {
    if (rows.empty())
      for (std::size_t i = 0; i < weights_.size(); ++i) weights_[i] = problem.weight(static_cast<Index>(i));
    for (const Index row : rows) weights_[at(row)] = problem.weight(row) * share(problem);
  }

  std::span<const double> weights() const { return weights_; }

  // Of a batch drawn from them without replacement; `sampler` knows it for all rows.
  double variance(const Sampler& sampler, std::span<const double> residuals, std::span<const double> norms,
                  const Problem& problem) const {
    if (rows_.empty()) return sampler.variance(residuals, norms, problem);
    const auto count = static_cast<double>(rows_.size());
    double second = 0;
    for (const Index row : rows_) {
      const double scaled = count * weights_[at(row)] * residuals[at(row)];
      second += scaled * scaled * norms[at(row)] / count;
    }
    const auto mean = weighted_sum(problem, weights_, residuals);
    const double squared_mean = std::inner_product(mean.begin(), mean.end(), mean.begin(), 0.0);
    const auto p = static_cast<double>(std::min<Index>(batch_, static_cast<Index>(rows_.size())));
    return count > 1 ? (second - squared_mean) / p * (count - p) / (count - 1) : 0.0;
  }

  void draw(Sampler& sampler, Rng& rng, Batch& batch) {
    if (rows_.empty()) return sampler.next(rng, batch);
    const std::size_t size = std::min(static_cast<std::size_t>(batch_), rows_.size());
    batch.rows.resize(size);
    batch.weights.resize(size);
    for (std::size_t b = 0; b < size; ++b) {
      std::swap(rows_[b], rows_[b + at(rng.below(static_cast<Index>(rows_.size() - b)))]);
      batch.rows[b] = rows_[b];
      batch.weights[b] = weights_[at(rows_[b])] * static_cast<double>(rows_.size()) / static_cast<double>(size);
    }
  }

 private:
  static std::size_t at(Index i) { return static_cast<std::size_t>(i); }
  double share(const Problem& problem) const {
    return static_cast<double>(problem.rows()) / static_cast<double>(rows_.size());
  }

  std::vector<Index> rows_;
  Index batch_;
  std::vector<double> weights_;
};

}  // namespace

template <class T>
GradientQuality measure_quality(const Problem& problem, const Control<T>& control, const Sampler& sampler,
                                bool unbiased, Index batch_size, std::span<const double> w, Rng& rng) {
  if (!control.draws_rows()) return {1.0, 0.0, std::vector<double>(static_cast<std::size_t>(problem.dim()), 0.0)};
  const auto n = static_cast<std::size_t>(problem.rows());
  const Loss loss(problem.spec().loss);
  Covered covered(problem, control.rows_covered(), batch_size);
  std::vector<double> slopes(n), residuals(n), controls(n), all_margins(n);
  margins(problem, w, all_margins);
  for (std::size_t i = 0; i < n; ++i) slopes[i] = loss.slope(all_margins[i], problem.targets()[i]);
  std::vector<Index> every_row(n);
  std::iota(every_row.begin(), every_row.end(), Index{0});
  control.control(every_row, all_margins.data(), controls.data());
  for (std::size_t i = 0; i < n; ++i) residuals[i] = slopes[i] - controls[i];

  std::vector<double> gradient(static_cast<std::size_t>(problem.dim()));
  smooth_gradient(problem, w, gradient);
  const std::vector<double> drift = weighted_sum(problem, covered.weights(), controls);
  GradientQuality quality;
  quality.surrogate = drift;
  for (std::size_t j = 0; j < drift.size(); ++j) quality.surrogate[j] -= gradient[j];

  // A biased estimator (SAG) uses q_i where the others use the batch's weight.
  if (!unbiased)
    for (std::size_t i = 0; i < n; ++i)
      residuals[i] *= problem.weight(static_cast<Index>(i)) * static_cast<double>(batch_size) / problem.total_weight();
  std::vector<double> mean = weighted_sum(problem, covered.weights(), residuals);
  for (std::size_t j = 0; j < mean.size(); ++j) mean[j] += drift[j];
  const std::vector<double> norms = squared_row_norms(problem);
  const auto plain = make_sampler(Sampling::weighted, problem, batch_size);
  const double error = covered.variance(sampler, residuals, norms, problem) + squared_distance(mean, gradient);
  quality.variance_ratio = error / plain->variance(slopes, norms, problem);

  Batch batch;
  const auto probe = sampler.clone();
  double sum = 0;
  for (int repeat = 0; repeat < kBatches; ++repeat) {
    std::vector<double> estimate = drift;
    covered.draw(*probe, rng, batch);
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
