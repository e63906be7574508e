// How far a point can be from the optimum:  F(W) - D(s)  with the dual objective
//
//     D(s) = - sum_i q_i sum_k s_ik log s_ik - R*(- sum_i q_i x_i (s_i - e_{y_i})')  <=  F*,      s_i in the simplex
//
// at s_i = e_{y_i} + c t_{y_i} (p_i - e_{y_i}): the probabilities, moved towards the labels as little as it takes to be
// feasible. Free intercepts ask for sum_i q_i (s_i - e_{y_i}) = 0: what rows of class k give to class l are flows between
// the classes, and the scales t_k balance them (with two classes: the one that pulls harder is scaled down). A penalty
// whose conjugate is finite only on a ball asks for the scale c. One pass, one more with free intercepts.
#include <cmath>
#include <limits>

#include "base/index.hpp"
#include "kernel/kernel.hpp"
#include "problem/balance.hpp"
#include "problem/matrix_penalty.hpp"
#include "problem/optimality.hpp"
#include "problem/softmax_pass.hpp"

namespace s3gd {
namespace {

class Certifier {
 public:
  Certifier(const SoftmaxProblem& problem, std::span<const double> w)
      : problem_(problem),
        k_(problem.classes()),
        away_(at(problem.rows())),
        entropy_(at(problem.rows())),
        scales_(at(k_), 1.0),
        z_(at(problem.dim())) {
    const bool balances = problem.spec().intercept == Intercept::free;
    std::vector<std::vector<double>> flows(balances ? at(pass_chunks(problem, problem.rows())) : 0,
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
    result.kind = Certificate::Kind::prox_gradient;
    result.primal = smooth_gradient(problem, w, gradient) + penalty.value(w);
    result.dual = std::numeric_limits<double>::quiet_NaN();
    result.relative_gap = prox_gradient_norm(penalty, w, gradient, free_intercepts(problem));
  } else {
    Certifier certifier(problem, w);
    result.primal = certifier.loss() + penalty.value(w);
    result.dual = std::max(0.0, certifier.dual(penalty));
    // Where rounding makes the bound exceed the value itself, the two are equal.
    result.dual = std::min(result.dual, result.primal);
    const double tiny = std::numeric_limits<double>::min();
    result.relative_gap = (result.primal - result.dual) / std::max(std::abs(result.primal), tiny);
  }
  if (!std::isfinite(result.primal)) result.relative_gap = std::numeric_limits<double>::infinity();
  return result;
}

}  // namespace s3gd
