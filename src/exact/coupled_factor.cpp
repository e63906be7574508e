#include "exact/coupled_factor.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/index.hpp"
#include "base/threads.hpp"
#include "data/row_access.hpp"
#include "kernel/blas.hpp"

namespace s3gd {
namespace {

constexpr Index kBlockRows = 256;
constexpr Index kSparse = 8;  // columns for each entry

// sum over the rows of coefficient_r x_r x_r', the lower triangle; a further feature may be 1 in every row.
class RowProducts {
 public:
  RowProducts(const CoupledSample& sample, Index every, Index count)
      : sample_(sample),
        every_(every),
        count_(count),
        features_(sample.x.cols() + (sample.constant ? 1 : 0)),
        sparse_(multiplies_entries(sample.x)) {
    if (sparse_) return;
    block_.resize(at(count * features_));
    sample.x.visit([&](const auto& x) {
      for (Index r = 0; r < count; ++r) {
        expand_row(x, r * every, block_.data() + r * features_);
        if (sample.constant) block_[at(r * features_ + x.cols)] = 1.0F;
      }
    });
  }

  std::vector<double> sum(std::span<const float> coefficients) const {
    std::vector<double> sum(at(features_ * features_), 0.0);
    if (sparse_)
      sample_.x.visit([&](const auto& x) { add_sparse(x, coefficients, sum); });
    else
      add_dense(coefficients, sum);
    return sum;
  }

 private:
  void add_dense(std::span<const float> coefficients, std::span<double> total) const {
    std::vector<float> sum(total.size(), 0.0F);
    std::vector<float> scaled(at(kBlockRows * features_));
    for (Index first = 0; first < count_; first += kBlockRows) {
      const Index size = std::min(kBlockRows, count_ - first);
      for (Index r = 0; r < size; ++r) {
        const float root = std::sqrt(coefficients[at(first + r)]);
        const float* row = block_.data() + (first + r) * features_;
        std::transform(row, row + features_, scaled.data() + r * features_, [&](float value) { return root * value; });
      }
      blas::syrk_transposed(features_, size, 1.0F, scaled.data(), features_, 1.0F, sum.data(), features_);
    }
    std::copy(sum.begin(), sum.end(), total.begin());
  }

  template <class View>
  void add_sparse(const View& x, std::span<const float> coefficients, std::span<double> sum) const {
    std::vector<Index> columns;
    std::vector<double> values;
    for (Index r = 0; r < count_; ++r) {
      columns.clear();
      values.clear();
      const auto take = [&](Index j, auto value) {
        columns.push_back(j);
        values.push_back(static_cast<double>(value));
      };
      for_each_nonzero(x, r * every_, take);
      if (sample_.constant) take(x.cols, 1.0);
      for (std::size_t a = 0; a < columns.size(); ++a) {
        const double scaled = static_cast<double>(coefficients[at(r)]) * values[a];
        double* out = sum.data() + columns[a] * features_;
        for (std::size_t b = 0; b <= a; ++b) out[columns[b]] += scaled * values[b];
      }
    }
  }

  const CoupledSample& sample_;
  Index every_, count_, features_;
  bool sparse_;
  std::vector<float> block_;  // rows x features, unless sparse
};

}  // namespace

bool multiplies_entries(const Matrix& x) { return kSparse * x.stored() < x.rows() * x.cols(); }

// Between two classes k and l, H is minus the sum of weight p_k p_l x x'; as each row of diag p - p p' sums to zero, so do
// the blocks: those of a class with itself follow from the others.
std::vector<double> coupled_hessian(const CoupledSample& sample, Index rows) {
  const Index classes = sample.classes, features = sample.x.cols() + (sample.constant ? 1 : 0);
  const Index dim = features * classes, stored = sample.x.rows(), every = std::max<Index>(1, stored / rows);
  const Index count = (stored + every - 1) / every;
  const RowProducts products(sample, every, count);
  const double stands_for = static_cast<double>(stored) / static_cast<double>(count);
  std::vector<double> matrix(at(dim * dim), 0.0);
  std::vector<std::pair<Index, Index>> pairs;
  for (Index k = 0; k < classes; ++k)
    for (Index l = 0; l < k; ++l) pairs.emplace_back(k, l);
  parallel_for(static_cast<Index>(pairs.size()), sample.threads, [&](Index pair) {
    const auto [k, l] = pairs[at(pair)];
    std::vector<float> coefficients(at(count));
    for (Index r = 0; r < count; ++r) {
      const float* p = sample.probabilities.data() + r * every * classes;
      coefficients[at(r)] = static_cast<float>(stands_for * sample.weights[at(r * every)]) * p[k] * p[l];
    }
    const std::vector<double> sum = products.sum(coefficients);
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

void CoupledFactor::build(const CoupledSample& sample, std::span<const double> ridge, Index rows) {
  std::vector<double> added;
  for (const double one : ridge) added.insert(added.end(), at(sample.classes), one);
  factor_.emplace(coupled_hessian(sample, rows), added);
}

void CoupledFactor::solve(std::span<double> v) const { factor_->solve(v); }

}  // namespace s3gd
