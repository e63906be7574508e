#include "softmax/sampled_curvature.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "anchor/rows.hpp"
#include "base/threads.hpp"
#include "finish/curvature_sample.hpp"
#include "kernel/kernel.hpp"
#include "softmax/block_products.hpp"

namespace s3gd {
namespace {

constexpr Index kBlockRows = 64;
constexpr Index kRowsPerPart = 1024;
constexpr Index kMostParts = 8;
constexpr int kMostProducts = 60;
constexpr double kAccuracy = 0.1;  // of the residual at the start, in the norm of the preconditioner

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
}

template <class View>
void SampledCurvature::add_products(const View& x, std::span<const double> v, std::span<double> out) const {
  using T = typename View::Value;
  const Index classes = problem_.classes(), width = kernel::table_width(classes), cols = problem_.cols();
  const bool constant = problem_.has_intercept();
  std::vector<T> table(at(cols * width), T(0)), shift(at(width), T(0));
  for (Index j = 0; j < cols; ++j)
    for (Index k = 0; k < classes; ++k) table[at(j * width + k)] = static_cast<T>(v[at(j * classes + k)]);
  for (Index k = 0; k < classes && constant; ++k) shift[at(k)] = static_cast<T>(v[at(cols * classes + k)]);
  const Index parts = std::clamp<Index>(count_ / kRowsPerPart, 1, kMostParts);
  std::vector<std::vector<T>> sums(at(parts));
  parallel_for(parts, problem_.spec().threads, [&](Index part) {
    std::vector<T>& sum = sums[at(part)];
    sum.assign(at((cols + 1) * width), T(0));
    std::vector<T> t(at(kBlockRows * width));
    std::vector<Index> places(at(kBlockRows));
    BlockProducts<View, T> products(x, width);
    const Index end = count_ * (part + 1) / parts;
    for (Index first = count_ * part / parts; first < end; first += kBlockRows) {
      const Index size = std::min(kBlockRows, end - first);
      const std::span<const Index> rows(places.data(), at(size));
      for (Index r = 0; r < size; ++r) places[at(r)] = first + r;
      products.times(rows, true, table.data(), t.data());
      for (Index r = 0; r < size; ++r) {
        T* row = t.data() + r * width;
        const float* p = probabilities_.data() + (first + r) * classes;
        T mean = 0;
        for (Index k = 0; k < classes; ++k) {
          row[k] += shift[at(k)];
          mean += static_cast<T>(p[k]) * row[k];
        }
        const T weight = static_cast<T>(weights_[at(first + r)]);
        for (Index k = 0; k < classes; ++k) {
          row[k] = weight * static_cast<T>(p[k]) * (row[k] - mean);
          sum[at(cols * width + k)] += row[k];
        }
      }
      products.add(rows, t.data(), sum.data());
    }
  });
  const Index features = problem_.features();
  for (Index j = 0; j < features; ++j)
    for (Index k = 0; k < classes; ++k) {
      double total = ridge_[at(j)] * v[at(j * classes + k)];
      for (const auto& sum : sums) total += static_cast<double>(sum[at(j * width + k)]);
      out[at(j * classes + k)] = total;
    }
}

void SampledCurvature::times(std::span<const double> v, std::span<double> out) const {
  x_.visit([&](const auto& x) { add_products(x, v, out); });
  products_ += static_cast<double>(count_);
}

void SampledCurvature::solve(std::span<double> v) const {
  std::vector<double> x(v.size(), 0.0), r(v.begin(), v.end()), z = r, direction, image(v.size());
  preconditioner_.solve(z);
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
    preconditioner_.solve(z);
    const double next = product(r, z);
    const double carry = next / rz;
    for (std::size_t j = 0; j < direction.size(); ++j) direction[j] = z[j] + carry * direction[j];
    rz = next;
  }
  std::copy(x.begin(), x.end(), v.begin());
}

}  // namespace s3gd
