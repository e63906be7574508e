#include <cmath>
#include <limits>
#include <numeric>

#include "anchor/rows.hpp"
#include "base/index.hpp"
#include "base/threads.hpp"
#include "data/row_access.hpp"
#include "exact/metric.hpp"
#include "exact/softmax_hessian.hpp"
#include "exact/working_columns.hpp"
#include "kernel/kernel.hpp"
#include "problem/conjugate_gradients.hpp"
#include "problem/table_sums.hpp"

namespace s3gd {
namespace {

constexpr Index kWidest = 2000;        // features; beyond, a factor costs more than it saves
constexpr Index kSparse = 8;           // columns for each entry
constexpr double kFirstJitter = 1e-7;  // of a unit diagonal summed in float

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
  const RowWeights weight(problem_);
  for (std::size_t r = 0; r < block.rows.size(); ++r) {
    const W* p = block.probabilities + static_cast<Index>(r) * block.width;
    W sum = 0;
    for (Index k = 0; k < classes; ++k) sum += p[k] * (W(1) - p[k]);
    values_[at(block.first) + r] = weight(block.rows[r]) * static_cast<double>(sum) / static_cast<double>(classes - 1);
  }
}

std::vector<double> curvature_diagonal(const SoftmaxProblem& problem, std::span<const Index> rows,
                                       std::span<const double> sizes) {
  std::vector<double> diagonal =
      sum_of_squares({problem.x(), rows, sizes, problem.spec().threads}, problem.has_intercept());
  const double largest = *std::max_element(diagonal.begin(), diagonal.end());
  for (double& value : diagonal) value = std::max(value, std::max(1e-12 * largest, std::numeric_limits<double>::min()));
  return diagonal;
}

std::vector<double> sampled_hessian(const SoftmaxProblem& problem, const RowSample& sample) {
  std::vector<Index> all(at(problem.features()));
  std::iota(all.begin(), all.end(), Index{0});
  std::vector<double> sum =
      sum_of_products<float>({problem.x(), sample.rows, sample.weights, problem.spec().threads}, all);
  mirror(sum, problem.features());
  return sum;
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
  factor_.emplace(sampled_hessian(problem_, drawn), added_, kFirstJitter);
}

void ClassMetric::solve(std::span<double> v) const {
  const Index features = problem_.features(), classes = problem_.classes();
  if (!factor_) {
    for (Index j = 0; j < features; ++j)
      for (Index k = 0; k < classes; ++k) v[at(j * classes + k)] /= diagonal_[at(j)];
    return;
  }
  std::vector<double> turned = class_by_class(problem_, v);
  factor_->solve(turned);
  const std::vector<double> back = feature_by_feature(problem_, turned);
  std::copy(back.begin(), back.end(), v.begin());
}

bool multiplies_entries(const Matrix& x) { return kSparse * x.stored() < x.rows() * x.cols(); }

// Between two classes k and l, H is minus the sum of weight p_k p_l x x'; as each row of diag p - p p' sums to zero, so do
// the blocks: those of a class with itself follow from the others.
std::vector<double> coupled_hessian(const CoupledSample& sample, Index rows) {
  const Index classes = sample.classes, features = sample.x.cols() + (sample.constant ? 1 : 0);
  const Index dim = features * classes, stored = sample.x.rows(), every = std::max<Index>(1, stored / rows);
  const Index count = (stored + every - 1) / every;
  std::vector<Index> drawn(at(count)), all(at(features));
  for (Index r = 0; r < count; ++r) drawn[at(r)] = r * every;
  std::iota(all.begin(), all.end(), Index{0});
  const double stands_for = static_cast<double>(stored) / static_cast<double>(count);
  std::vector<double> matrix(at(dim * dim), 0.0);
  std::vector<std::pair<Index, Index>> pairs;
  for (Index k = 0; k < classes; ++k)
    for (Index l = 0; l < k; ++l) pairs.emplace_back(k, l);
  parallel_for(static_cast<Index>(pairs.size()), sample.threads, [&](Index pair) {
    const auto [k, l] = pairs[at(pair)];
    std::vector<double> coefficients(at(count));
    for (Index r = 0; r < count; ++r) {
      const float* p = sample.probabilities.data() + r * every * classes;
      coefficients[at(r)] = stands_for * sample.weights[at(r * every)] * static_cast<double>(p[k] * p[l]);
    }
    const std::vector<double> sum = sum_of_products<float>({sample.x, drawn, coefficients, 1}, all);
    for (Index a = 0; a < features; ++a)
      for (Index b = 0; b <= a; ++b) {
        const double value = -sum[at(a * features + b)];
        for (const auto& [row, col] : {std::pair(a, b), std::pair(b, a)}) {
          matrix[at((row * classes + k) * dim + col * classes + l)] = value;
          matrix[at((row * classes + l) * dim + col * classes + k)] = value;
        }
      }
  });
  parallel_for(features, sample.threads, [&](Index a) {
    for (Index k = 0; k < classes; ++k) {
      double* row = matrix.data() + (a * classes + k) * dim;
      for (Index b = 0; b < features; ++b) {
        double sum = 0;
        for (Index l = 0; l < classes; ++l) sum += row[b * classes + l];
        row[b * classes + k] = -sum;
      }
    }
  });
  return matrix;
}

namespace {

constexpr Index kMostCoupled = 640;  // weights that are coupled in a factor ...
constexpr Index kRowsPerWeight = 8;  // ... which is made of so many rows

// u <- weight (diag p - p p') u, of one row.
template <class T>
void bend(const float* p, double weight, Index classes, T* u) {
  T mean = 0;
  for (Index k = 0; k < classes; ++k) mean += static_cast<T>(p[k]) * u[k];
  for (Index k = 0; k < classes; ++k) u[k] = static_cast<T>(weight) * static_cast<T>(p[k]) * (u[k] - mean);
}

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
  x_ = count_ == problem_.rows() ? problem_.x() : gather_rows(problem_.x(), drawn.rows, problem_.spec().threads);
  const Index classes = problem_.classes();
  probabilities_ = probabilities_at(problem_, w, drawn.rows);
  if (problem_.dim() > kMostCoupled) return;
  std::vector<double> added;
  for (const double one : ridge_) added.insert(added.end(), at(classes), one);
  coupled_.emplace(
      coupled_hessian({x_, problem_.has_intercept(), classes, weights_, probabilities_, problem_.spec().threads},
                      kRowsPerWeight * problem_.dim()),
      added, kFirstJitter);
}

void SampledCurvature::times(std::span<const double> v, std::span<double> out) const {
  const Index classes = problem_.classes();
  const TableSums products{x_, classes, problem_.has_intercept(), problem_.spec().threads};
  products.times(
      v, out, [&](Index row, auto* u) { bend(probabilities_.data() + row * classes, weights_[at(row)], classes, u); });
  for (Index j = 0; j < problem_.features(); ++j)
    for (Index c = j * classes; c < (j + 1) * classes; ++c) out[at(c)] += ridge_[at(j)] * v[at(c)];
}

Index SampledCurvature::solve(std::vector<double>& v, const std::function<bool()>& stop) const {
  LinearSystems one;
  one.times = [this](auto, auto in, auto out) { times(in, out); };
  one.precondition = [&](std::span<double> residual) {
    if (coupled_)
      coupled_->solve(residual);
    else
      preconditioner_.solve(residual);
  };
  one.stop = stop;
  return conjugate_gradients(one, {&v, 1})[0];
}

HessianPart::HessianPart(const SoftmaxProblem& problem, std::span<const float> probabilities,
                         std::span<const Index> chosen)
    : problem_(problem), probabilities_(probabilities) {
  const auto columns = chosen.first(chosen.size() - (problem.has_intercept() ? 1 : 0));
  x_ = gather_columns(problem.x(), {columns.begin(), columns.end()}, problem.spec().threads);
  const Index classes = problem.classes();
  diagonal_.assign(chosen.size() * at(classes), 0.0);
  std::vector<double> bent(at(classes));
  x_.visit([&](const auto& view) {
    for (Index i = 0; i < view.rows; ++i) {
      const float* p = of_row(i);
      for (Index k = 0; k < classes; ++k)
        bent[at(k)] = problem.weight(i) * static_cast<double>(p[k]) * (1.0 - static_cast<double>(p[k]));
      for_each_nonzero(view, i, [&](Index j, auto value) {
        kernel::axpy(static_cast<double>(value) * static_cast<double>(value), bent.data(),
                     diagonal_.data() + j * classes, classes);
      });
      if (problem.has_intercept())
        kernel::axpy(1.0, bent.data(), diagonal_.data() + diagonal_.size() - classes, classes);
    }
  });
  const double largest = diagonal_.empty() ? 0 : *std::max_element(diagonal_.begin(), diagonal_.end());
  for (double& one : diagonal_) one = std::max({one, 1e-6 * largest, std::numeric_limits<double>::min()});
}

double HessianPart::passes() const {
  return static_cast<double>(products_) * static_cast<double>(x_.stored()) /
         static_cast<double>(std::max<Index>(1, problem_.x().stored()));
}

void HessianPart::times(std::span<const double> v, std::span<double> out) const {
  ++products_;
  const Index classes = problem_.classes();
  const TableSums products{x_, classes, problem_.has_intercept(), problem_.spec().threads};
  products.times(v, out, [&](Index row, auto* u) { bend(of_row(row), problem_.weight(row), classes, u); });
}

}  // namespace s3gd
