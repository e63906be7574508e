// Steps for penalties that are sums over groups of weights: one weight each, or the K weights of a feature.
//
//     R(x) = sum over groups of t ||x_g||_2 + ridge ||x_g||^2
//
// The squares belong to the quadratic. A sweep minimises over a group after the other, with M's block replaced by a
// multiple of the identity above it. A leap moves the groups that are not zero; one that would turn past zero stays there.
#include <algorithm>
#include <cmath>

#include "base/index.hpp"
#include "exact/dense_step.hpp"
#include "kernel/blas.hpp"
#include "kernel/kernel.hpp"

namespace s3gd {
namespace {

constexpr Index kManyOf = 20;  // one in so many that reach zero makes a leap a long one

class GroupDescent final : public Descent {
 public:
  GroupDescent(DenseModel& model, const MatrixPenalty& penalty, Index classes)
      : model_(model), per_group_(penalty.couples_classes() ? classes : 1), next_(at(per_group_)) {
    for (Index c = 0; c < model.size; ++c) {
      const double ridge = 2 * penalty.ridge(c / classes);
      model.matrix[at(c * model.size + c)] += ridge;
      model.gradient[at(c)] += ridge * model.w[at(c)];
    }
    model.slope = model.gradient;
    for (Index first = 0; first < model.size; first += per_group_) {
      thresholds_.push_back(penalty.threshold(first / classes));
      steep_.push_back(steepest(first));
    }
  }

  double penalty(std::span<const double> x) const override {
    double sum = 0;
    for (std::size_t g = 0; g < thresholds_.size(); ++g)
      if (thresholds_[g] > 0) sum += thresholds_[g] * length(x, static_cast<Index>(g) * per_group_);
    return sum;
  }

  double sweep() override;
  std::vector<double> direction(double damping) const override;
  Leap leap(std::span<const double> direction, double length) const override;

 private:
  double length(std::span<const double> x, Index first) const {
    if (per_group_ == 1) return std::abs(x[at(first)]);
    return std::sqrt(kernel::dot(&x[at(first)], &x[at(first)], per_group_));
  }
  // An upper bound of the curvature of a group's block: its largest row sum.
  double steepest(Index first) const {
    double most = 0;
    for (Index a = first; a < first + per_group_; ++a) {
      double sum = 0;
      for (Index b = first; b < first + per_group_; ++b) sum += std::abs(model_.row(a)[b]);
      most = std::max(most, sum);
    }
    return most;
  }
  std::vector<Index> off_zero() const;                                       // weights of such groups
  void bend(std::span<const Index> moving, std::span<double> matrix) const;  // adds R's curvature

  DenseModel& model_;
  Index per_group_;
  std::vector<double> thresholds_, steep_;  // one a group
  std::vector<double> next_;
};

double GroupDescent::sweep() {
  double moved = 0;
  for (std::size_t g = 0; g < thresholds_.size(); ++g) {
    if (!(steep_[g] > 0)) continue;
    const Index first = static_cast<Index>(g) * per_group_;
    for (Index a = 0; a < per_group_; ++a)
      next_[at(a)] = model_.x[at(first + a)] - model_.slope[at(first + a)] / steep_[g];
    const double size = length(next_, 0), shrink = thresholds_[g] / steep_[g];
    const double kept = size > shrink ? 1 - shrink / size : 0.0;
    for (Index a = 0; a < per_group_; ++a) {
      const double by = kept * next_[at(a)] - model_.x[at(first + a)];
      if (by == 0) continue;
      moved += steep_[g] * by * by;
      model_.move(first + a, by);
    }
  }
  return moved;
}

std::vector<Index> GroupDescent::off_zero() const {
  std::vector<Index> moving;
  for (std::size_t g = 0; g < thresholds_.size(); ++g) {
    const Index first = static_cast<Index>(g) * per_group_;
    if (!(steep_[g] > 0) || (thresholds_[g] > 0 && length(model_.x, first) == 0)) continue;
    for (Index a = 0; a < per_group_; ++a) moving.push_back(first + a);
  }
  return moving;
}

void GroupDescent::bend(std::span<const Index> moving, std::span<double> matrix) const {
  const auto size = static_cast<Index>(moving.size());
  for (Index first = 0; first < size && per_group_ > 1; first += per_group_) {
    const double* x = &model_.x[at(moving[at(first)])];
    const double length_of = length(model_.x, moving[at(first)]);
    const double threshold = thresholds_[at(moving[at(first)] / per_group_)];
    if (threshold == 0) continue;
    for (Index a = 0; a < per_group_; ++a)
      for (Index b = 0; b <= a; ++b)
        matrix[at((first + a) * size + first + b)] +=
            threshold / length_of * ((a == b ? 1.0 : 0.0) - x[a] / length_of * (x[b] / length_of));
  }
}

std::vector<double> GroupDescent::direction(double damping) const {
  const std::vector<Index> moving = off_zero();
  const auto size = static_cast<Index>(moving.size());
  if (size == 0) return {};
  std::vector<double> matrix(at(size * size)), step(at(size));
  for (Index a = 0; a < size; ++a) {
    const Index c = moving[at(a)];
    for (Index b = 0; b <= a; ++b) matrix[at(a * size + b)] = model_.row(c)[moving[at(b)]];
    matrix[at(a * size + a)] += damping * model_.diagonal(c);
    step[at(a)] = -model_.slope[at(c)];
    if (const double threshold = thresholds_[at(c / per_group_)]; threshold > 0)
      step[at(a)] -= threshold * model_.x[at(c)] / length(model_.x, c - c % per_group_);
  }
  bend(moving, matrix);
  if (!blas::cholesky(size, matrix.data(), size)) return {};
  blas::cholesky_solve(size, matrix.data(), size, step.data());
  std::vector<double> direction(at(model_.size), 0.0);
  for (Index a = 0; a < size; ++a) direction[at(moving[at(a)])] = step[at(a)];
  return direction;
}

Descent::Leap GroupDescent::leap(std::span<const double> direction, double length_of) const {
  Leap leap{model_.x, false};
  kernel::axpy(length_of, direction.data(), leap.to.data(), model_.size);
  Index moving = 0, crossed = 0;
  for (std::size_t g = 0; g < thresholds_.size(); ++g) {
    const Index first = static_cast<Index>(g) * per_group_;
    if (thresholds_[g] == 0 || length(model_.x, first) == 0) continue;
    ++moving;
    double* after = &leap.to[at(first)];
    if (kernel::dot(&model_.x[at(first)], after, per_group_) > 0) continue;
    std::fill_n(after, per_group_, 0.0);
    ++crossed;
  }
  leap.crosses = crossed * kManyOf > moving;
  return leap;
}

}  // namespace

std::unique_ptr<Descent> group_descent(DenseModel& model, const MatrixPenalty& penalty, Index classes) {
  return std::make_unique<GroupDescent>(model, penalty, classes);
}

}  // namespace s3gd
