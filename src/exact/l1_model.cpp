// Coordinate descent along columns: H is never formed, only v = h * (X d) is kept. For working sets too large for a
// matrix, or so sparse that their columns are shorter than its rows. Where sweeps are slow, because columns are alike,
// conjugate gradients over the support take it on.
#include "exact/working_columns.hpp"

#include <algorithm>
#include <cmath>

#include "base/index.hpp"
#include "kernel/kernel.hpp"
#include "problem/conjugate_gradients.hpp"
#include "problem/hessian.hpp"

namespace s3gd {
namespace {

constexpr int kMostRounds = 100;        // a guard
constexpr int kSweeps = 4;              // over the support, between two looks at all coordinates
constexpr int kRoundsPerJump = 40;      // sweeps alone are slow where columns are much alike
constexpr int kMostJumpSteps = 60;      // products: what it has by then is good enough
constexpr double kJumpAccuracy = 1e-3;  // of the slopes, scaled by the diagonal
constexpr double kSettled = 0.25;       // of the slack: slopes wrong by less are left alone until all are looked at
constexpr Index kLookAround = 1024;     // coordinates between two questions whether to stop

class ColumnSearch {
 public:
  ColumnSearch(const L1Model& model, const ColumnStore& columns, std::span<const double> h)
      : model_(model),
        columns_(columns),
        h_(h),
        one_weight_(std::all_of(h.begin(), h.end(), [&](double value) { return value == h.front(); })),
        x_(model.x),
        pushed_(h.size(), 0.0),
        curvature_(model.x.size()),
        settled_(model.x.size(), false) {
    for (Index k = 0; k < model.size(); ++k) {
      curvature_[at(k)] = columns.square(k, h.data()) + model.ridge[at(k)];
      if (!model.radial.empty())
        curvature_[at(k)] -= model.radial_curvature * model.radial[at(k)] * model.radial[at(k)];
      if (!model.start.empty() && model.start[at(k)] != 0) move(k, model.start[at(k)]);
    }
  }

  std::vector<double> run() {
    double total = 0;
    for (int round = 0; round < kMostRounds && !stopped_; ++round) {
      const Sweep all = sweep(false);
      total += all.gain;
      if (good_enough(all, total)) break;
      for (int k = 0; k < kSweeps && !stopped_; ++k) {
        const Sweep inside = sweep(true);
        total += inside.gain;
        if (good_enough(inside, 0.1 * total)) break;
      }
      if (round % kRoundsPerJump == kRoundsPerJump - 1 && !stopped_) jump();
    }
    std::vector<double> moved(x_.size());
    for (std::size_t k = 0; k < moved.size(); ++k) moved[k] = x_[k] - model_.x[k];
    return moved;
  }

 private:
  struct Sweep {
    double gain = 0, wrong = 0;  // `wrong`: the largest slope that a coordinate had before it moved
  };

  bool good_enough(const Sweep& sweep, double total) const {
    return model_.slack > 0 ? sweep.wrong <= model_.slack : sweep.gain <= model_.accuracy * total;
  }

  // The model's slope in coordinate k.
  double slope_of(Index k) const {
    const double moved = x_[at(k)] - model_.x[at(k)];
    double slope = model_.gradient[at(k)] + columns_.dot(k, pushed_.data()) + model_.ridge[at(k)] * moved;
    if (!model_.radial.empty()) slope -= model_.radial_curvature * model_.radial[at(k)] * along_;
    return slope;
  }

  // m at the present x, but for a constant.
  double value() const {
    double sum = -0.5 * model_.radial_curvature * along_ * along_;
    for (std::size_t i = 0; i < h_.size(); ++i)
      if (h_[i] > 0) sum += 0.5 * pushed_[i] * pushed_[i] / h_[i];
    for (std::size_t k = 0; k < x_.size(); ++k) {
      const double moved = x_[k] - model_.x[k];
      sum += moved * (model_.gradient[k] + 0.5 * model_.ridge[k] * moved) + model_.l1[k] * std::abs(x_[k]);
    }
    return sum;
  }

  // Hp over the support; `pushed` = h * (X p).
  void product(const std::vector<Index>& support, std::span<const double> p, std::vector<double>& pushed,
               std::span<double> out) const {
    std::fill(pushed.begin(), pushed.end(), 0.0);
    double along = 0;
    for (std::size_t a = 0; a < support.size(); ++a) {
      push(support[a], p[a], pushed);
      if (!model_.radial.empty()) along += model_.radial[at(support[a])] * p[a];
    }
    for (std::size_t a = 0; a < support.size(); ++a) {
      const Index k = support[a];
      out[a] = columns_.dot(k, pushed.data()) + model_.ridge[at(k)] * p[a];
      if (!model_.radial.empty()) out[a] -= model_.radial_curvature * model_.radial[at(k)] * along;
    }
  }

  // Towards the minimum over the support with its signs: conjugate gradients, scaled by the diagonal.
  std::vector<double> newton_direction(const std::vector<Index>& support) const {
    std::vector<double> d(support.size()), pushed(h_.size());
    for (std::size_t a = 0; a < support.size(); ++a) {
      const double x = x_[at(support[a])], l1 = model_.l1[at(support[a])];
      d[a] = -(slope_of(support[a]) + (x > 0 ? l1 : x < 0 ? -l1 : 0.0));
    }
    LinearSystems system;
    system.accuracy = kJumpAccuracy;
    system.most_products = kMostJumpSteps;
    system.stop = model_.must_stop;
    system.times = [&](auto, std::span<const double> v, std::span<double> out) { product(support, v, pushed, out); };
    system.precondition = [&](std::span<double> v) {
      for (std::size_t a = 0; a < v.size(); ++a) v[a] /= curvature_[at(support[a])];
    };
    conjugate_gradients(system, {&d, 1});
    return d;
  }

  // There, coordinates whose signs would change stopping at zero; or, where that is too far, until the first does.
  void jump() {
    std::vector<Index> support;
    for (Index k = 0; k < model_.size(); ++k)
      if ((x_[at(k)] != 0 || model_.l1[at(k)] == 0) && curvature_[at(k)] > 0) support.push_back(k);
    const std::vector<double> d = newton_direction(support);
    const auto before_x = x_, before_pushed = pushed_;
    const double before_along = along_, before = value();
    double first = 1;
    for (std::size_t a = 0; a < support.size(); ++a) {
      const Index k = support[a];
      const double x = x_[at(k)];
      const bool stops = model_.l1[at(k)] > 0 && (x + d[a]) * x < 0;
      if (stops) first = std::min(first, -x / d[a]);
      move(k, stops ? -x : d[a]);
      if (stops) x_[at(k)] = 0;
    }
    if (value() <= before) return;
    x_ = before_x;
    pushed_ = before_pushed;
    along_ = before_along;
    for (std::size_t a = 0; a < support.size(); ++a) move(support[a], first * d[a]);
  }

  // out += by h * x_k
  void push(Index k, double by, std::vector<double>& out) const {
    if (one_weight_)
      columns_.add(k, by * h_.front(), nullptr, out.data());
    else
      columns_.add(k, by, h_.data(), out.data());
  }

  void move(Index k, double by) {
    push(k, by, pushed_);
    if (!model_.radial.empty()) along_ += model_.radial[at(k)] * by;
    x_[at(k)] += by;
  }

  Sweep sweep(bool support_only) {
    Sweep found;
    for (Index k = 0; k < model_.size(); ++k) {
      if (k % kLookAround == 0 && model_.must_stop && model_.must_stop()) {
        stopped_ = true;
        break;
      }
      const double x = x_[at(k)], curvature = curvature_[at(k)];
      if (!(curvature > 0) || (support_only && (x == 0 || settled_[at(k)]))) continue;
      const double change = coordinate_change(x, slope_of(k), curvature, model_.l1[at(k)]);
      const double wrong = curvature * std::abs(change);
      settled_[at(k)] = wrong <= kSettled * model_.slack;
      if (change == 0) continue;
      move(k, change);
      found.gain += wrong * std::abs(change);
      found.wrong = std::max(found.wrong, wrong);
    }
    return found;
  }

  const L1Model& model_;
  const ColumnStore& columns_;
  std::span<const double> h_;
  bool one_weight_;                             // whether all of h are the same
  std::vector<double> x_, pushed_, curvature_;  // x + d; h * (X d); the model's diagonal
  double along_ = 0;                            // v . d
  std::vector<bool> settled_;                   // whose slopes were nearly right when last looked at
  bool stopped_ = false;
};

}  // namespace

std::vector<double> minimise_by_columns(const L1Model& model, const WorkingColumns& columns,
                                        std::span<const double> curvatures) {
  return ColumnSearch(model, columns.store(), curvatures).run();
}

// Coordinate descent on an explicit matrix; once the support has settled, a factorisation takes it to its minimum at
// once, whatever the correlations.

namespace {

constexpr int kMostGramRounds = 60;  // a guard

// Between two looks at all coordinates: sweeps over the support, and jumps, which cost the cube of its size.
constexpr double kFewSweeps = 4, kManySweeps = 30;
constexpr double kMostJumps = 30, kJumpWork = 2e7;  // at least one, and about this many multiplications
constexpr double kJitter = 1e-14;                   // for each column of a factor, of a unit diagonal

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
    for (int round = 0; round < kMostGramRounds && !(model_.must_stop && model_.must_stop()); ++round) {
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
    std::vector<double> matrix(at(count * count)), step(at(count));
    for (Index a = 0; a < count; ++a) {
      const Index k = chosen[at(a)];
      for (Index b = 0; b <= a; ++b) matrix[at(a * count + b)] = matrix_[at(k * size_ + chosen[at(b)])];
      const double x = x_[at(k)], l1 = model_.l1[at(k)];
      step[at(a)] = -(slope_[at(k)] + (x > 0 ? l1 : x < 0 ? -l1 : 0.0));
    }
    ScaledFactor(std::move(matrix), std::vector<double>(at(count), 0.0), kJitter * static_cast<double>(count))
        .solve(step);
    if (!std::all_of(step.begin(), step.end(), [](double v) { return std::isfinite(v); }))
      std::fill(step.begin(), step.end(), 0.0);
    return step;
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
