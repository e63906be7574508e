// Coordinate descent on an explicit matrix; once the support has settled, a factorisation takes it to its minimum at
// once, whatever the correlations.
#include <algorithm>
#include <cmath>

#include "finish/l1_model.hpp"
#include "kernel/blas.hpp"
#include "kernel/kernel.hpp"

namespace s3gd {
namespace {

constexpr int kMostRounds = 60;
constexpr int kSweeps = 4;  // over the support, between two looks at all coordinates

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

class GramSearch {
 public:
  GramSearch(const L1Model& model, std::vector<double> matrix)
      : model_(model), size_(model.size()), matrix_(std::move(matrix)), x_(model.x), slope_(model.gradient) {
    for (Index k = 0; k < size_; ++k) matrix_[at(k * size_ + k)] += model.ridge[at(k)];
    if (model.radial.empty()) return;
    for (Index k = 0; k < size_; ++k)
      kernel::axpy(-model.radial_curvature * model.radial[at(k)], model.radial.data(), row(k), size_);
  }

  std::vector<double> run() {
    for (int round = 0; round < kMostRounds && !(model_.must_stop && model_.must_stop()); ++round) {
      const double gain = sweep(false);
      total_ += gain;
      if (gain <= model_.accuracy * total_) break;
      for (int k = 0; k < kSweeps; ++k) total_ += sweep(true);
      if (round > 0) jump();
    }
    std::vector<double> moved(at(size_));
    for (std::size_t k = 0; k < moved.size(); ++k) moved[k] = x_[k] - model_.x[k];
    return moved;
  }

 private:
  double* row(Index k) { return matrix_.data() + k * size_; }

  void move(Index k, double by) {
    x_[at(k)] += by;
    kernel::axpy(by, row(k), slope_.data(), size_);
  }

  double sweep(bool support_only) {
    double gain = 0;
    for (Index k = 0; k < size_; ++k) {
      const double curvature = matrix_[at(k * size_ + k)], x = x_[at(k)];
      if (!(curvature > 0) || (support_only && x == 0)) continue;
      const double change = coordinate_change(x, slope_[at(k)], curvature, model_.l1[at(k)]);
      if (change == 0) continue;
      move(k, change);
      gain += curvature * change * change;
    }
    return gain;
  }

  // To the minimum over the support with its signs, or as far towards it as they hold.
  void jump() {
    std::vector<Index> support;
    for (Index k = 0; k < size_; ++k)
      if ((x_[at(k)] != 0 || model_.l1[at(k)] == 0) && matrix_[at(k * size_ + k)] > 0) support.push_back(k);
    const auto count = static_cast<Index>(support.size());
    if (count == 0) return;
    std::vector<double> scale(at(count)), factor(at(count * count)), step(at(count));
    for (Index a = 0; a < count; ++a) {
      const Index k = support[at(a)];
      scale[at(a)] = 1.0 / std::sqrt(matrix_[at(k * size_ + k)]);
      for (Index b = 0; b <= a; ++b)
        factor[at(a * count + b)] = scale[at(a)] * scale[at(b)] * matrix_[at(k * size_ + support[at(b)])];
      factor[at(a * count + a)] = 1.0 + 1e-13 * static_cast<double>(count);
      const double sign = x_[at(k)] > 0 ? 1.0 : x_[at(k)] < 0 ? -1.0 : 0.0;
      step[at(a)] = -scale[at(a)] * (slope_[at(k)] + sign * model_.l1[at(k)]);
    }
    if (!blas::cholesky(count, factor.data(), count)) return;
    blas::cholesky_solve(count, factor.data(), count, step.data());
    double t = 1;
    Index stops = -1;
    for (Index a = 0; a < count; ++a) {
      const Index k = support[at(a)];
      const double by = scale[at(a)] * step[at(a)], x = x_[at(k)];
      if (!std::isfinite(by)) return;
      if (model_.l1[at(k)] == 0 || (x + t * by) * x >= 0) continue;
      t = -x / by;
      stops = k;
    }
    for (Index a = 0; a < count; ++a) move(support[at(a)], t * scale[at(a)] * step[at(a)]);
    if (stops >= 0) x_[at(stops)] = 0;
  }

  const L1Model& model_;
  Index size_;
  std::vector<double> matrix_, x_, slope_;
  double total_ = 0;
};

}  // namespace

std::vector<double> minimise_by_gram(const L1Model& model, const std::vector<double>& gram) {
  return GramSearch(model, gram).run();
}

}  // namespace s3gd
