// Dual coordinate ascent for F = sum_i q_i psi(w.x_i + b, y_i) + sum_j l2_j w_j^2 (+ l2_b b^2).
//
// One dual variable a_i for each row, and parameters that follow from them: w_j = sum_i q_i a_i x_ij / (2 l2_j). A visit
// of row i solves for a_i with the others fixed: a_i = -psi'(v), v = u + c (a_i - a_i^old), where u is the margin and
// c = q_i sum_j x_ij^2 / (2 l2_j). It costs one dot product and one axpy over the row's entries, whatever d is.
//
// The first epoch streams: after rows of total weight W it is the problem of those rows alone, with weights q_i Q/W.
// That is the parameters times a scale Q/W, so that after a fraction of one pass w is already near.
//
// The intercept is the direction all rows share, and the one that a visit moves too far. It is held by a spring:
// rho (b - centre)^2 is added, and the centre follows b (the method of multipliers), which at the same time makes a free
// intercept an ordinary one: at the fixed point b = centre and sum_i q_i a_i = 2 l2_b b.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "base/index.hpp"
#include "base/random.hpp"
#include "data/row_access.hpp"
#include "kernel/kernel.hpp"
#include "problem/loss.hpp"
#include "problem/penalty.hpp"

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

template <class View, class W>  // W: float or double, the type w is kept in
class DualAscent {
 public:
  DualAscent(const Problem& problem, const View& view)
      : view_(view),
        loss_(problem.spec().loss),
        targets_(problem.targets()),
        weights_(problem.weights()),
        same_weight_(1.0 / static_cast<double>(problem.rows())),
        total_weight_(problem.total_weight()),
        has_intercept_(problem.has_intercept()),
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

  // All dual variables zero, no row visited yet.
  void clear() {
    std::fill(w_.begin(), w_.end(), W(0));
    std::fill(a_.begin(), a_.end(), 0.0);
    sum_ = seen_ = 0;
    scale_ = 1;
  }

  // Visits the rows of `order`; streaming: for the first time, in a problem that grows with each.
  AscentSums visit(std::span<const Index> order, bool streaming) {
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
  void end_streaming() { scale_ = 1; }

  // The dual variables that belong to margins: a_i = -psi'(u_i), with the parameters that follow from them.
  void restart(std::span<const double> margins, double b) {
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

  // A point of the ascent: dual variables, the parameters that follow from them, and the strength they do so with.
  struct Place {
    std::vector<double> a;
    std::vector<W> w;
    double b = 0, strength = 1;  // lambda over the first problem's
  };
  Place place() const { return {a_, w_, intercept(), strength_}; }

  // Goes on with all strengths of the penalty `factor` times weaker. The dual variables that may move on by `share` of
  // what they moved from `last` to here; w moves along with them, without a pass.
  void weaken(double factor, const Place& last, double share) {
    for (std::size_t j = 0; j < w_.size(); ++j)
      w_[j] += static_cast<W>(share * (w_[j] - last.w[j] * (last.strength / strength_)));
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
  void change_strength(double factor) {
    for (W& value : w_) value *= static_cast<W>(factor);
    for (double& norm : norms_)
      if (norm > 0) norm *= factor;
    for (double& inverse : inverses_) inverse *= factor;
    inverse_ *= factor;
    l2_b_ /= factor;
    strength_ /= factor;
  }

  void set_spring(double rho) {
    rho_ = has_intercept_ ? std::max(rho, 0.0) : 0.0;
    give_ = has_intercept_ ? 0.5 / (l2_b_ + rho_) : 0.0;
  }
  void set_centre(double b) { centre_ = b; }
  void recentre() { centre_ = intercept(); }
  double l2_of_intercept() const { return l2_b_; }
  double intercept() const { return (scale_ * sum_ + 2 * rho_ * centre_) * give_; }
  double imbalance() const { return has_intercept_ ? std::abs(sum_ - 2 * l2_b_ * intercept()) : 0.0; }

  const View& view() const { return view_; }
  void parameters(std::span<double> out) const {
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
  bool has_intercept_;
  double inverse_ = 0, l2_b_ = 0;  // 1 / (2 l2), the intercept's l2
  std::vector<double> inverses_;   // 1 / (2 l2_j) where they differ
  std::vector<W> w_;
  std::vector<double> a_, norms_;
  double sum_ = 0;               // sum_i q_i a_i
  double seen_ = 0, scale_ = 1;  // weight of the rows streamed so far, and Q over it
  double strength_ = 1;
  double rho_ = 0, give_ = 0, centre_ = 0;
};

}  // namespace s3gd
