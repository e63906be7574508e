// The scale of the errors along with the weights by a primal-dual interior-point method: the same few dozen steps whether the
// scale is plain, goes to zero (most rows are fitted exactly), or any scale will do (epsilon = 1, which is least absolute errors).
//
// An error r_i = u_i - y_i is split into a part e_i that counts as a square and one that counts as a line, p_i - n_i:
//
//     min  sigma + sum_i q_i e_i^2 / sigma + 2 epsilon sum_i q_i (p_i + n_i) + R(w),   r_i = e_i + p_i - n_i,   p, n >= 0,   sigma >= least
//
// with v_i = 2 e_i / sigma the dual variables of huber_scale.hpp. A step is Newton's for the conditions of the optimum,
//
//     sum_i q_i v_i x_i + R'(w) = 0,   1 - sum_i q_i v_i^2 / 4 = f,   (2 epsilon - v_i) p_i = (2 epsilon + v_i) n_i = f (sigma - least) = mu,
//
// with mu driven to zero by Mehrotra's predictor and corrector. Cost: one Cholesky factor of sum_i q_i d_i x_i x_i' + R'' a step.
#include <algorithm>
#include <cmath>
#include <limits>

#include "problem/full_pass.hpp"
#include "solve/huber_search.hpp"

namespace s3gd {
namespace {

using Vector = HuberSearch::Vector;

constexpr int kPatience = 12;           // steps without a smaller gap before rounding is taken to be reached
constexpr double kInside = 0.9995;      // share of the way to the nearest bound that a step may go
constexpr double kStartInside = 0.9;    // of the slopes' bound, ...
constexpr double kStartApart = 0.5;     // ... and of the start's scale, that the first point keeps from its bounds
constexpr double kStartSpread = 0.01;   // of the targets' deviation: the least first sigma
constexpr double kPassesPerStep = 5.5;  // counted, as a step reads the rows so often

class InteriorPoint {
 public:
  explicit InteriorPoint(HuberSearch& search) : s_(search), errors_(search.errors), bound_(search.bound) {
    for (std::size_t i = 0; i < s_.q.size(); ++i)
      if (s_.q[i] > 0) rows_.push_back(i);
  }

  void run() {
    begin();
    bool going = true;
    for (int idle = 0; going && s_.may_step() && idle < kPatience; ++s_.steps) {
      const double before = s_.found.relative_gap;
      if (!step()) break;
      s_.keep_dual(v_);
      going = s_.judge(kPassesPerStep);
      idle = s_.found.relative_gap < before ? 0 : idle + 1;
    }
  }

 private:
  struct Direction {
    Vector w, v, above, below;
    double sigma = 0, force = 0;
  };
  struct Targets {  // of the products that tend to mu
    Vector above, below;
    double force = 0;
  };

  // At the errors so far, well inside of all bounds.
  void begin() {
    const std::size_t n = errors_.size();
    v_ = up_ = down_ = d_ = Vector(n, 1.0), above_ = below_ = v_;
    double squares = 0, mean = 0, spread = 0;
    for (const std::size_t k : rows_) mean += s_.q[k] * s_.problem.targets()[k];
    for (const std::size_t k : rows_) {
      squares += s_.q[k] * errors_[k] * errors_[k];
      spread += s_.q[k] * std::pow(s_.problem.targets()[k] - mean, 2);
    }
    spare_ = std::max({std::sqrt(squares), kStartSpread * std::sqrt(spread), 1e3 * s_.least()});
    for (const std::size_t k : rows_) {
      v_[k] = std::clamp(2 * errors_[k] / sigma(), -kStartInside * bound_, kStartInside * bound_);
      const double rest = errors_[k] - sigma() * v_[k] / 2, apart = kStartApart * sigma();
      above_[k] = std::max(rest, 0.0) + apart;
      below_[k] = std::max(-rest, 0.0) + apart;
      up_[k] = bound_ - v_[k];
      down_[k] = bound_ + v_[k];
    }
    force_ = 1;
  }

  double sigma() const { return s_.least() + spare_; }

  // Newton's direction to the targets. The rows' own unknowns are eliminated, then those of sigma.
  Direction direction(const Targets& to) const {
    Vector rest(errors_.size(), 0.0);
    double along = 0;
    for (const std::size_t k : rows_) {
      rest[k] = errors_[k] - sigma() * v_[k] / 2 - to.above[k] / up_[k] + to.below[k] / down_[k];
      along += s_.q[k] * d_[k] * v_[k] / 2 * rest[k];
    }
    Vector b = s_.sum_rows([&](std::size_t k) { return -d_[k] * rest[k]; });
    for (std::size_t j = 0; j < b.size(); ++j) b[j] -= gradient_[j];
    Direction to_go;
    to_go.w = s_.solved(factor_, std::move(b));
    const double pivot = curvature_ - HuberSearch::dot(coupling_, solved_coupling_);
    to_go.sigma = (to.force / spare_ - slack_ + along + HuberSearch::dot(coupling_, to_go.w)) /
                  std::max(pivot, 1e-15 * curvature_ + std::numeric_limits<double>::min());
    for (std::size_t j = 0; j < to_go.w.size(); ++j) to_go.w[j] += to_go.sigma * solved_coupling_[j];
    to_go.force = (to.force - force_ * spare_ - force_ * to_go.sigma) / spare_;
    Vector moved(errors_.size());
    margins(s_.problem, to_go.w, moved);
    to_go.v = to_go.above = to_go.below = Vector(errors_.size(), 0.0);
    for (const std::size_t k : rows_) {
      const double by = d_[k] * (moved[k] + rest[k] - v_[k] / 2 * to_go.sigma);
      to_go.v[k] = by;
      to_go.above[k] = (to.above[k] + above_[k] * by) / up_[k] - above_[k];
      to_go.below[k] = (to.below[k] - below_[k] * by) / down_[k] - below_[k];
    }
    return to_go;
  }

  double longest(const Direction& to_go) const {
    double t = 1 / kInside;
    const auto limit = [&](double value, double by) {
      if (by < 0) t = std::min(t, -value / by);
    };
    for (const std::size_t k : rows_) {
      limit(up_[k], -to_go.v[k]), limit(down_[k], to_go.v[k]);
      limit(above_[k], to_go.above[k]), limit(below_[k], to_go.below[k]);
    }
    limit(spare_, to_go.sigma), limit(force_, to_go.force);
    return kInside * t;
  }

  // The mean of the products after a step of t.
  double products(const Direction& to_go, double t) const {
    double sum = 0, weight = 0;
    for (const std::size_t k : rows_) {
      const double by = t * to_go.v[k], q = s_.q[k];
      sum +=
          q * ((up_[k] - by) * (above_[k] + t * to_go.above[k]) + (down_[k] + by) * (below_[k] + t * to_go.below[k]));
      weight += 2 * q;
    }
    return sum / weight;
  }

  bool step() {
    for (const std::size_t k : rows_) {
      d_[k] = 1 / (sigma() / 2 + above_[k] / up_[k] + below_[k] / down_[k]);
    }
    factor_ = s_.factorised(s_.products([&](std::size_t k) { return d_[k]; }), 1);
    coupling_ = s_.sum_rows([&](std::size_t k) { return d_[k] * v_[k] / 2; });
    solved_coupling_ = s_.solved(factor_, coupling_);
    gradient_ = s_.sum_rows([&](std::size_t k) { return v_[k]; });
    for (std::size_t j = 0; j < s_.w.size(); ++j) gradient_[j] += s_.ridge[j] * s_.w[j];
    slack_ = 1, curvature_ = force_ / spare_;
    for (const std::size_t k : rows_) {
      const double square = s_.q[k] * v_[k] * v_[k] / 4;
      slack_ -= square;
      curvature_ += d_[k] * square;
    }
    Targets to{Vector(errors_.size(), 0.0), Vector(errors_.size(), 0.0)};
    Direction to_go = direction(to);
    const double mu = products(to_go, 0);
    const double aim = mu * std::pow(products(to_go, std::min(1.0, longest(to_go))) / mu, 3);
    for (const std::size_t k : rows_) {
      to.above[k] = aim + to_go.v[k] * to_go.above[k];
      to.below[k] = aim - to_go.v[k] * to_go.below[k];
    }
    to.force = aim - to_go.force * to_go.sigma;
    to_go = direction(to);
    const double t = std::min(1.0, longest(to_go));
    if (!(t > 0) || !std::isfinite(to_go.sigma) || s_.journal.must_stop()) return false;
    move(to_go, t);
    return std::isfinite(s_.w.front()) && spare_ > 0;
  }

  void move(const Direction& to_go, double t) {
    for (std::size_t j = 0; j < s_.w.size(); ++j) s_.w[j] += t * to_go.w[j];
    for (const std::size_t k : rows_) {
      v_[k] += t * to_go.v[k];
      up_[k] -= t * to_go.v[k];
      down_[k] += t * to_go.v[k];
      above_[k] += t * to_go.above[k];
      below_[k] += t * to_go.below[k];
    }
    spare_ += t * to_go.sigma;
    force_ += t * to_go.force;
    s_.see_errors();
  }

  HuberSearch& s_;
  const Vector& errors_;
  double bound_;                   // 2 epsilon, of |v|
  std::vector<std::size_t> rows_;  // of weight
  // The point, its errors; p and n; d = 1 / (sigma / 2 + p / (2 epsilon - v) + n / (2 epsilon + v)).
  Vector v_, above_, below_, d_;
  Vector up_, down_;              // 2 epsilon - v and 2 epsilon + v, to the last bit where they are small
  double spare_ = 0, force_ = 0;  // sigma - least, f
  // Of a step: the factor, the column that couples w with sigma, the gradient, 1 - sum_i q_i v_i^2 / 4, the curvature in sigma.
  Vector factor_, coupling_, solved_coupling_, gradient_;
  double slack_ = 0, curvature_ = 0;
};

}  // namespace

void HuberSearch::by_interior_point() { InteriorPoint(*this).run(); }

}  // namespace s3gd
