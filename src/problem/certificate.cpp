// How far a point can be from the optimum:  F(w) - D(a)  with the dual objective
//
//     D(a) = - sum_i q_i psi*(-a_i, y_i) - R*(sum_i q_i a_i x_i)  <=  F*
//
// at the dual point a_i = -psi'(w.x_i, y_i), moved as little as it takes to be feasible. A free intercept asks for
// sum_i q_i a_i = 0: the class that pulls harder is scaled down; of other losses Loss::balance() says how, or the slopes at
// the best intercept are taken, for another half of a pass. A penalty whose
// conjugate is finite only on a ball asks for a scaling of all. One pass over the rows, half a one more for the classes
// apart, plus O(n).
#include "problem/certificate.hpp"

#include "base/index.hpp"
#include "base/threads.hpp"
#include "kernel/kernel.hpp"
#include "problem/constant_model.hpp"
#include "problem/full_pass.hpp"
#include "problem/loss.hpp"
#include "problem/matrix_penalty.hpp"
#include "problem/optimality.hpp"
#include "problem/penalty.hpp"
#include "problem/table_pass.hpp"

namespace s3gd {
namespace {

// Where rounding makes the bound exceed the value itself, the two are equal.
void take_dual(Certificate& result, double dual) {
  result.dual = std::min(std::max(0.0, dual), result.primal);
  const double size = std::max(std::abs(result.primal), std::numeric_limits<double>::min());
  result.relative_gap = (result.primal - result.dual) / size;
}

void take_gradient(Certificate& result, double norm) {
  result.kind = Certificate::Kind::prox_gradient;
  result.dual = std::numeric_limits<double>::quiet_NaN();
  result.relative_gap = norm;
}

Certificate checked(Certificate result) {
  if (!std::isfinite(result.primal)) result.relative_gap = std::numeric_limits<double>::infinity();
  return result;
}

// The dual point in a form that costs no memory: -a_i = scale[class of i] * (slope_i + shift) + tilt * y_i, with the slope
// at the margin plus `further`.
struct DualPoint {
  double scale[2] = {1, 1};  // rows with a target above zero, and the others
  double shift = 0, tilt = 0, further = 0;
  bool keeps_shape() const { return shift == 0 && tilt == 0 && further == 0; }
  std::vector<double> z;  // sum_i q_i a_i x_i
};

class Certifier {
 public:
  Certifier(const Problem& problem, const RowsSeen& seen)
      : problem_(problem),
        seen_(seen),
        loss_(problem.spec().loss),
        equal_weight_(1.0 / static_cast<double>(problem.rows())) {}

  DualPoint dual_point() const {
    DualPoint point;
    point.z.assign(seen_.gradient.begin(), seen_.gradient.end());
    for (double& value : point.z) value = -value;
    if (problem_.spec().intercept != Intercept::free) return point;
    if (loss_.classifies())
      balance_classes(point);
    else
      balance_reals(point);
    return point;
  }

  // D at `scale` times the point.
  double dual(const DualPoint& point, double scale, const Penalty& penalty, std::span<const double> w) const {
    if (seen_.margins.empty()) return squared_dual(point, scale, penalty, w);
    double sum = 0;
    bool by_row[2] = {true, true};
    for (const int c : {0, 1})
      if (scale * point.scale[c] == 1 && point.keeps_shape() && knows_classes(point)) {
        sum += at_slopes(c, w);
        by_row[c] = false;
      }
    if (by_row[0] || by_row[1]) sum += conjugates(point, scale, by_row);
    return -sum - conjugate(penalty, point, scale);
  }

  // A bound of that from below, O(d): psi*(t v) <= t psi*(v) for t in [0, 1], since psi* is convex and psi*(0) = 0.
  double quick_dual(const DualPoint& point, double scale, const Penalty& penalty, std::span<const double> w) const {
    const double sum = point.scale[0] * at_slopes(0, w) + point.scale[1] * at_slopes(1, w);
    return -scale * sum - conjugate(penalty, point, scale);
  }

  // The same without a look at single rows: psi*(v, y) = v y + v^2 / 4, and y is the margin less half of the slope.
  double squared_dual(const DualPoint& point, double scale, const Penalty& penalty, std::span<const double> w) const {
    return scale * ((2 - scale) * seen_.loss - product(w, seen_.gradient)) - conjugate(penalty, point, scale);
  }

 private:
  static double conjugate(const Penalty& penalty, const DualPoint& point, double scale) {
    std::vector<double> z = point.z;
    for (auto& value : z) value *= scale;
    return penalty.conjugate(z);
  }

  static constexpr Index kChunk = 1024;  // rows, a unit of work for a thread

  static double product(std::span<const double> a, std::span<const double> b) {
    return kernel::dot(a.data(), b.data(), static_cast<Index>(a.size()));
  }

  bool knows_classes(const DualPoint& point) const {
    return seen_.positives != nullptr || point.scale[0] == point.scale[1];
  }

  // sum_i q_i psi*(psi'(u_i)) over a class, by Fenchel's equality: w.g - loss. Without the classes apart: all as one.
  double at_slopes(int c, std::span<const double> w) const {
    if (seen_.positives == nullptr) return c == 0 ? product(w, seen_.gradient) - seen_.loss : 0.0;
    const double positives = product(w, seen_.positives->gradient) - seen_.positives->loss;
    return c == 0 ? positives : product(w, seen_.gradient) - seen_.loss - positives;
  }

  // sum_i q_i psi*(-a_i) over the classes asked for, row by row.
  double conjugates(const DualPoint& point, double scale, const bool* wanted) const {
    std::vector<double> parts(at((problem_.rows() + kChunk - 1) / kChunk));
    parallel_ranges(problem_.rows(), kChunk, problem_.spec().threads, [&](Index begin, Index end, Index chunk) {
      parts[at(chunk)] = conjugates(point, scale, wanted, begin, end);
    });
    double sum = 0;
    for (const double part : parts) sum += part;
    return sum;
  }

  double conjugates(const DualPoint& point, double scale, const bool* wanted, Index begin, Index end) const {
    double u[kChunk] = {}, y[kChunk] = {}, q[kChunk], v[kChunk], result[kChunk];
    Index count = 0;
    const double* targets = problem_.targets().data();
    const double* weights = problem_.weights().empty() ? nullptr : problem_.weights().data();
    for (Index i = begin; i < end; ++i) {  // written where the next one wanted goes: no branch to mispredict
      const double target = targets[i];
      u[count] = seen_.margins[at(i)] + point.further;
      y[count] = target;
      q[count] = weights == nullptr ? equal_weight_ : weights[i];
      count += wanted[target > 0 ? 0 : 1] && q[count] != 0 ? 1 : 0;
    }
    loss_.terms(u, y, count, {nullptr, v, nullptr});
    for (Index r = 0; r < count; ++r)
      v[r] = scale * (point.scale[y[r] > 0 ? 0 : 1] * (v[r] + point.shift) + point.tilt * y[r]);
    loss_.conjugates(v, y, count, result);
    double sum = 0;
    for (Index r = 0; r < count; ++r) sum += q[r] * result[r];
    return sum;
  }

  // The class that pulls harder is scaled down.
  void balance_classes(DualPoint& point) const {
    const auto up = [&](std::size_t j) { return -seen_.positives->gradient[j]; };
    const double pull_up = up(point.z.size() - 1), pull_down = pull_up - point.z.back();
    if (pull_up > pull_down) point.scale[0] = pull_down / pull_up;
    if (pull_down > pull_up) point.scale[1] = pull_up / pull_down;
    for (std::size_t j = 0; j < point.z.size(); ++j)
      point.z[j] = point.scale[0] * up(j) + point.scale[1] * (point.z[j] - up(j));
    point.z.back() = 0;  // up to rounding it is
  }

  void balance_reals(DualPoint& point) const {
    const bool counts = loss_.traits().targets == TargetKind::counts;
    const double total = problem_.total_weight(), target = counts ? problem_.target_row().back() / total : 0;
    const std::optional<Balance> balance = loss_.balance(-point.z.back() / total, target);
    if (!balance) return take_best_intercept(point);
    point.scale[0] = point.scale[1] = balance->scale;
    point.shift = balance->shift;
    point.tilt = balance->tilt;
    if (point.shift != 0) {
      const auto mean = seen_.mean_row.empty() ? problem_.mean_row() : seen_.mean_row;
      for (std::size_t j = 0; j < mean.size(); ++j) point.z[j] -= point.z.back() * mean[j];
    }
    for (std::size_t j = 0; j < point.z.size(); ++j)
      point.z[j] = point.scale[0] * point.z[j] - (point.tilt != 0 ? point.tilt * problem_.target_row()[j] : 0.0);
    point.z.back() = 0;
  }

  void take_best_intercept(DualPoint& point) const {
    if (point.z.back() == 0) return;
    double largest = 0;  // targets may have any unit
    for (Index i = 0; i < problem_.rows(); ++i)
      largest = std::max(largest, std::abs(seen_.margins[at(i)] - problem_.targets()[at(i)]));
    const auto slopes = [&](double b) { return slopes_at(problem_, seen_.margins, b); };
    point.further = rising_zero(slopes, 0.0, std::max(1.0, largest), std::min(1.0, largest));
    std::vector<double> pulls(at(problem_.rows()));
    for (Index i = 0; i < problem_.rows(); ++i)
      pulls[at(i)] = -problem_.weight(i) * loss_.slope(seen_.margins[at(i)] + point.further, problem_.targets()[at(i)]);
    transpose_times(problem_, pulls, point.z);
    point.z.back() = 0;  // up to rounding it is
  }

  const Problem& problem_;
  const RowsSeen& seen_;
  Loss loss_;
  double equal_weight_;
};

}  // namespace

bool certificate_needs_positives(const Problem& problem) {
  return problem.spec().intercept == Intercept::free && Loss(problem.spec().loss).classifies() &&
         Penalty(problem).has_dual();
}

SmallerClass::SmallerClass(const Problem& problem) {
  const auto targets = problem.targets();
  const auto ups = std::count_if(targets.begin(), targets.end(), [](double y) { return y > 0; });
  positive = 2 * ups < problem.rows();
  rows.reserve(at(positive ? ups : problem.rows() - ups));
  for (Index i = 0; i < problem.rows(); ++i)
    if ((targets[at(i)] > 0) == positive) rows.push_back(i);
}

OfPositives sum_positives(const Problem& problem, std::span<const double> w, double loss,
                          std::span<const double> gradient, const SmallerClass& smaller) {
  OfPositives sum{.gradient = std::vector<double>(gradient.size())};
  if (!smaller.rows.empty()) sum.loss = sum_rows(problem, smaller.rows, w, Arithmetic::exact, sum.gradient).loss;
  if (smaller.positive) return sum;
  sum.loss = loss - sum.loss;
  for (std::size_t j = 0; j < gradient.size(); ++j) sum.gradient[j] = gradient[j] - sum.gradient[j];
  return sum;
}

Certificate certify(const Problem& problem, std::span<const double> w) {
  std::vector<double> gradient(at(problem.dim())), margins(at(problem.rows()));
  const double loss = sum_rows(problem, {}, w, Arithmetic::exact, gradient, {margins, {}}).loss;
  if (!certificate_needs_positives(problem)) return certify_seen(problem, w, {loss, margins, gradient});
  const OfPositives positives = sum_positives(problem, w, loss, gradient, SmallerClass(problem));
  return certify_seen(problem, w, {loss, margins, gradient, &positives});
}

std::vector<Certificate> certify_together(std::span<const PlaceOfClass> classes) {
  std::vector<std::vector<double>> margins(classes.size()), gradients(classes.size());
  std::vector<ClassPass> passes;
  for (std::size_t c = 0; c < classes.size(); ++c) {
    margins[c].resize(at(classes[c].problem->rows()));
    gradients[c].resize(classes[c].w.size());
    passes.push_back({classes[c].problem, classes[c].w, gradients[c], {margins[c], {}}});
  }
  sum_rows_together(passes, {}, Arithmetic::exact);
  std::vector<Certificate> result;
  for (std::size_t c = 0; c < classes.size(); ++c) {
    const auto& [problem, w] = classes[c];
    RowsSeen seen{.loss = passes[c].sums.loss, .margins = margins[c], .gradient = gradients[c]};
    OfPositives positives;
    if (certificate_needs_positives(*problem)) {
      positives = sum_positives(*problem, w, seen.loss, gradients[c], SmallerClass(*problem));
      seen.positives = &positives;
    }
    result.push_back(certify_seen(*problem, w, seen));
  }
  return result;
}

Certificate certify_seen(const Problem& problem, std::span<const double> w, const RowsSeen& seen) {
  const Penalty penalty(problem);
  Certificate result;
  result.relative_gap = std::numeric_limits<double>::infinity();
  result.primal = seen.loss + penalty.value(w);
  if (!penalty.has_dual()) {
    take_gradient(result, prox_gradient_norm(penalty, w, seen.gradient));
  } else {
    const Certifier certifier(problem, seen);
    const DualPoint point = certifier.dual_point();
    const double scale = penalty.feasible_scale(point.z);
    if (seen.enough > 0 && point.keeps_shape()) take_dual(result, certifier.quick_dual(point, scale, penalty, w));
    if (!(result.relative_gap <= seen.enough)) take_dual(result, certifier.dual(point, scale, penalty, w));
  }
  return checked(result);
}

// How far a point can be from the optimum:  F(W) - D(s)  with the dual objective
//
//     D(s) = - sum_i q_i sum_k s_ik log s_ik - R*(- sum_i q_i x_i (s_i - e_{y_i})')  <=  F*,      s_i in the simplex
//
// at s_i = e_{y_i} + c t_{y_i} (p_i - e_{y_i}): the probabilities, moved towards the labels as little as it takes to be
// feasible. Free intercepts ask for sum_i q_i (s_i - e_{y_i}) = 0: what rows of class k give to class l are flows between
// the classes, and the scales t_k balance them (with two classes: the one that pulls harder is scaled down). A penalty
// whose conjugate is finite only on a ball asks for the scale c. One pass, one more with free intercepts.

namespace {

class SoftmaxCertifier {
 public:
  SoftmaxCertifier(const SoftmaxProblem& problem, std::span<const double> w)
      : problem_(problem),
        k_(problem.classes()),
        away_(at(problem.rows())),
        entropy_(at(problem.rows())),
        scales_(at(k_), 1.0),
        z_(at(problem.dim())) {
    const bool balances = problem.spec().intercept == Intercept::free;
    std::vector<std::vector<double>> flows(balances ? at(pass_chunks(problem)) : 0,
                                           std::vector<double>(at(k_ * k_), 0.0));
    SoftmaxPass pass;
    pass.arithmetic = Arithmetic::exact;
    if (!balances) pass.gradient = z_;
    pass.watch_double = [&](const SoftmaxBlock<double>& block) {
      note_rows(block, balances ? flows[at(block.chunk)].data() : nullptr);
    };
    loss_ = run_pass(problem, w, pass).loss;
    if (balances) {
      for (std::size_t c = 1; c < flows.size(); ++c) kernel::axpy(1.0, flows[c].data(), flows[0].data(), k_ * k_);
      scales_ = balancing_scales(flows[0], k_);
      pass.watch_double = nullptr;
      pass.gradient = z_;
      pass.class_scale = scales_;
      run_pass(problem, w, pass);
      std::fill(z_.end() - k_, z_.end(), 0.0);  // up to rounding it is
    }
    for (double& value : z_) value = -value;
  }

  double loss() const { return loss_; }

  double dual(const MatrixPenalty& penalty) {
    const double scale = penalty.feasible_scale(z_);
    kernel::scale(scale, z_.data(), problem_.dim());
    double sum = 0;
    for (Index i = 0; i < problem_.rows(); ++i)
      if (const double q = problem_.weight(i); q != 0)
        sum += q * negative_entropy(i, scale * scales_[at(problem_.targets()[at(i)])]);
    return -sum - penalty.conjugate(z_);
  }

 private:
  // Of row i: sum over the other classes of p_k, and of p_k log p_k. With those, any scale costs two logarithms.
  void note_rows(const SoftmaxBlock<double>& block, double* flows) {
    for (std::size_t r = 0; r < block.rows.size(); ++r) {
      const Index i = block.rows[r];
      const Index own = problem_.targets()[at(i)];
      const double* p = block.probabilities + static_cast<Index>(r) * block.width;
      double away = 0, entropy = 0;
      for (Index k = 0; k < k_; ++k) {
        if (k == own || p[k] == 0) continue;
        away += p[k];
        entropy += p[k] * std::log(p[k]);
        if (flows != nullptr) flows[own * k_ + k] += problem_.weight(i) * p[k];
      }
      away_[at(i)] = away;
      entropy_[at(i)] = entropy;
    }
  }

  // sum_k s_k log s_k of row i, t the scale of its slope.
  double negative_entropy(Index i, double t) const {
    if (t == 0) return 0;
    const double away = t * away_[at(i)];
    const double rest = 1 - away;
    return away * std::log(t) + t * entropy_[at(i)] + (rest > 0 ? rest * std::log1p(-away) : 0.0);
  }

  const SoftmaxProblem& problem_;
  Index k_;
  std::vector<double> away_, entropy_, scales_, z_;
  double loss_ = 0;
};

}  // namespace

double objective(const SoftmaxProblem& problem, std::span<const double> w) {
  SoftmaxPass pass;
  pass.arithmetic = Arithmetic::exact;
  return run_pass(problem, w, pass).loss + MatrixPenalty(problem).value(w);
}

double smooth_gradient(const SoftmaxProblem& problem, std::span<const double> w, std::span<double> gradient) {
  SoftmaxPass pass;
  pass.arithmetic = Arithmetic::exact;
  pass.gradient = gradient;
  return run_pass(problem, w, pass).loss;
}

Certificate certify(const SoftmaxProblem& problem, std::span<const double> w) {
  const MatrixPenalty penalty(problem);
  Certificate result;
  if (!penalty.has_dual()) {
    std::vector<double> gradient(at(problem.dim()));
    result.primal = smooth_gradient(problem, w, gradient) + penalty.value(w);
    take_gradient(result, prox_gradient_norm(penalty, w, gradient, free_intercepts(problem)));
  } else {
    SoftmaxCertifier certifier(problem, w);
    result.primal = certifier.loss() + penalty.value(w);
    take_dual(result, certifier.dual(penalty));
  }
  return checked(result);
}

std::vector<double> balancing_scales(std::span<const double> flows, Index classes) {
  const auto n = static_cast<std::size_t>(classes);
  std::vector<double> m(flows.begin(), flows.end());
  const std::vector<double> apart(n, 0.0);
  for (std::size_t k = n - 1; k > 0; --k) {  // what flows through k is passed on among those before it
    double out = 0;
    for (std::size_t l = 0; l < k; ++l) out += m[k * n + l];
    if (!(out > 0)) return apart;
    for (std::size_t l = 0; l < k; ++l) m[l * n + k] /= out;
    for (std::size_t i = 0; i < k; ++i)
      for (std::size_t l = 0; l < k; ++l)
        if (i != l) m[i * n + l] += m[i * n + k] * m[k * n + l];
  }
  std::vector<double> scale(n, 1.0);
  for (std::size_t k = 1; k < n; ++k) {
    scale[k] = 0;
    for (std::size_t l = 0; l < k; ++l) scale[k] += scale[l] * m[l * n + k];
  }
  const double largest = *std::max_element(scale.begin(), scale.end());
  for (double& value : scale) value /= largest;
  return scale;
}

}  // namespace s3gd
