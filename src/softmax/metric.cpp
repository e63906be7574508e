#include "softmax/metric.hpp"

#include <algorithm>
#include <limits>

#include "base/threads.hpp"
#include "data/row_access.hpp"
#include "finish/curvature_sample.hpp"

namespace s3gd {
namespace {

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

}  // namespace

Curvatures::Curvatures(const SoftmaxProblem& problem, MetricKind kind)
    : problem_(problem),
      by_class_(kind == MetricKind::by_class),
      values_(at(problem.rows() * (by_class_ ? problem.classes() : 1))) {}

void Curvatures::watch(SoftmaxPass& pass) {
  pass.watch_float = [this](const SoftmaxBlock<float>& block) { note(block); };
  pass.watch_double = [this](const SoftmaxBlock<double>& block) { note(block); };
}

template <class W>
void Curvatures::note(const SoftmaxBlock<W>& block) {
  const Index classes = problem_.classes();
  const double others = static_cast<double>(classes - 1);
  for (std::size_t r = 0; r < block.rows.size(); ++r) {
    const W* p = block.probabilities + static_cast<Index>(r) * block.width;
    const double q = problem_.weight(block.rows[r]) / others;
    double sum = 0;
    double* kept = by_class_ ? values_.data() + block.rows[r] * classes : nullptr;
    for (Index k = 0; k < classes; ++k) {
      const auto share = static_cast<double>(p[k] * (W(1) - p[k]));
      sum += share;
      if (kept != nullptr) kept[k] = q * static_cast<double>(classes) * share;
    }
    if (kept == nullptr) values_[at(block.rows[r])] = q * sum;
  }
}

std::vector<double> Curvatures::of_class(Index k) const {
  std::vector<double> sizes(at(problem_.rows()));
  for (std::size_t i = 0; i < sizes.size(); ++i) sizes[i] = values_[i * at(problem_.classes()) + at(k)];
  return sizes;
}

std::vector<double> curvature_diagonal(const SoftmaxProblem& problem, std::span<const double> sizes) {
  std::vector<double> diagonal(at(problem.features()), 0.0);
  problem.x().visit([&](const auto& x) {
    for (Index i = 0; i < x.rows; ++i)
      for_each_nonzero(x, i, [&](Index j, auto value) {
        diagonal[at(j)] += sizes[at(i)] * static_cast<double>(value) * static_cast<double>(value);
      });
  });
  if (problem.has_intercept())
    for (const double size : sizes) diagonal.back() += size;
  const double largest = *std::max_element(diagonal.begin(), diagonal.end());
  for (double& value : diagonal) value = std::max(value, std::max(1e-12 * largest, std::numeric_limits<double>::min()));
  return diagonal;
}

ClassMetric::ClassMetric(const SoftmaxProblem& problem, const MatrixPenalty& penalty, MetricKind kind)
    : problem_(problem), kind_(kind) {
  for (Index j = 0; j < problem.features(); ++j) added_.push_back(2.0 * penalty.ridge(j));
}

void ClassMetric::build(const Curvatures& curvatures, Index sample, Rng& rng) {
  if (kind_ == MetricKind::diagonal) {
    diagonal_ = curvature_diagonal(problem_, curvatures.of_rows());
    for (std::size_t j = 0; j < diagonal_.size(); ++j) diagonal_[j] += added_[j];
    return;
  }
  factors_.clear();
  const auto factorise = [&](std::span<const double> sizes) {
    const RowSample drawn = sample_by_size(sizes, sample, rng);
    factors_.emplace_back(sampled_hessian(problem_, drawn.rows, drawn.weights), added_);
  };
  if (kind_ == MetricKind::shared) return factorise(curvatures.of_rows());
  for (Index k = 0; k < problem_.classes(); ++k) factorise(curvatures.of_class(k));
}

void ClassMetric::solve(std::span<double> v) const {
  const Index features = problem_.features(), classes = problem_.classes();
  if (kind_ == MetricKind::diagonal) {
    for (Index j = 0; j < features; ++j)
      for (Index k = 0; k < classes; ++k) v[at(j * classes + k)] /= diagonal_[at(j)];
    return;
  }
  std::vector<double> turned(v.size());  // one class after the other
  for (Index j = 0; j < features; ++j)
    for (Index k = 0; k < classes; ++k) turned[at(k * features + j)] = v[at(j * classes + k)];
  if (kind_ == MetricKind::shared) {
    factors_[0].solve(turned);
  } else {
    parallel_for(classes, problem_.spec().threads,
                 [&](Index k) { factors_[at(k)].solve(std::span(turned).subspan(at(k * features), at(features))); });
  }
  for (Index j = 0; j < features; ++j)
    for (Index k = 0; k < classes; ++k) v[at(j * classes + k)] = turned[at(k * features + j)];
}

}  // namespace s3gd
