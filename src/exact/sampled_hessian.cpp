#include "exact/sampled_hessian.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/index.hpp"
#include "base/threads.hpp"
#include "data/row_access.hpp"
#include "kernel/blas.hpp"

namespace s3gd {
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

}  // namespace s3gd
