// The problem being solved, stated once:
//
//     F(w, b) = sum_i q_i psi(w.x_i + b, y_i) + R(w, b)
//
// psi is the loss, R the penalty, q_i the weight of row i (1/n unless sample or class weights say otherwise).
// Parameters are one vector of dim() numbers: the d weights, then (unless Intercept::none) the intercept b.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "s3gd/dataset.hpp"

namespace s3gd {

// logistic      log(1 + exp(-y u))
// squared       (u - y)^2
// squared_hinge (1/2) max(0, 1 - y u)^2
// smooth_hinge  (1/beta) log(1 + exp(-beta (y u - 1)))
// huber         (u - y)^2 up to |u - y| = knee, 2 knee |u - y| - knee^2 beyond
// poisson       exp(u) - y u + y log y - y, for y >= 0: half of the Poisson deviance
enum class LossKind : std::uint8_t { logistic, squared, squared_hinge, smooth_hinge, huber, poisson };

struct LossSpec {
  LossKind kind = LossKind::logistic;
  double beta = 10.0;  // smooth_hinge only: larger is closer to the hinge, and harder
  double knee = 1.0;   // huber only: errors beyond it count as a line
};

// With per-feature factors f_j (1 unless given; 0 leaves a feature unpenalised):
// none        0
// l2          lambda sum_j f_j w_j^2                                            (no one half)
// l1          lambda sum_j f_j |w_j|
// elastic_net lambda (1-alpha) sum_j f_j |w_j| + lambda alpha sum_j f_j w_j^2
// l1_l2norm   lambda (1-alpha) sum_j f_j |w_j| + lambda alpha ||w||_2           (the paper's printed form; the 2-norm
//             runs over the coordinates with f_j > 0)
// A sum of several: `also`. Where the joint prox is not simple the solvers use the proximal average.
enum class PenaltyKind : std::uint8_t { l2, l1, elastic_net, l1_l2norm, none };

struct PenaltySpec {
  PenaltyKind kind = PenaltyKind::l2;
  double lambda = 1e-3;
  double alpha = 0.5;
  std::vector<double> factors;    // one per feature, or empty
  std::vector<PenaltySpec> also;  // further terms; their own `also` must be empty
};

// free: not penalised (default). regularised: a constant column 1, penalised as any feature (the paper). none: no b.
enum class Intercept : std::uint8_t { free, regularised, none };
// balanced: every class has the same total weight, the weights sum to 1. paper: the two class means are added up
// (its Eqn. pw), that is twice the balanced objective's loss.
enum class ClassWeight : std::uint8_t { none, balanced, paper };

struct ProblemSpec {
  LossSpec loss;
  PenaltySpec penalty;
  Intercept intercept = Intercept::free;
  ClassWeight class_weight = ClassWeight::none;
  // Which class is +1 when there are more than two, or to override the default (the larger of two values):
  // empty, "largest" (the class with most rows), or the class as written in the file. All others are -1.
  std::string positive;
  int threads = 0;
};

// How close a point is to the optimum. kind says what relative_gap is.
struct Certificate {
  enum class Kind : std::uint8_t { duality_gap, prox_gradient };
  Kind kind = Kind::duality_gap;
  double primal = 0;        // F at the point
  double dual = 0;          // a lower bound of F*; NaN for prox_gradient
  double relative_gap = 0;  // (primal - dual) / max(|primal|, tiny), or ||prox-gradient step|| / max(1, ||w||)
};

// sum_i x_i x_i' over rows that all weigh the same, the intercept's 1 as the last column: lower triangle, row-major.
using ColumnProducts = std::shared_ptr<const std::vector<double>>;

// Immutable; cheap to copy. Throws at construction, with one sentence, when data and spec do not fit.
class Problem {
 public:
  Problem(Dataset data, const ProblemSpec& spec);
  // The same rows and loss under another penalty, nothing looked at again. Throws when the penalty does not fit.
  Problem with_penalty(const PenaltySpec& penalty) const;
  // The same rows under another loss, which takes the same targets.
  Problem with_loss(const LossSpec& loss) const;
  // For whoever sums them for several problems at once; without sample or class weights.
  Problem with_products(ColumnProducts products) const;

  const Dataset& data() const;
  const Matrix& x() const { return data().x; }
  const ProblemSpec& spec() const;
  Index rows() const { return data().rows(); }
  Index cols() const { return data().cols(); }
  bool has_intercept() const { return spec().intercept != Intercept::none; }
  Index dim() const { return cols() + (has_intercept() ? 1 : 0); }

  std::span<const double> targets() const;     // +1 / -1, or the real labels: one per row
  std::span<const double> weights() const;     // q_i: one per row, EMPTY when all are 1/n
  double weight(Index i) const;                // q_i
  double total_weight() const;                 // sum of q_i: 1, or 2 for ClassWeight::paper
  double positive_class() const;               // label values behind +1 and, with exactly two classes, -1
  double negative_class() const;               // NaN when several classes were merged
  std::span<const double> mean_row() const;    // sum_i q_i x_i / sum_i q_i; one pass at the first call, then kept
  std::span<const double> target_row() const;  // sum_i q_i y_i x_i, the intercept's component last; likewise

  const ColumnProducts& known_products() const;  // null: nobody has summed them

  // The objective as a formula with the numbers in it, for people.
  std::string formula() const;

 private:
  struct State;
  std::shared_ptr<const State> state_;
};

// Exact quantities over all rows; each is one pass on `spec.threads` threads, double sums in fixed order.
double objective(const Problem& problem, std::span<const double> w);  // F(w)
double smooth_gradient(const Problem& problem, std::span<const double> w,
                       std::span<double> gradient);  // loss part's gradient; returns the loss part's value
Certificate certify(const Problem& problem, std::span<const double> w);

// The minimiser of F to a relative gap of `tol` (default: as far as double goes), by second-order methods. Meant for
// checking others, and for the exact finish.
struct Optimum {
  std::vector<double> w;
  double objective = 0;
  Certificate certificate;
  Index iterations = 0;
  std::string method;
};
struct OptimumOptions {
  double tol = 1e-12;
  Index max_iterations = 1000;
  double max_seconds = 0;     // 0 = no limit
  std::vector<double> start;  // empty = zero
  std::string cache_folder;   // empty = no cache; else looked up and kept by content of the problem
  // Called with the best point after every step; false ends the search. May be empty.
  std::function<bool(std::span<const double> w, const Certificate&)> keep_going;
};
Optimum solve_reference(const Problem& problem, const OptimumOptions& options = {});

// Constants of the theory (docs/theory.md): smoothness, strong convexity, step bounds, rate.
struct Theory {
  double smoothness_max = 0;    // L = Q max_i curvature ||x_i||^2, intercept included; Q: the weight (rows drawn by it)
  double smoothness_mean = 0;   // sum_i q_i L_i
  double smoothness_full = 0;   // L_P, by power iteration
  double strong_convexity = 0;  // mu = 2 lambda for l2 without factors or a free intercept, else what is guaranteed
  double svrg_step_bound = 0;   // 1/(4L)
  double s3gd_step_bound = 0;   // 1/(8L)
  double batch_smoothness = 0;  // L(p), the expected smoothness of a mini-batch
  double suggested_step = 0;
};
Theory theory(const Problem& problem, Index batch = 10, std::uint64_t seed = 0);
// rho and Delta / Delta_HP of the paper's theorem (Eqns. main_1, main_2) for a step and inner loop length; NaN or
// infinity where the theorem does not apply.
struct Rate {
  double rho = 0;
  double delta_factor = 0;
};
Rate paper_rate(const Theory& constants, double step, Index inner);

}  // namespace s3gd
