#include "exact/softmax_quadratic.hpp"

#include <cmath>
#include <utility>

#include "anchor/rows.hpp"
#include "base/index.hpp"
#include "base/threads.hpp"
#include "data/row_access.hpp"
#include "exact/softmax_hessian.hpp"
#include "kernel/blas.hpp"
#include "kernel/kernel.hpp"

namespace s3gd {
namespace {

constexpr std::size_t kMemory = 10;                        // past steps that correct the quadratic
constexpr double kJitter = 1e-6, kJitterInDouble = 1e-12;  // of the diagonal: what summing it adds or takes
constexpr double kTooFlatWithoutMean = 0.1;                // less, as classes have means of their own
constexpr double kTooFlat = 0.5;       // of a column's own curvature: with less, the sample is taken to lack the column
constexpr Index kRowsPerChunk = 1024;  // a unit of work for a thread
// Weights up to which the coupling of the classes saves more than it costs; with rows of few entries, whose products cost
// little, more of them.
constexpr Index kMostCoupled = 2000, kMostSparselyCoupled = 5000;
constexpr double kFewProducts = 1e9;

double product(std::span<const double> a, std::span<const double> b) {
  return kernel::dot(a.data(), b.data(), static_cast<Index>(a.size()));
}

// Of each row: sum_j x_ij^2 / diagonal_j, which for a row of unit curvature is what it adds to its columns' own.
std::vector<double> column_shares(const SoftmaxProblem& problem, std::span<const double> diagonal) {
  std::vector<double> shares(at(problem.rows()));
  std::vector<double> inverse(diagonal.begin(), diagonal.end());
  for (double& value : inverse) value = 1 / value;
  problem.x().visit([&](const auto& x) {
    parallel_ranges(x.rows, kRowsPerChunk, problem.spec().threads, [&](Index begin, Index end, Index) {
      for (Index i = begin; i < end; ++i) {
        double sum = problem.has_intercept() ? inverse.back() : 0.0;
        for_each_nonzero(x, i, [&](Index j, auto value) {
          sum += static_cast<double>(value) * static_cast<double>(value) * inverse[at(j)];
        });
        shares[at(i)] = sum;
      }
    });
  });
  return shares;
}

// What is left of the columns' curvatures around their means.
std::vector<double> without_means(const SoftmaxProblem& problem, std::span<const double> whole,
                                  std::span<const double> sizes) {
  std::vector<double> sums(whole.size(), 0.0), result(whole.begin(), whole.end());
  double total = 0;
  problem.x().visit([&](const auto& x) {
    for (Index i = 0; i < x.rows; ++i) {
      total += sizes[at(i)];
      for_each_nonzero(x, i, [&](Index j, auto value) { sums[at(j)] += sizes[at(i)] * static_cast<double>(value); });
    }
  });
  for (std::size_t j = 0; j < result.size() && total > 0; ++j)
    result[j] = std::max(result[j] - sums[j] * sums[j] / total, 1e-12 * whole[j]);
  return result;
}

bool couples_classes(const SoftmaxProblem& problem) {
  if (problem.dim() <= kMostCoupled) return true;
  if (problem.dim() > kMostSparselyCoupled || problem.x().is_dense()) return false;
  const auto rows = static_cast<double>(problem.rows()), classes = static_cast<double>(problem.classes());
  const double entries = static_cast<double>(problem.x().stored()) / rows;
  return rows * entries * entries * classes * classes / 4 <= kFewProducts;
}

}  // namespace

void Damped::times(std::span<const double> v, std::span<double> out) const {
  part_.times(v, out);
  for (std::size_t c = 0; c < v.size(); ++c) out[c] += damping_ * diagonal_[c] * v[c];
}

std::vector<double> Damped::diagonal() const {
  std::vector<double> result = diagonal_;
  for (double& value : result) value *= 1 + damping_;
  return result;
}

LossQuadratic::LossQuadratic(const SoftmaxProblem& problem)
    : problem_(problem),
      coupled_(couples_classes(problem)),
      size_(coupled_ ? problem.dim() : problem.features()),
      outputs_(coupled_ ? 1 : problem.classes()) {}

// The Hessian over the drawn rows, whose weights are multiples of their curvatures.
std::vector<double> LossQuadratic::coupled(std::span<const double> w, const RowSample& drawn,
                                           std::span<const double> curvatures) const {
  const Index classes = problem_.classes(), count = static_cast<Index>(drawn.rows.size());
  if (count == 0)
    return std::vector<double>(at(size_ * size_), 0.0);  // no row bends anything; to a pass, no rows are all
  std::vector<double> weights(drawn.weights);
  for (std::size_t k = 0; k < weights.size(); ++k)
    weights[k] *= problem_.weight(drawn.rows[k]) / curvatures[at(drawn.rows[k])];
  const std::vector<float> probabilities = probabilities_at(problem_, w, drawn.rows);
  const int threads = problem_.spec().threads;
  const Matrix x = gather_rows(problem_.x(), drawn.rows, threads);
  return coupled_hessian({x, problem_.has_intercept(), classes, weights, probabilities, threads}, count);
}

// whole: of each feature, the mean over the directions that change probabilities; without_mean: the same where the
// intercepts follow, empty where they do not or the sample is all rows.
void LossQuadratic::raise_flat(std::span<const double> whole, std::span<const double> without_mean) {
  const Index per_feature = size_ / problem_.features();
  const double jitter = coupled_ && multiplies_entries(problem_.x()) ? kJitterInDouble : kJitter;
  const double directions = coupled_ ? static_cast<double>(per_feature - 1) : 1.0;
  std::vector<double> diagonal;
  for (Index c = 0; c < size_; ++c) diagonal.push_back(matrix_[at(c * size_ + c)]);
  const auto lacking = [&](Index j, double wanted, double share) {
    double own = 0;
    for (Index c = j * per_feature; c < (j + 1) * per_feature; ++c) own += diagonal[at(c)];
    return own < share * wanted ? wanted - own : 0.0;
  };
  std::vector<double> added;
  for (Index j = 0; j < problem_.features(); ++j)
    added.push_back(lacking(j, directions * whole[at(j)], kTooFlat) + jitter * directions * whole[at(j)]);
  if (!without_mean.empty()) {
    take_intercepts_away(diagonal);
    for (Index j = 0; j < problem_.cols(); ++j)
      added[at(j)] = std::max(added[at(j)], lacking(j, directions * without_mean[at(j)], kTooFlatWithoutMean));
  }
  for (Index c = 0; c < size_; ++c)
    matrix_[at(c * size_ + c)] += added[at(c / per_feature)] / static_cast<double>(per_feature);
}

// Of the diagonal of a coupled matrix: what is left where free intercepts follow the other weights.
void LossQuadratic::take_intercepts_away(std::span<double> diagonal) const {
  const Index classes = problem_.classes(), rest = size_ - classes;
  std::vector<double> own(at(classes * classes)), solved(at(classes));
  double trace = 0;
  for (Index a = 0; a < classes; ++a) {
    std::copy_n(&matrix_[at((rest + a) * size_ + rest)], classes, &own[at(a * classes)]);
    trace += own[at(a * classes + a)];
  }
  for (Index a = 0; a < classes; ++a) own[at(a * classes + a)] += 1e-9 * trace;
  if (!blas::cholesky(classes, own.data(), classes)) return;
  for (Index c = 0; c < rest; ++c) {
    const double* coupling = &matrix_[at(c * size_ + rest)];
    std::copy_n(coupling, classes, solved.begin());
    blas::cholesky_solve(classes, own.data(), classes, solved.data());
    diagonal[at(c)] -= kernel::dot(coupling, solved.data(), classes);
  }
}

void LossQuadratic::build(std::span<const double> w, const Curvatures& curvatures, Index sample, Rng& rng) {
  const std::vector<double> whole = curvature_diagonal(problem_, {}, curvatures.of_rows());
  const std::vector<double> shares = column_shares(problem_, whole);
  std::vector<double> sizes(curvatures.of_rows().begin(), curvatures.of_rows().end());
  for (std::size_t i = 0; i < sizes.size(); ++i) sizes[i] *= shares[i];
  RowSample drawn = sample_by_size(sizes, sample, rng);
  for (std::size_t k = 0; k < drawn.rows.size(); ++k) drawn.weights[k] /= shares[at(drawn.rows[k])];
  matrix_ = coupled_ ? coupled(w, drawn, curvatures.of_rows()) : sampled_hessian(problem_, drawn);
  const bool follows = coupled_ && sample < problem_.rows() && problem_.spec().intercept == Intercept::free;
  raise_flat(whole, follows ? without_means(problem_, whole, curvatures.of_rows()) : std::vector<double>());
  for (Pair& pair : pairs_) pair.image = metric_times(pair.moved);
}

void LossQuadratic::remember(std::vector<double> moved, std::vector<double> change) {
  const double along = product(moved, change);
  const double sizes = std::sqrt(product(moved, moved) * product(change, change));
  if (!(along > 1e-10 * sizes)) return;  // rounding, not curvature
  std::vector<double> image = metric_times(moved);
  pairs_.push_back({std::move(moved), std::move(change), along, std::move(image)});
  if (pairs_.size() > kMemory) pairs_.pop_front();
}

std::vector<double> LossQuadratic::metric_times(std::span<const double> v) const {
  std::vector<double> out(v.size());
  blas::gemm(blas::Op::plain, blas::Op::plain, size_, outputs_, size_, 1.0, matrix_.data(), size_, v.data(), outputs_,
             0.0, out.data(), outputs_);
  return out;
}

LossQuadratic::Part LossQuadratic::part(std::span<const Index> chosen) const {
  const Index per_feature = size_ / problem_.features(), size = static_cast<Index>(chosen.size()) * per_feature;
  Part part;
  part.size_ = size;
  part.classes_ = problem_.classes();
  part.outputs_ = outputs_;
  part.matrix_.resize(at(size * size));
  for (Index a = 0; a < size; ++a) {
    const double* row = matrix_.data() + (chosen[at(a / per_feature)] * per_feature + a % per_feature) * size_;
    double* out = part.matrix_.data() + a * size;
    for (const Index j : chosen) out = std::copy_n(row + j * per_feature, per_feature, out);
  }
  // One pair after the other: B + y y' / y.s - B s s' B / s.B s, the least change that has the step s change slopes by y.
  std::vector<std::vector<double>> bent;  // B s, as B was then
  const auto append = [&](const std::vector<double>& vector, double weight) {
    part.weights_.push_back(weight);
    for (const Index j : chosen)
      part.vectors_.insert(part.vectors_.end(), vector.begin() + j * part.classes_,
                           vector.begin() + (j + 1) * part.classes_);
  };
  for (const Pair& pair : pairs_) {
    std::vector<double> b = pair.image;
    for (std::size_t k = 0; k < bent.size(); ++k) {
      const Pair& earlier = pairs_[k];
      const double along = product(earlier.change, pair.moved) / earlier.product;
      kernel::axpy(along, earlier.change.data(), b.data(), problem_.dim());
      kernel::axpy(-product(bent[k], pair.moved) / product(bent[k], earlier.moved), bent[k].data(), b.data(),
                   problem_.dim());
    }
    append(pair.change, 1 / pair.product);
    append(b, -1 / product(b, pair.moved));
    bent.push_back(std::move(b));
  }
  return part;
}

std::vector<double> LossQuadratic::Part::diagonal() const {
  std::vector<double> result;
  for (Index c = 0; c < size_; ++c) result.insert(result.end(), at(outputs_), matrix_[at(c * size_ + c)]);
  return result;
}

std::vector<double> LossQuadratic::Part::dense() && {
  std::vector<double> weighed = vectors_;
  for (std::size_t c = 0; c < weights_.size(); ++c) kernel::scale(weights_[c], &weighed[c * at(size_)], size_);
  blas::gemm(blas::Op::transposed, blas::Op::plain, size_, size_, std::ssize(weights_), 1.0, vectors_.data(), size_,
             weighed.data(), size_, 1.0, matrix_.data(), size_);
  return std::move(matrix_);
}

void LossQuadratic::Part::times(std::span<const double> v, std::span<double> out) const {
  blas::gemm(blas::Op::plain, blas::Op::plain, size_, outputs_, size_, 1.0, matrix_.data(), size_, v.data(), outputs_,
             0.0, out.data(), outputs_);
  const Index length = size_ * outputs_;
  for (std::size_t c = 0; c < weights_.size(); ++c) {
    const double* vector = vectors_.data() + static_cast<Index>(c) * length;
    kernel::axpy(weights_[c] * kernel::dot(vector, v.data(), length), vector, out.data(), length);
  }
}

namespace {

constexpr int kMostProducts = 300;  // that a step is worth

}  // namespace

std::vector<double> steepness(std::vector<double> lengths, const MatrixPenalty& penalty, Index classes) {
  const std::size_t together = penalty.couples_features() ? lengths.size() : static_cast<std::size_t>(classes);
  for (std::size_t first = 0; first < lengths.size() && penalty.couples_classes(); first += together) {
    const auto begin = lengths.begin() + static_cast<std::ptrdiff_t>(first);
    const auto end = begin + static_cast<std::ptrdiff_t>(together);
    std::fill(begin, end, *std::max_element(begin, end));
  }
  return lengths;
}

std::vector<double> minimise(const InnerProblem& inner, Index classes, double accuracy, double& curvature,
                             const Progress& progress) {
  const std::size_t n = inner.w.size();
  std::vector<double> x(inner.w.begin(), inner.w.end()), bx(n, 0.0), y = x, by = bx, next(n), bnext(n), moved(n);
  const std::vector<double> lengths = steepness(inner.quadratic.diagonal(), inner.penalty, classes);
  std::vector<double> etas(n);
  double momentum = 1, first = -1;
  curvature *= 0.5;  // it may have fallen since
  for (int step = 0; step < kMostProducts && !progress.must_stop(); ++step) {
    double size = 0;
    for (;;) {
      for (std::size_t c = 0; c < n; ++c) {
        etas[c] = 1 / (curvature * lengths[c]);
        next[c] = y[c] - (inner.gradient[c] + by[c]) * etas[c];
      }
      if (inner.penalty.couples_features())
        inner.penalty.prox(etas[0], next);
      else
        inner.penalty.prox(etas, next);
      for (std::size_t c = 0; c < n; ++c) moved[c] = next[c] - inner.w[c];
      inner.quadratic.times(moved, bnext);
      double bent = 0;
      size = 0;
      for (std::size_t c = 0; c < n; ++c) {
        const double d = next[c] - y[c];
        bent += d * (bnext[c] - by[c]);
        size += lengths[c] * d * d;
      }
      if (!std::isfinite(bent) || !std::isfinite(size)) {  // values beyond what their squares can be: no step at all
        curvature = 1;
        return {inner.w.begin(), inner.w.end()};
      }
      if (bent <= curvature * size * (1 + 1e-9) || size == 0) break;
      curvature = std::max(1.2 * curvature, 1.05 * bent / size);
    }
    double uphill = 0;
    for (std::size_t c = 0; c < n; ++c) uphill += lengths[c] * (y[c] - next[c]) * (next[c] - x[c]);
    const double following = 0.5 * (1 + std::sqrt(1 + 4 * momentum * momentum));
    const double carry = uphill > 0 ? 0.0 : (momentum - 1) / following;
    momentum = uphill > 0 ? 1.0 : following;
    for (std::size_t c = 0; c < n; ++c) {
      y[c] = next[c] + carry * (next[c] - x[c]);
      by[c] = bnext[c] + carry * (bnext[c] - bx[c]);
    }
    std::swap(x, next);
    std::swap(bx, bnext);
    if (first < 0) first = size;
    if (size <= accuracy * accuracy * first) break;
  }
  return x;
}

}  // namespace s3gd
