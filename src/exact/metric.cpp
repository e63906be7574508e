#include "exact/metric.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/index.hpp"
#include "data/row_access.hpp"
#include "exact/sampled_hessian.hpp"
#include "kernel/blas.hpp"
#include "kernel/kernel.hpp"
#include "problem/hessian.hpp"

namespace s3gd {
namespace {

constexpr double kFaint = 0.03;        // of what is added: a coordinate bent less than this by the rows stands alone
constexpr double kFloatJitter = 1e-7;  // of a unit diagonal summed in float
constexpr double kSmallestJitter = 1e-15;

double product(std::span<const double> a, std::span<const double> b) {
  return kernel::dot(a.data(), b.data(), static_cast<Index>(a.size()));
}

// Diagonal of the sample's Hessian.
template <class View>
std::vector<double> column_squares(const View& x, std::span<const Index> rows, std::span<const double> weights,
                                   Index dim) {
  std::vector<double> squares(at(dim), 0.0);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    for_each_nonzero(x, rows[k], [&](Index j, auto value) {
      squares[at(j)] += weights[k] * static_cast<double>(value) * static_cast<double>(value);
    });
    if (dim > x.cols) squares[at(x.cols)] += weights[k];
  }
  return squares;
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
  sample_ = count;
  squares_ = problem.x().visit([&](const auto& x) { return column_squares(x, rows, weights, dim); });
  scale_.resize(at(dim));
  coupled_.clear();
  const bool whole = count == problem.rows();  // then it is the Hessian itself, and made to be exact
  for (std::size_t j = 0; j < scale_.size(); ++j) {
    const double size = squares_[j] + added[j];
    scale_[j] = size > 0 ? 1.0 / std::sqrt(size) : 1.0;
    if (squares_[j] <= (whole || keeps_ ? 0.0 : kFaint) * added[j]) continue;
    coupled_.push_back(static_cast<Index>(j));
  }
  factor_.clear();
  if (coupled_.empty()) return;

  jitter_ = whole ? kSmallestJitter : kFloatJitter;
  const WeightedRows sample{problem.x(), rows, weights, problem.spec().threads};
  std::vector<double> sum =
      whole ? sum_of_products<double>(sample, coupled_) : sum_of_products<float>(sample, coupled_);
  const std::size_t width = coupled_.size();
  for (std::size_t a = 0; a < width; ++a)
    for (std::size_t b = 0; b <= a; ++b) {
      double& value = sum[a * width + b];
      value = value * scale_[at(coupled_[a])] * scale_[at(coupled_[b])];
    }
  factorise(sum, added);
  if (keeps_) sum_ = std::move(sum);
}

void SampledMetric::factorise(std::span<const double> sum, std::span<const double> added) {
  const auto width = static_cast<Index>(coupled_.size());
  for (double jitter = jitter_;; jitter *= 10) {
    factor_.assign(sum.begin(), sum.end());
    for (Index a = 0; a < width; ++a) {
      const std::size_t j = at(coupled_[at(a)]);
      factor_[at(a * width + a)] += added[j] * scale_[j] * scale_[j] + jitter;
    }
    if (blas::cholesky(width, factor_.data(), width) || jitter > 1) break;
  }
}

void SampledMetric::change_added(std::span<const double> added) {
  std::vector<double> ratio(scale_.size());  // of the new sizes to those the sum was divided by
  for (std::size_t j = 0; j < scale_.size(); ++j) {
    const double size = squares_[j] + added[j], scale = size > 0 ? 1.0 / std::sqrt(size) : 1.0;
    ratio[j] = scale / scale_[j];
    scale_[j] = scale;
  }
  if (coupled_.empty()) return;
  const std::size_t width = coupled_.size();
  for (std::size_t a = 0; a < width; ++a)
    for (std::size_t b = 0; b <= a; ++b) sum_[a * width + b] *= ratio[at(coupled_[a])] * ratio[at(coupled_[b])];
  factorise(sum_, added);
}

void SampledMetric::solve(std::span<double> v) const {
  const std::size_t dim = scale_.size(), width = coupled_.size(), count = dim == 0 ? 0 : v.size() / dim;
  std::vector<double> part(count * width);
  for (std::size_t k = 0; k < count; ++k) {
    for (std::size_t j = 0; j < dim; ++j) v[k * dim + j] *= scale_[j];
    for (std::size_t c = 0; c < width; ++c) part[k * width + c] = v[k * dim + at(coupled_[c])];
  }
  const auto size = static_cast<Index>(width);
  if (count == 1 && width > 0) blas::cholesky_solve(size, factor_.data(), size, part.data());
  if (count > 1 && width > 0) blas::cholesky_solve(size, factor_.data(), size, part.data(), static_cast<Index>(count));
  for (std::size_t k = 0; k < count; ++k) {
    for (std::size_t c = 0; c < width; ++c) v[k * dim + at(coupled_[c])] = part[k * width + c];
    for (std::size_t j = 0; j < dim; ++j) v[k * dim + j] *= scale_[j];
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

}  // namespace s3gd
