#include "exact/metric.hpp"

#include <cmath>
#include <limits>
#include <numeric>

#include "base/index.hpp"
#include "kernel/kernel.hpp"

namespace s3gd {
namespace {

constexpr double kFaint = 0.03;        // of what is added: a coordinate bent less than this by the rows stands alone
constexpr double kFloatJitter = 1e-7;  // of a unit diagonal summed in float
constexpr double kSmallestJitter = 1e-15;  // likewise in double

double product(std::span<const double> a, std::span<const double> b) {
  return kernel::dot(a.data(), b.data(), static_cast<Index>(a.size()));
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
  const WeightedRows sample{problem.x(), rows, weights, problem.spec().threads};
  sample_ = static_cast<Index>(rows.size());
  squares_ = sum_of_squares(sample, problem.has_intercept());
  coupled_.clear();
  const bool whole = sample_ == problem.rows();  // then it is the Hessian itself, and made to be exact
  for (std::size_t j = 0; j < squares_.size(); ++j)
    if (squares_[j] > (whole || keeps_ ? 0.0 : kFaint) * added[j]) coupled_.push_back(static_cast<Index>(j));
  jitter_ = whole ? kSmallestJitter : kFloatJitter;
  std::vector<double> sum =
      whole ? sum_of_products<double>(sample, coupled_) : sum_of_products<float>(sample, coupled_);
  if (keeps_) sum_ = sum;
  factorise(std::move(sum), added);
}

void SampledMetric::factorise(std::vector<double> sum, std::span<const double> added) {
  diagonal_ = squares_;
  for (std::size_t j = 0; j < diagonal_.size(); ++j) diagonal_[j] += added[j];
  std::vector<double> of_coupled;
  for (const Index j : coupled_) of_coupled.push_back(added[at(j)]);
  factor_ = ScaledFactor(std::move(sum), of_coupled, jitter_);
}

void SampledMetric::change_added(std::span<const double> added) { factorise(sum_, added); }

void SampledMetric::solve(std::span<double> v) const {
  const std::size_t dim = diagonal_.size(), width = coupled_.size(), count = dim == 0 ? 0 : v.size() / dim;
  std::vector<double> part(count * width);
  for (std::size_t k = 0; k < count; ++k)
    for (std::size_t c = 0; c < width; ++c) part[k * width + c] = v[k * dim + at(coupled_[c])];
  factor_.solve(part);
  for (std::size_t k = 0; k < count; ++k) {
    for (std::size_t j = 0; j < dim; ++j) v[k * dim + j] /= diagonal_[j] > 0 ? diagonal_[j] : 1.0;
    for (std::size_t c = 0; c < width; ++c) v[k * dim + at(coupled_[c])] = part[k * width + c];
  }
}

void StepMemory::add(std::vector<double> moved, std::vector<double> gradient_change) {
  const double along = product(moved, gradient_change);
  const double sizes = std::sqrt(product(moved, moved) * product(gradient_change, gradient_change));
  if (!(along > 1e-10 * sizes)) return;  // rounding, not curvature
  pairs_.push_back({std::move(moved), std::move(gradient_change), along});
  if (pairs_.size() > most_) pairs_.pop_front();
}

void StepMemory::curvature_changed(std::span<const double> by) {
  for (Pair& pair : pairs_) {
    for (std::size_t j = 0; j < by.size(); ++j) pair.change[j] += by[j] * pair.moved[j];
    pair.product = product(pair.moved, pair.change);
  }
  std::erase_if(pairs_, [](const Pair& pair) { return !(pair.product > 0); });
}

StepMemory::Halfway StepMemory::before_metric(std::span<const double> gradient) const {
  Halfway half{{gradient.begin(), gradient.end()}, std::vector<double>(pairs_.size()), {}};
  for (std::size_t k = pairs_.size(); k-- > 0;) {
    const Pair& pair = pairs_[k];
    half.shares[k] = product(pair.moved, half.v) / pair.product;
    kernel::axpy(-half.shares[k], pair.change.data(), half.v.data(), static_cast<Index>(half.v.size()));
  }
  if (rescales_ && !pairs_.empty()) half.change = pairs_.back().change;
  return half;
}

std::vector<double> StepMemory::direction(std::span<const double> gradient, const Metric& metric) const {
  Halfway half = before_metric(gradient);
  metric.solve(half.v);
  if (!half.change.empty()) metric.solve(half.change);
  return after_metric(std::move(half));
}

std::vector<double> StepMemory::after_metric(Halfway half) const {
  std::vector<double> d = std::move(half.v);
  if (!half.change.empty()) {  // curvature along the last step as it was, against what the metric says
    const double ratio = pairs_.back().product / product(pairs_.back().change, half.change);
    if (std::isfinite(ratio) && ratio > 0) kernel::scale(ratio, d.data(), static_cast<Index>(d.size()));
  }
  for (std::size_t k = 0; k < pairs_.size(); ++k) {
    const Pair& pair = pairs_[k];
    const double share = half.shares[k] - product(pair.change, d) / pair.product;
    kernel::axpy(share, pair.moved.data(), d.data(), static_cast<Index>(d.size()));
  }
  for (double& value : d) value = -value;
  return d;
}

namespace {

constexpr double kAtRandom = 0.1;  // share of the mean size that every row is given on top of its own

// The spacing of the draws: rows at least that large are taken for certain, which leaves more of the sample to others.
double spacing(std::span<const double> sizes, double extra, Index count) {
  double unit = (std::accumulate(sizes.begin(), sizes.end(), 0.0) + extra * static_cast<double>(sizes.size())) /
                static_cast<double>(count);
  for (int round = 0; round < 4; ++round) {
    double certain = 0, rest = 0;
    for (const double size : sizes) {
      if (size + extra >= unit)
        certain += 1;
      else
        rest += size + extra;
    }
    const double next = rest / std::max(1.0, static_cast<double>(count) - certain);
    if (std::abs(next - unit) <= 0.02 * unit) break;
    unit = next;
  }
  return unit;
}

}  // namespace

RowSample sample_by_size(std::span<const double> sizes, Index count, Rng& rng) {
  const auto n = static_cast<Index>(sizes.size());
  const bool all = count >= n;
  const double mean = std::accumulate(sizes.begin(), sizes.end(), 0.0) / static_cast<double>(std::max<Index>(1, n));
  const double extra = kAtRandom * mean;
  const double unit = all ? 0 : spacing(sizes, extra, count);
  double sum = rng.uniform() * unit;
  RowSample sample;
  for (Index i = 0; i < n; ++i) {
    const double size = sizes[static_cast<std::size_t>(i)];
    double weight = size;
    if (!all && size + extra < unit) {
      sum += size + extra;
      if (sum < unit) continue;
      sum -= unit;
      weight = size * unit / (size + extra);
    }
    if (!(weight > 0)) continue;
    sample.rows.push_back(i);
    sample.weights.push_back(weight);
  }
  return sample;
}

RowSample sample_by_size(std::span<const double> sizes, std::span<const Index> rows, Index count, Rng& rng) {
  RowSample sample = sample_by_size(sizes, count, rng);
  for (Index& row : sample.rows)
    if (!rows.empty()) row = rows[static_cast<std::size_t>(row)];
  return sample;
}

}  // namespace s3gd
