// Coordinate descent on an explicit matrix; once the support has settled, a factorisation takes it to its minimum at
// once, whatever the correlations.
#include <algorithm>
#include <cmath>

#include "base/index.hpp"
#include "exact/l1_model.hpp"
#include "kernel/blas.hpp"
#include "kernel/kernel.hpp"

namespace s3gd {
namespace {

constexpr int kMostRounds = 60;

// Between two looks at all coordinates: sweeps over the support, and jumps, which cost the cube of its size.
constexpr double kFewSweeps = 4, kManySweeps = 30;
constexpr double kMostJumps = 30, kJumpWork = 2e7;

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
      const auto count = static_cast<double>(support().size());
      for (double k = 0; k < std::clamp(count / 25, kFewSweeps, kManySweeps); ++k) total_ += sweep(true);
      if (round == 0) continue;
      for (double jumps = std::clamp(kJumpWork / (count * count * count), 1.0, kMostJumps); jumps >= 1; --jumps)
        if (!jump()) break;
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

  std::vector<Index> support() const {
    std::vector<Index> chosen;
    for (Index k = 0; k < size_; ++k)
      if ((x_[at(k)] != 0 || model_.l1[at(k)] == 0) && matrix_[at(k * size_ + k)] > 0) chosen.push_back(k);
    return chosen;
  }

  // The way to the minimum over the support with its signs. Columns that depend on each other leave directions of no
  // curvature; the least addition to the diagonal that allows a factor makes those long, and a sign ends them.
  std::vector<double> newton_direction(const std::vector<Index>& chosen) const {
    const auto count = static_cast<Index>(chosen.size());
    std::vector<double> scale(at(count)), scaled(at(count * count)), step(at(count));
    for (Index a = 0; a < count; ++a) {
      const Index k = chosen[at(a)];
      scale[at(a)] = 1.0 / std::sqrt(matrix_[at(k * size_ + k)]);
      for (Index b = 0; b < a; ++b)
        scaled[at(a * count + b)] = scale[at(a)] * scale[at(b)] * matrix_[at(k * size_ + chosen[at(b)])];
    }
    for (double jitter = 1e-14; jitter < 1; jitter *= 100) {
      std::vector<double> factor = scaled;
      for (Index a = 0; a < count; ++a) {
        const double x = x_[at(chosen[at(a)])], l1 = model_.l1[at(chosen[at(a)])];
        factor[at(a * count + a)] = 1.0 + jitter * static_cast<double>(count);
        step[at(a)] = -scale[at(a)] * (slope_[at(chosen[at(a)])] + (x > 0 ? l1 : x < 0 ? -l1 : 0.0));
      }
      if (!blas::cholesky(count, factor.data(), count)) continue;
      blas::cholesky_solve(count, factor.data(), count, step.data());
      for (Index a = 0; a < count; ++a) step[at(a)] *= scale[at(a)];
      if (std::all_of(step.begin(), step.end(), [](double v) { return std::isfinite(v); })) return step;
    }
    return std::vector<double>(at(count), 0.0);
  }

  // There, or as far as the signs hold. True: a coordinate was stopped at zero, another jump may go further.
  bool jump() {
    const std::vector<Index> chosen = support();
    const std::vector<double> step = newton_direction(chosen);
    double t = 1;
    Index stopped = -1;
    for (std::size_t a = 0; a < chosen.size(); ++a) {
      const Index k = chosen[a];
      if (model_.l1[at(k)] == 0 || (x_[at(k)] + t * step[a]) * x_[at(k)] >= 0) continue;
      t = -x_[at(k)] / step[a];
      stopped = k;
    }
    const double before = value();
    const std::vector<double> x = x_, slope = slope_;
    for (std::size_t a = 0; a < chosen.size(); ++a) x_[at(chosen[a])] += t * step[a];
    if (stopped >= 0) x_[at(stopped)] = 0;
    // Afresh: long ways there and back would leave their rounding in the slopes.
    std::vector<double> moved(at(size_));
    for (std::size_t k = 0; k < moved.size(); ++k) moved[k] = x_[k] - model_.x[k];
    for (Index k = 0; k < size_; ++k) slope_[at(k)] = model_.gradient[at(k)] + kernel::dot(row(k), moved.data(), size_);
    if (value() <= before) return stopped >= 0;
    x_ = x;
    slope_ = slope;
    return false;
  }

  // m at the present x, but for a constant: the quadratic part is d.(g + slope) / 2.
  double value() const {
    double sum = 0;
    for (std::size_t k = 0; k < x_.size(); ++k)
      sum += 0.5 * (x_[k] - model_.x[k]) * (model_.gradient[k] + slope_[k]) + model_.l1[k] * std::abs(x_[k]);
    return sum;
  }

  const L1Model& model_;
  Index size_;
  std::vector<double> matrix_, x_, slope_;
  double total_ = 0;
};

}  // namespace

std::vector<double> minimise_by_gram(const L1Model& model, std::vector<double> gram) {
  return GramSearch(model, std::move(gram)).run();
}

}  // namespace s3gd
