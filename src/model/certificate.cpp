// How far a point can be from the optimum:  F(w) - D(a)  with the dual objective
//
//     D(a) = - sum_i q_i psi*(-a_i, y_i) - R*(sum_i q_i a_i x_i)  <=  F*
//
// at the dual point a_i = -psi'(w.x_i, y_i), moved as little as it takes to be feasible. A free intercept asks for
// sum_i q_i a_i = 0: the class that pulls harder is scaled down (squared loss: the mean is subtracted). A penalty whose
// conjugate is finite only on a ball asks for a scaling of all. One pass over the rows, half a one more for the classes
// apart, plus O(n).
#include "model/certificate.hpp"

#include <cmath>
#include <limits>

#include "base/threads.hpp"
#include "model/loss.hpp"
#include "model/penalty.hpp"
#include "model/row_sums.hpp"

namespace s3gd {
namespace {

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

Penalty penalty_of(const Problem& problem) {
  return Penalty(problem.spec().penalty, problem.cols(), problem.spec().intercept);
}

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
  Certifier(const Problem& problem, const RowsSeen& seen)
      : problem_(problem), seen_(seen), loss_(problem.spec().loss) {}

  DualPoint dual_point() const {
    DualPoint point;
    point.z.assign(seen_.gradient.begin(), seen_.gradient.end());
    for (double& value : point.z) value = -value;
    if (problem_.spec().intercept != Intercept::free) return point;
    if (loss_.classifies())
      balance_classes(point);
    else
      subtract_mean(point);
    return point;
  }

  // D at `scale` times the point.
  double dual(const DualPoint& point, double scale, const Penalty& penalty) const {
    const Index chunks = (problem_.rows() + kChunk - 1) / kChunk;
    std::vector<double> parts(at(chunks));
    parallel_ranges(problem_.rows(), kChunk, problem_.spec().threads, [&](Index begin, Index end, Index chunk) {
      parts[at(chunk)] = conjugates(point, scale, begin, end);
    });
    double sum = 0;
    for (const double part : parts) sum += part;
    std::vector<double> z = point.z;
    for (auto& value : z) value *= scale;
    return -sum - penalty.conjugate(z);
  }

 private:
  static constexpr Index kChunk = 1024;

  // sum_i q_i psi*(-a_i) over some rows.
  double conjugates(const DualPoint& point, double scale, Index begin, Index end) const {
    const Index count = end - begin;
    const double* y = problem_.targets().data() + begin;
    double v[kChunk], result[kChunk];
    loss_.terms(seen_.margins.data() + begin, y, count, {nullptr, v, nullptr});
    for (Index r = 0; r < count; ++r) v[r] = scale * (point.scale[y[r] > 0 ? 0 : 1] * v[r] + point.shift);
    loss_.conjugates(v, y, count, result);
    double sum = 0;
    for (Index r = 0; r < count; ++r)
      if (const double q = problem_.weight(begin + r); q != 0) sum += q * result[r];
    return sum;
  }

  // The class that pulls harder is scaled down.
  void balance_classes(DualPoint& point) const {
    const auto up = [&](std::size_t j) { return -seen_.from_positives[j]; };
    const double pull_up = up(point.z.size() - 1), pull_down = pull_up - point.z.back();
    if (pull_up > pull_down) point.scale[0] = pull_down / pull_up;
    if (pull_down > pull_up) point.scale[1] = pull_up / pull_down;
    for (std::size_t j = 0; j < point.z.size(); ++j)
      point.z[j] = point.scale[0] * up(j) + point.scale[1] * (point.z[j] - up(j));
    point.z.back() = 0;  // up to rounding it is
  }

  void subtract_mean(DualPoint& point) const {
    point.shift = point.z.back() / problem_.total_weight();
    const auto mean = seen_.mean_row.empty() ? problem_.mean_row() : seen_.mean_row;
    for (std::size_t j = 0; j < mean.size(); ++j) point.z[j] -= point.z.back() * mean[j];
    point.z.back() = 0;
  }

  const Problem& problem_;
  const RowsSeen& seen_;
  Loss loss_;
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

bool certificate_needs_positives(const Problem& problem) {
  return problem.spec().intercept == Intercept::free && Loss(problem.spec().loss).classifies() &&
         has_dual(penalty_of(problem), problem.cols());
}

std::vector<double> gradient_of_positives(const Problem& problem, std::span<const double> w,
                                          std::span<const double> gradient) {
  std::vector<Index> ups, downs;
  for (Index i = 0; i < problem.rows(); ++i) (problem.targets()[at(i)] > 0 ? ups : downs).push_back(i);
  std::vector<double> sum(gradient.size());
  const bool up_is_smaller = ups.size() < downs.size();
  sum_rows(problem, up_is_smaller ? ups : downs, w, Arithmetic::exact, sum);
  if (!up_is_smaller)
    for (std::size_t j = 0; j < sum.size(); ++j) sum[j] = gradient[j] - sum[j];
  return sum;
}

Certificate certify(const Problem& problem, std::span<const double> w) {
  std::vector<double> gradient(at(problem.dim())), margins(at(problem.rows())), positives;
  const double loss = sum_rows(problem, {}, w, Arithmetic::exact, gradient, {margins, {}}).loss;
  if (certificate_needs_positives(problem)) positives = gradient_of_positives(problem, w, gradient);
  return certify_seen(problem, w, {loss, margins, gradient, positives, {}});
}

Certificate certify_seen(const Problem& problem, std::span<const double> w, const RowsSeen& seen) {
  const Penalty penalty = penalty_of(problem);
  Certificate result;
  result.primal = seen.loss + penalty.value(w);
  if (!has_dual(penalty, problem.cols())) {
    result.kind = Certificate::Kind::prox_gradient;
    result.dual = std::numeric_limits<double>::quiet_NaN();
    result.relative_gap = prox_gradient_step(problem, penalty, w, seen.gradient);
  } else {
    const Certifier certifier(problem, seen);
    const DualPoint point = certifier.dual_point();
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
