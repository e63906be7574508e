#include "exact/softmax_metric.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/index.hpp"
#include "base/threads.hpp"
#include "data/row_access.hpp"
#include "exact/curvature_sample.hpp"
#include "kernel/kernel.hpp"

namespace s3gd {
namespace {

constexpr Index kWidest = 2000;  // features; beyond, a factor costs more than it saves
constexpr Index kRowsPerPart = 1024;
constexpr Index kMostParts = 8;

}  // namespace

MetricKind metric_kind(const SoftmaxProblem& problem) {
  return problem.features() > kWidest ? MetricKind::diagonal : MetricKind::shared;
}

void Curvatures::watch(SoftmaxPass& pass) {
  values_.resize(pass.rows.empty() ? at(problem_.rows()) : pass.rows.size());
  pass.watch_float = [this](const SoftmaxBlock<float>& block) { note(block); };
  pass.watch_double = [this](const SoftmaxBlock<double>& block) { note(block); };
}

template <class W>
void Curvatures::note(const SoftmaxBlock<W>& block) {
  const Index classes = problem_.classes();
  for (std::size_t r = 0; r < block.rows.size(); ++r) {
    const W* p = block.probabilities + static_cast<Index>(r) * block.width;
    W sum = 0;
    for (Index k = 0; k < classes; ++k) sum += p[k] * (W(1) - p[k]);
    values_[at(block.first) + r] =
        problem_.weight(block.rows[r]) * static_cast<double>(sum) / static_cast<double>(classes - 1);
  }
}

std::vector<double> curvature_diagonal(const SoftmaxProblem& problem, std::span<const Index> rows,
                                       std::span<const double> sizes) {
  const auto count = static_cast<Index>(sizes.size()), features = problem.features();
  const Index parts = std::clamp<Index>(count / kRowsPerPart, 1, kMostParts);
  std::vector<std::vector<double>> sums(at(parts));
  problem.x().visit([&](const auto& x) {
    parallel_for(parts, problem.spec().threads, [&](Index part) {
      std::vector<double>& sum = sums[at(part)];
      sum.assign(at(features), 0.0);
      for (Index r = count * part / parts; r < count * (part + 1) / parts; ++r) {
        const double size = sizes[at(r)];
        for_each_nonzero(x, rows.empty() ? r : rows[at(r)], [&](Index j, auto value) {
          sum[at(j)] += size * static_cast<double>(value) * static_cast<double>(value);
        });
        if (problem.has_intercept()) sum.back() += size;
      }
    });
  });
  std::vector<double> diagonal = std::move(sums[0]);
  for (std::size_t part = 1; part < sums.size(); ++part)
    kernel::axpy(1.0, sums[part].data(), diagonal.data(), features);
  const double largest = *std::max_element(diagonal.begin(), diagonal.end());
  for (double& value : diagonal) value = std::max(value, std::max(1e-12 * largest, std::numeric_limits<double>::min()));
  return diagonal;
}

ClassMetric::ClassMetric(const SoftmaxProblem& problem, const MatrixPenalty& penalty) : problem_(problem) {
  for (Index j = 0; j < problem.features(); ++j) added_.push_back(2.0 * penalty.ridge(j));
}

void ClassMetric::build(std::span<const Index> rows, std::span<const double> sizes, Index sample, Rng& rng) {
  if (metric_kind(problem_) == MetricKind::diagonal) {
    diagonal_ = curvature_diagonal(problem_, rows, sizes);
    for (std::size_t j = 0; j < diagonal_.size(); ++j) diagonal_[j] += added_[j];
    return;
  }
  const RowSample drawn = sample_by_size(sizes, rows, sample, rng);
  factor_.emplace(sampled_hessian(problem_, drawn.rows, drawn.weights), added_);
}

void ClassMetric::solve(std::span<double> v) const {
  const Index features = problem_.features(), classes = problem_.classes();
  if (!factor_) {
    for (Index j = 0; j < features; ++j)
      for (Index k = 0; k < classes; ++k) v[at(j * classes + k)] /= diagonal_[at(j)];
    return;
  }
  std::vector<double> turned(v.size());  // one class after the other
  for (Index j = 0; j < features; ++j)
    for (Index k = 0; k < classes; ++k) turned[at(k * features + j)] = v[at(j * classes + k)];
  factor_->solve(turned);
  for (Index j = 0; j < features; ++j)
    for (Index k = 0; k < classes; ++k) v[at(j * classes + k)] = turned[at(k * features + j)];
}

}  // namespace s3gd
