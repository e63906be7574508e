#include "exact/metric.hpp"

#include <cmath>
#include <limits>
#include <numeric>

#include "base/index.hpp"
#include "base/threads.hpp"
#include "data/row_access.hpp"
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

namespace {

constexpr Index kBlockRows = 256;
constexpr Index kMostParts = 4;
constexpr Index kRowsPerPart = 512;
constexpr Index kBytesInParts = 16 << 20;
constexpr double kFirstJitter = 1e-7;  // of a unit diagonal summed in float

// What all parts of the sum share.
struct Sampled {
  const WeightedRows& sample;
  std::span<const Index> columns;       // coordinates that are summed
  std::span<const std::int32_t> place;  // of each coordinate among them, -1 when it is not
};

// One row of the sample, scaled, chosen coordinates only.
template <class View, class S>
void expand(const View& x, Index i, S root, const Sampled& sampled, S* out) {
  const std::size_t count = sampled.columns.size();
  if constexpr (is_dense_view<View>) {
    const auto* row = x.row(i);
    const std::size_t columns = count - (sampled.columns.back() == x.cols ? 1 : 0);
    if (columns == at(x.cols))
      for (std::size_t j = 0; j < columns; ++j) out[j] = root * static_cast<S>(row[j]);
    else
      for (std::size_t c = 0; c < columns; ++c) out[c] = root * static_cast<S>(row[sampled.columns[c]]);
  } else {
    std::fill(out, out + count, S(0));
    for_each_nonzero(x, i, [&](Index j, auto value) {
      if (const auto place = sampled.place[at(j)]; place >= 0) out[place] = root * static_cast<S>(value);
    });
  }
  if (sampled.columns.back() == x.cols) out[count - 1] = root;
}

// Rows [begin, end) of the sample added to the lower triangle of `sum` by blocks.
template <class View, class S>
void add_rows(const View& x, const Sampled& sampled, Index begin, Index end, S* sum) {
  const auto count = static_cast<Index>(sampled.columns.size());
  const auto& [matrix, rows, weights, threads] = sampled.sample;
  std::vector<S> block(at(kBlockRows * count));
  for (Index first = begin; first < end; first += kBlockRows) {
    const Index size = std::min(kBlockRows, end - first);
    for (Index r = 0; r < size; ++r)
      expand(x, rows[at(first + r)], static_cast<S>(std::sqrt(weights[at(first + r)])), sampled,
             block.data() + r * count);
    blas::syrk_transposed(count, size, S(1), block.data(), count, S(1), sum, count);
  }
}

}  // namespace

template <class S>
std::vector<double> sum_of_products(const WeightedRows& sample, std::span<const Index> columns) {
  const auto count = static_cast<Index>(sample.rows.size()), width = static_cast<Index>(columns.size());
  const Index bytes = static_cast<Index>(sizeof(S)) * width * width;
  const Index parts = std::clamp<Index>(std::min(count / kRowsPerPart, kBytesInParts / bytes), 1, kMostParts);
  std::vector<std::int32_t> place(at(sample.x.cols() + 1), -1);
  for (Index c = 0; c < width; ++c) place[at(columns[at(c)])] = static_cast<std::int32_t>(c);
  const Sampled sampled{sample, columns, place};
  std::vector<std::vector<S>> sums(at(parts));
  sample.x.visit([&](const auto& x) {
    parallel_for(parts, sample.threads, [&](Index part) {
      sums[at(part)].assign(at(width * width), S(0));
      add_rows(x, sampled, count * part / parts, count * (part + 1) / parts, sums[at(part)].data());
    });
  });
  std::vector<double> total(at(width * width));
  for (Index a = 0; a < width; ++a)
    for (Index b = 0; b <= a; ++b)
      for (const auto& part : sums) total[at(a * width + b)] += static_cast<double>(part[at(a * width + b)]);
  return total;
}

template std::vector<double> sum_of_products<float>(const WeightedRows&, std::span<const Index>);
template std::vector<double> sum_of_products<double>(const WeightedRows&, std::span<const Index>);

std::vector<double> sampled_hessian(const SoftmaxProblem& problem, std::span<const Index> rows,
                                    std::span<const double> weights) {
  const std::size_t dim = at(problem.features());
  std::vector<Index> all(dim);
  std::iota(all.begin(), all.end(), Index{0});
  std::vector<double> sum = sum_of_products<float>({problem.x(), rows, weights, problem.spec().threads}, all);
  for (std::size_t a = 0; a < dim; ++a)
    for (std::size_t b = 0; b < a; ++b) sum[b * dim + a] = sum[a * dim + b];
  return sum;
}

FeatureFactor::FeatureFactor(std::vector<double> matrix, std::span<const double> added) {
  const auto dim = static_cast<Index>(added.size());
  for (Index j = 0; j < dim; ++j) {
    double& diagonal = matrix[at(j * dim + j)];
    diagonal += added[at(j)];
    scale_.push_back(diagonal > 0 ? 1.0 / std::sqrt(diagonal) : 1.0);
  }
  for (Index a = 0; a < dim; ++a)
    for (Index b = 0; b <= a; ++b) matrix[at(a * dim + b)] *= scale_[at(a)] * scale_[at(b)];
  for (double jitter = kFirstJitter;; jitter *= 10) {
    factor_ = matrix;
    for (Index a = 0; a < dim; ++a) factor_[at(a * dim + a)] += jitter;
    if (blas::cholesky(dim, factor_.data(), dim) || jitter > 1) break;
  }
}

void FeatureFactor::solve(std::span<double> v) const {
  const std::size_t dim = scale_.size();
  const auto rescale = [&] {
    for (std::size_t first = 0; first < v.size(); first += dim)
      for (std::size_t j = 0; j < dim; ++j) v[first + j] *= scale_[j];
  };
  rescale();
  blas::cholesky_solve(static_cast<Index>(dim), factor_.data(), static_cast<Index>(dim), v.data(),
                       static_cast<Index>(v.size() / dim));
  rescale();
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
