#include "exact/dense_step.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/index.hpp"
#include "kernel/blas.hpp"
#include "kernel/kernel.hpp"

namespace s3gd {
namespace {

constexpr int kMostTurns = 60;  // of leaps and sweeps; a guard
constexpr int kSweeps = 8;      // cost about as much as a leap
constexpr int kTries = 2;       // of a direction
constexpr double kLeastDamping = 1e-7, kLess = 0.2, kALittleLess = 0.5, kMore = 2, kMuchMore = 8;  // and its factors
constexpr double kProximal = 0.01;  // proximal steps see less of flat directions than sweeps: they must end shorter
constexpr double kShorter = 0.4, kShortest = 0.1;  // of a leap that does not lead down, and where it is given up
constexpr double kJitter = 1e-9;                   // of the intercepts' own curvature: all of them may shift together

// M = [A C; C' D] with the free intercepts last: minimised over those, the rest has the quadratic A - C D^-1 C'.
class Intercepts {
 public:
  Intercepts(const DenseStep& step, Index count)
      : step_(step), count_(count), rest_(static_cast<Index>(step.w.size()) - count) {
    const auto all = static_cast<Index>(step.w.size());
    for (Index a = rest_; a < all; ++a) {
      const double* row = step.matrix.data() + a * all;
      factor_.insert(factor_.end(), row + rest_, row + all);
    }
    double trace = 0;
    for (Index a = 0; a < count_; ++a) trace += factor_[at(a * count_ + a)];
    for (Index a = 0; a < count_; ++a) factor_[at(a * count_ + a)] += kJitter * trace;
    if (count_ > 0) blas::cholesky(count_, factor_.data(), count_);
    coupling_.resize(at(rest_ * count_));
    for (Index c = 0; c < rest_; ++c)
      std::copy_n(step.matrix.data() + c * all + rest_, count_, coupling_.data() + c * count_);
    solved_ = coupling_;
    if (count_ > 0) blas::cholesky_solve(count_, factor_.data(), count_, solved_.data(), rest_);
  }

  DenseModel without() const {
    const auto all = static_cast<Index>(step_.w.size());
    DenseModel model;
    model.size = rest_;
    model.matrix.resize(at(rest_ * rest_));
    for (Index c = 0; c < rest_; ++c) std::copy_n(&step_.matrix[at(c * all)], rest_, &model.matrix[at(c * rest_)]);
    model.w.assign(step_.w.begin(), step_.w.begin() + rest_);
    model.gradient.assign(step_.gradient.begin(), step_.gradient.begin() + rest_);
    if (count_ > 0) {
      blas::gemm(blas::Op::plain, blas::Op::transposed, rest_, rest_, count_, -1.0, solved_.data(), count_,
                 coupling_.data(), count_, 1.0, model.matrix.data(), rest_);
      for (Index c = 0; c < rest_; ++c)
        model.gradient[at(c)] -= kernel::dot(&solved_[at(c * count_)], step_.gradient.data() + rest_, count_);
    }
    model.x = model.w;
    model.slope = model.gradient;
    return model;
  }

  // x with the intercepts that suit it.
  std::vector<double> with(std::vector<double> x) const {
    std::vector<double> change(step_.gradient.begin() + rest_, step_.gradient.end());
    for (Index c = 0; c < rest_; ++c)
      kernel::axpy(x[at(c)] - step_.w[at(c)], coupling_.data() + c * count_, change.data(), count_);
    if (count_ > 0) blas::cholesky_solve(count_, factor_.data(), count_, change.data());
    for (Index a = 0; a < count_; ++a) x.push_back(step_.w[at(rest_ + a)] - change[at(a)]);
    return x;
  }

 private:
  const DenseStep& step_;
  Index count_, rest_;
  std::vector<double> factor_;             // of D
  std::vector<double> coupling_, solved_;  // C and C D^-1, rest x count
};

bool squares_are_finite(const std::vector<double>& values) {
  return std::isfinite(kernel::dot(values.data(), values.data(), static_cast<Index>(values.size())));
}

// Leaps, shorter and then more damped until one gains.
void leaps(const Descent& descent, DenseModel& model, double& damping) {
  const double before = model.value(model.x, model.slope) + descent.penalty(model.x);
  for (int trial = 0; trial < kTries; ++trial) {
    const std::vector<double> direction = descent.direction(damping);
    for (double length = 1; length >= kShortest && !direction.empty(); length *= kShorter) {
      Descent::Leap leap = descent.leap(direction, length);
      std::vector<double> slope = model.slope_at(leap.to);
      if (!(model.value(leap.to, slope) + descent.penalty(leap.to) < before)) continue;
      model.x = std::move(leap.to);
      model.slope = std::move(slope);
      damping *= length < 1 ? kMore : leap.crosses ? kALittleLess : kLess;
      return;
    }
    damping = std::max(kLeastDamping, kMuchMore * damping);
  }
}

}  // namespace

void DenseModel::move(Index c, double by) {
  x[at(c)] += by;
  kernel::axpy(by, row(c), slope.data(), size);
}

std::vector<double> DenseModel::slope_at(std::span<const double> there) const {
  std::vector<double> result = slope, moved(there.begin(), there.end());
  kernel::axpy(-1.0, x.data(), moved.data(), size);
  blas::gemm(blas::Op::plain, blas::Op::plain, size, 1, size, 1.0, matrix.data(), size, moved.data(), 1, 1.0,
             result.data(), 1);
  return result;
}

double DenseModel::value(std::span<const double> there, std::span<const double> slope_there) const {
  double sum = 0;
  for (std::size_t c = 0; c < w.size(); ++c) sum += 0.5 * (there[c] - w[c]) * (gradient[c] + slope_there[c]);
  return sum;
}

std::vector<double> minimise(DenseStep step, double accuracy, double& damping, const Progress& progress) {
  const Intercepts intercepts(step, step.free_intercepts ? step.classes : 0);
  DenseModel model = intercepts.without();
  if (!squares_are_finite(model.matrix) || !squares_are_finite(model.gradient)) return {step.w.begin(), step.w.end()};
  step.matrix = {};
  if (model.size == 0) return intercepts.with({});
  const auto descent = step.penalty.couples_features() ? nuclear_descent(model, step.penalty, step.classes)
                                                       : group_descent(model, step.penalty, step.classes);
  const auto value = [&] { return model.value(model.x, model.slope) + descent->penalty(model.x); };
  if (step.penalty.couples_features()) accuracy *= kProximal;
  const double start = value();
  double first = -1, before = start;
  for (int turn = 0; turn < kMostTurns && !progress.must_stop(); ++turn) {
    double moved = 0;
    for (int sweep = 0; sweep < kSweeps; ++sweep) {
      moved = descent->sweep();
      if (first < 0) first = moved;
      if (moved <= accuracy * accuracy * first) break;
    }
    if (turn > 0 && moved <= accuracy * accuracy * first) break;
    const double damped = damping;
    leaps(*descent, model, damping);
    const double gained = start - value();
    if (gained > step.most_gain) break;
    if (damping > damped && before - value() <= accuracy * gained) break;  // nor would longer leaps gain more
    before = value();
  }
  return intercepts.with(std::move(model.x));
}

// Steps for penalties that are sums over groups of weights: one weight each, or the K weights of a feature.
//
//     R(x) = sum over groups of t ||x_g||_2 + ridge ||x_g||^2
//
// The squares belong to the quadratic. A sweep minimises over a group after the other, with M's block replaced by a
// multiple of the identity above it. A leap moves the groups that are not zero; one that would turn past zero stays there.

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
