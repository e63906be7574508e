// How far a point can be from the optimum:  F(w) - D(a)  with the dual objective
//
//     D(a) = - sum_i q_i psi*(-a_i, y_i) - R*(sum_i q_i a_i x_i)  <=  F*
//
// at the dual point a_i = -psi'(w.x_i, y_i), moved as little as it takes to be feasible. A free intercept asks for
// sum_i q_i a_i = 0: the class that pulls harder is scaled down (squared loss: the mean is subtracted). A penalty whose
// conjugate is finite only on a ball asks for a scaling of all. One pass over the rows, plus O(n).
#include <cmath>
#include <limits>

#include "model/full_pass.hpp"
#include "model/loss.hpp"
#include "model/penalty.hpp"

namespace s3gd {
namespace {

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

// A feature that costs nothing makes the dual infeasible everywhere but at special points; a free intercept is handled.
bool has_dual(const Penalty& penalty, Index cols) {
  if (!penalty.prox_is_exact()) return false;
  for (Index j = 0; j < cols; ++j)
    if (penalty.l1_of(j) == 0 && penalty.l2_of(j) == 0 && !penalty.in_norm(j)) return false;
  return true;
}

// The dual point in a form that costs no memory: a_i = scale[class of i] * (-slope_i) - shift.
struct DualPoint {
  double scale[2] = {1, 1};  // rows with a target above zero, and the others
  double shift = 0;
  std::vector<double> z;  // sum_i q_i a_i x_i
};

class Certifier {
 public:
  Certifier(const Problem& problem, std::span<const double> w)
      : problem_(problem), w_(w), loss_(problem.spec().loss), u_(at(problem.rows())) {}

  DualPoint dual_point() {
    const bool free = problem_.spec().intercept == Intercept::free;
    if (free && loss_.classifies()) return balanced_classes();
    DualPoint point;
    point.z.resize(at(problem_.dim()));
    margins_then_sum(problem_, w_, pull(), point.z, u_);
    if (free) subtract_mean(point);
    return point;
  }

  double loss() const { return loss_at(problem_, u_); }

  // D at `scale` times the point.
  double dual(const DualPoint& point, double scale, const Penalty& penalty) const {
    const auto y = problem_.targets();
    const double conjugates = sum_over_rows(problem_, [&](Index i) {
      const double q = problem_.weight(i);
      if (q == 0) return 0.0;
      const double a = point.scale[y[at(i)] > 0 ? 0 : 1] * -loss_.slope(u_[at(i)], y[at(i)]) - point.shift;
      return q * loss_.conjugate(-scale * a, y[at(i)]);
    });
    std::vector<double> z = point.z;
    for (auto& value : z) value *= scale;
    return -conjugates - penalty.conjugate(z);
  }

 private:
  Fill pull() const {
    return [this](Index first, std::span<const double> u, std::span<double> c) {
      for (std::size_t r = 0; r < u.size(); ++r) {
        const double y = problem_.targets()[at(first) + r];
        c[r] = -problem_.weight(first + static_cast<Index>(r)) * loss_.slope(u[r], y);
      }
    };
  }

  DualPoint balanced_classes() {
    DualPoint point;
    std::vector<double> negative(at(problem_.dim()));
    point.z.resize(at(problem_.dim()));
    margins_then_sums(problem_, w_, pull(), point.z, negative, u_);
    const double up = point.z.back(), down = -negative.back();
    if (up > down) point.scale[0] = down / up;
    if (down > up) point.scale[1] = up / down;
    for (std::size_t j = 0; j < point.z.size(); ++j)
      point.z[j] = point.scale[0] * point.z[j] + point.scale[1] * negative[j];
    point.z.back() = 0;  // up to rounding it is
    return point;
  }

  void subtract_mean(DualPoint& point) const {
    point.shift = point.z.back() / problem_.total_weight();
    const auto mean = problem_.mean_row();
    for (std::size_t j = 0; j < mean.size(); ++j) point.z[j] -= point.z.back() * mean[j];
    point.z.back() = 0;
  }

  const Problem& problem_;
  std::span<const double> w_;
  Loss loss_;
  std::vector<double> u_;
};

double prox_gradient_step(const Problem& problem, const Penalty& penalty, std::span<const double> w,
                          std::span<const double> gradient) {
  std::vector<double> moved(w.begin(), w.end());
  for (std::size_t j = 0; j < moved.size(); ++j) moved[j] -= gradient[j];
  penalty.prox(1.0, std::span<double>(moved));
  double step = 0, size = 0;
  for (Index j = 0; j < problem.dim(); ++j) {
    step += (moved[at(j)] - w[at(j)]) * (moved[at(j)] - w[at(j)]);
    size += w[at(j)] * w[at(j)];
  }
  return std::sqrt(step) / std::max(1.0, std::sqrt(size));
}

}  // namespace

Certificate certify(const Problem& problem, std::span<const double> w) {
  const Penalty penalty(problem.spec().penalty, problem.cols(), problem.spec().intercept);
  Certificate result;
  if (!has_dual(penalty, problem.cols())) {
    std::vector<double> gradient(at(problem.dim()));
    result.kind = Certificate::Kind::prox_gradient;
    result.primal = loss_and_gradient(problem, w, gradient) + penalty.value(w);
    result.dual = std::numeric_limits<double>::quiet_NaN();
    result.relative_gap = prox_gradient_step(problem, penalty, w, gradient);
  } else {
    Certifier certifier(problem, w);
    const DualPoint point = certifier.dual_point();
    result.primal = certifier.loss() + penalty.value(w);
    result.dual = std::max(0.0, certifier.dual(point, penalty.feasible_scale(point.z), penalty));
    // Where rounding makes the bound exceed the value itself, the two are equal.
    result.dual = std::min(result.dual, result.primal);
    const double tiny = std::numeric_limits<double>::min();
    result.relative_gap = (result.primal - result.dual) / std::max(std::abs(result.primal), tiny);
  }
  if (!std::isfinite(result.primal)) result.relative_gap = std::numeric_limits<double>::infinity();
  return result;
}

}  // namespace s3gd
