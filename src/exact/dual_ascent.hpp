// Dual coordinate ascent for F = sum_i q_i psi(w.x_i + b, y_i) + sum_j l2_j w_j^2 (+ l2_b b^2).
//
// One dual variable a_i for each row, and parameters that follow from them: w_j = sum_i q_i a_i x_ij / (2 l2_j). A visit
// of row i solves for a_i with the others fixed: a_i = -psi'(v), v = u + c (a_i - a_i^old), where u is the margin and
// c = q_i sum_j x_ij^2 / (2 l2_j). It costs one dot product and one axpy over the row's entries, whatever d is.
//
// The first epoch streams: after rows of total weight W it is the problem of those rows alone, with weights q_i Q/W.
// That is the parameters times a scale Q/W, so that after a fraction of one pass w is already near.
//
// The intercept is the direction all rows share, and the one that a visit moves too far. It is damped by a proximal term:
// rho (b - centre)^2 is added, and the centre follows b (the method of multipliers), which at the same time makes a free
// intercept an ordinary one: at the fixed point b = centre and sum_i q_i a_i = 2 l2_b b.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/index.hpp"
#include "base/random.hpp"
#include "data/row_access.hpp"
#include "kernel/kernel.hpp"
#include "problem/loss.hpp"
#include "problem/penalty.hpp"
#include "s3gd/problem.hpp"

namespace s3gd {

// What an epoch, or a part of one, saw.
struct AscentSums {
  double weight = 0;     // of the rows visited
  double curvature = 0;  // sum q_i psi''(u_i)
  double distance = 0;   // sum q_i (a_i + psi'(u_i))^2 / (2 psi''): about the distance of the dual objective to its top

  AscentSums& operator+=(const AscentSums& other) {
    weight += other.weight;
    curvature += other.curvature;
    distance += other.distance;
    return *this;
  }
};

// What a run knows of the ascent, whatever its rows and the type that w is kept in.
class Ascent {
 public:
  virtual ~Ascent() = default;

  // All dual variables zero, no row visited yet.
  virtual void clear() = 0;
  // Visits the rows of `order`; streaming: for the first time, in a problem that grows with each.
  virtual AscentSums visit(std::span<const Index> order, bool streaming) = 0;
  // The dual variables that belong to margins: a_i = -psi'(u_i), with the parameters that follow from them.
  virtual void restart(std::span<const double> margins, double b) = 0;

  // A point of the ascent: dual variables, the parameters that follow from them, and the strength they do so with.
  struct Place {
    std::vector<double> a, w;
    double b = 0, strength = 1;  // lambda over the first problem's
  };
  virtual Place place() const = 0;
  // Goes on with all strengths of the penalty `factor` times weaker. The dual variables that may move on by `share` of
  // what they moved from `last` to here; w moves along with them, without a pass.
  virtual void weaken(double factor, const Place& last, double share) = 0;
  virtual void change_strength(double factor) = 0;
  virtual void parameters(std::span<double> out) const = 0;

  void end_streaming() { scale_ = 1; }
  void set_damping(double rho) {
    rho_ = has_intercept_ ? std::max(rho, 0.0) : 0.0;
    give_ = has_intercept_ ? 0.5 / (l2_b_ + rho_) : 0.0;
  }
  void set_centre(double b) { centre_ = b; }
  void recentre() { centre_ = intercept(); }
  double l2_of_intercept() const { return l2_b_; }
  double intercept() const { return (scale_ * sum_ + 2 * rho_ * centre_) * give_; }
  double imbalance() const { return has_intercept_ ? std::abs(sum_ - 2 * l2_b_ * intercept()) : 0.0; }

 protected:
  explicit Ascent(bool has_intercept) : has_intercept_(has_intercept) {}

  bool has_intercept_;
  double l2_b_ = 0;   // the intercept's l2
  double sum_ = 0;    // sum_i q_i a_i
  double scale_ = 1;  // weight of all rows over that of the rows streamed so far
  double rho_ = 0, give_ = 0, centre_ = 0;
};

template <class View, class W>  // W: float or double, the type w is kept in
class DualAscent final : public Ascent {
 public:
  DualAscent(const Problem& problem, const View& view)
      : Ascent(problem.has_intercept()),
        view_(view),
        loss_(problem.spec().loss),
        targets_(problem.targets()),
        weights_(problem.weights()),
        same_weight_(1.0 / static_cast<double>(problem.rows())),
        total_weight_(problem.total_weight()),
        w_(at(problem.cols())),
        a_(at(problem.rows())),
        norms_(at(problem.rows()), -1.0) {
    const Penalty penalty(problem);
    inverse_ = 0.5 / (problem.cols() > 0 ? penalty.l2_of(0) : 1.0);
    for (Index j = 1; j < problem.cols(); ++j)
      if (penalty.l2_of(j) != penalty.l2_of(0)) inverses_.resize(at(problem.cols()));
    for (std::size_t j = 0; j < inverses_.size(); ++j) inverses_[j] = 0.5 / penalty.l2_of(static_cast<Index>(j));
    if (has_intercept_) l2_b_ = penalty.l2_of(problem.cols());
  }

  void clear() override {
    std::fill(w_.begin(), w_.end(), W(0));
    std::fill(a_.begin(), a_.end(), 0.0);
    sum_ = seen_ = 0;
    scale_ = 1;
  }

  AscentSums visit(std::span<const Index> order, bool streaming) override {
    AscentSums sums;
    for (std::size_t t = 0; t < order.size(); ++t) {
      look_ahead(order, t);
      const double q = weight(order[t]);
      if (q == 0) continue;
      if (streaming) {
        seen_ += q;
        scale_ = total_weight_ / seen_;
      }
      visit_row(order[t], q, streaming ? kLooseCoupling : kTightCoupling, sums);
    }
    return sums;
  }

  void restart(std::span<const double> margins, double b) override {
    std::fill(w_.begin(), w_.end(), W(0));
    sum_ = 0;
    scale_ = 1;
    for (Index i = 0; i < view_.rows; ++i) {
      a_[at(i)] = -loss_.slope(margins[at(i)], targets_[at(i)]);
      sum_ += weight(i) * a_[at(i)];
      add(i, weight(i) * a_[at(i)]);
    }
    centre_ = b;
  }

  Place place() const override { return {a_, {w_.begin(), w_.end()}, intercept(), strength_}; }

  void weaken(double factor, const Place& last, double share) override {
    for (std::size_t j = 0; j < w_.size(); ++j)
      w_[j] += static_cast<W>(share * (static_cast<double>(w_[j]) - last.w[j] * (last.strength / strength_)));
    const double b = intercept() + share * (intercept() - last.b);
    sum_ = 0;
    for (Index i = 0; i < view_.rows; ++i) {
      const double by = share * (a_[at(i)] - last.a[at(i)]);
      if (std::isfinite(loss_.conjugate(-(a_[at(i)] + by), targets_[at(i)])))
        a_[at(i)] += by;
      else
        add(i, -weight(i) * by);
      sum_ += weight(i) * a_[at(i)];
    }
    change_strength(factor);
    centre_ = b;
  }
  void change_strength(double factor) override {
    for (W& value : w_) value *= static_cast<W>(factor);
    for (double& norm : norms_)
      if (norm > 0) norm *= factor;
    for (double& inverse : inverses_) inverse *= factor;
    inverse_ *= factor;
    l2_b_ /= factor;
    strength_ /= factor;
  }

  void parameters(std::span<double> out) const override {
    for (std::size_t j = 0; j < w_.size(); ++j) out[j] = scale_ * static_cast<double>(w_[j]);
    if (has_intercept_) out[w_.size()] = intercept();
  }

 private:
  // c times the largest curvature up to which one Newton step from the margin is a good enough solution. Streaming, it
  // is even a better one: the exact solution follows single rows of a tiny problem too far.
  static constexpr double kTightCoupling = 0.5, kLooseCoupling = 8;

  static constexpr std::size_t kAhead = 3;  // rows

  // Rows come in random order: where they begin is asked for first, then what they hold.
  void look_ahead(std::span<const Index> order, std::size_t t) const {
    if (t + 4 * kAhead < order.size()) {
      const Index i = order[t + 4 * kAhead];
      if constexpr (!is_dense_view<View>) __builtin_prefetch(view_.starts + i);
      __builtin_prefetch(&a_[at(i)]);
      __builtin_prefetch(&norms_[at(i)]);
      __builtin_prefetch(&targets_[at(i)]);
    }
    if (t + kAhead < order.size()) prefetch_row(view_, order[t + kAhead]);
  }

  double weight(Index i) const { return weights_.empty() ? same_weight_ : weights_[at(i)]; }

  void visit_row(Index i, double q, double coupling, AscentSums& sums) {
    double& norm = norms_[at(i)];
    if (norm < 0) norm = row_norm(i);
    const double u = scale_ * dot(i) + intercept(), y = targets_[at(i)], a = a_[at(i)];
    const double c = q * scale_ * (norm + give_);
    const Loss::Derivatives here = loss_.derivatives(u, y);
    const double error = -here.slope - a;
    double change = error / (1 + c * here.curvature);
    if (c * loss_.curvature_bound() > coupling) change = solve(u, y, a, c, error, change);
    sums.weight += q;
    sums.curvature += q * here.curvature;
    sums.distance += 0.5 * q * error * error / (here.curvature + 1e-3 * loss_.curvature_bound());
    if (change == 0) return;
    a_[at(i)] = a + change;
    sum_ += q * change;
    add(i, q * change);
  }

  // The change of a that solves a + change = -psi'(u + c change). Newton on the margin v, which lies between u and
  // u + c error; `change` is what the first step gave.
  double solve(double u, double y, double a, double c, double error, double change) const {
    double low = std::min(u, u + c * error), high = std::max(u, u + c * error), v = u + c * change;
    for (int step = 0; step < 50; ++step) {
      const Loss::Derivatives there = loss_.derivatives(v, y);
      const double residual = v - u + c * (there.slope + a);
      if (residual == 0) break;
      (residual < 0 ? low : high) = v;
      double next = v - residual / (1 + c * there.curvature);
      if (!(next >= low && next <= high)) next = 0.5 * (low + high);
      const bool close = std::abs(next - v) <= 1e-3 * std::abs(next - u);
      v = next;
      if (close) break;
    }
    return (v - u) / c;
  }

  double dot(Index i) const {
    if constexpr (is_dense_view<View>)
      return kernel::dot(view_.row(i), w_.data(), view_.cols);
    else
      return sparse_dot(i);
  }
  double sparse_dot(Index i) const
    requires(!is_dense_view<View>)
  {
    const auto start = view_.starts[i];
    const auto* values = view_.values + start;
    const auto* columns = view_.columns + start;
    const Index count = view_.row_nonzeros(i);
    W sums[4] = {0, 0, 0, 0};
    Index k = 0;
    for (; k + 3 < count; k += 4)
      for (int lane = 0; lane < 4; ++lane) sums[lane] += static_cast<W>(values[k + lane]) * w_[at(columns[k + lane])];
    for (; k < count; ++k) sums[0] += static_cast<W>(values[k]) * w_[at(columns[k])];
    return static_cast<double>((sums[0] + sums[1]) + (sums[2] + sums[3]));
  }

  // sum_j x_ij^2 / (2 l2_j)
  double row_norm(Index i) const {
    if (inverses_.empty()) return inverse_ * row_square(view_, i);
    double sum = 0;
    for_each_nonzero(view_, i, [&](Index j, double value) { sum += value * value * inverses_[at(j)]; });
    return sum;
  }

  // w_j += amount x_ij / (2 l2_j)
  void add(Index i, double amount) {
    if (!inverses_.empty())
      for_each_nonzero(view_, i,
                       [&](Index j, double value) { w_[at(j)] += static_cast<W>(amount * value * inverses_[at(j)]); });
    else if constexpr (is_dense_view<View>)
      kernel::axpy(amount * inverse_, view_.row(i), w_.data(), view_.cols);
    else
      kernel::sparse_axpy(amount * inverse_, view_.values + view_.starts[i], view_.columns + view_.starts[i],
                          view_.row_nonzeros(i), w_.data());
  }

  const View& view_;
  Loss loss_;
  std::span<const double> targets_, weights_;
  double same_weight_, total_weight_;
  double inverse_ = 0;            // 1 / (2 l2)
  std::vector<double> inverses_;  // 1 / (2 l2_j) where they differ
  std::vector<W> w_;
  std::vector<double> a_, norms_;
  double seen_ = 0;  // weight of the rows streamed so far
  double strength_ = 1;
};

// How far a run is from its end, by what its epochs see of it: the distance to the optimum falls by a factor each epoch,
// and the certificate's gap is a multiple of it, guessed until the first certificate.
class Forecast {
 public:
  static constexpr int kWindow = 6;               // epochs over which the rate is taken
  static constexpr double kMostEpochs = 60;       // to go at which another method is asked
  static constexpr double kGapOverDistance = 10;  // after an epoch, until a certificate says better

  Forecast(double tol, double objective) : tol_(tol), objective_(objective) {}
  // Of a run like an earlier one: what certificates have said about that, after its first epoch and later.
  Forecast(double tol, const Forecast& earlier)
      : tol_(tol),
        objective_(earlier.objective_),
        multiple_(earlier.multiple_),
        first_(earlier.first_),
        later_(earlier.later_) {}

  void epoch(double distance) {
    std::rotate(last_.begin(), last_.end() - 1, last_.end());
    last_[0] = distance;
    ++epochs_;
    const double known = epochs_ == 1 ? first_ : later_;
    if (known > 0)
      multiple_ = known;
    else if (!calibrated_)
      multiple_ = kGapOverDistance * (epochs_ > 1 ? std::min(1.0, distance / last_[1]) : 0.1);
  }

  bool worth_certifying() const { return epochs_ > 0 && gap() <= tol_; }
  void certified(const Certificate& certificate) {
    objective_ = std::max(std::abs(certificate.primal), std::numeric_limits<double>::min());
    multiple_ = certificate.relative_gap * objective_ / last_[0];
    calibrated_ = true;
    (epochs_ == 1 ? first_ : later_) = multiple_;
  }

  // Too many epochs to go, at the rate of the last few. Also where nothing moves any more, short of the tolerance, and
  // where there are no numbers any more.
  bool slow() const {
    if (!std::isfinite(last_[0])) return true;
    const int span = std::min(kWindow, epochs_ - 1);
    if (span < 5) return last_[0] == 0;
    const double rate = std::log(last_[static_cast<std::size_t>(span)] / last_[0]) / span;
    return !(std::log(gap() / tol_) <= kMostEpochs * rate);
  }

  double gap() const { return multiple_ * last_[0] / objective_; }  // of the certificate, relative, as expected

 private:
  double tol_, objective_;
  std::array<double, kWindow + 1> last_{};
  double multiple_ = 0, first_ = 0, later_ = 0;
  int epochs_ = 0;
  bool calibrated_ = false;
};

}  // namespace s3gd
