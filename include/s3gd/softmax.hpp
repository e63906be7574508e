// Softmax regression: K classes fitted together, with penalties on the matrix of weights.
//
//     F(W, b) = sum_i q_i [ log sum_k exp(u_ik) - u_{i,y_i} ] + R(W),       u_ik = W_k.x_i + b_k
//
// Parameters are one vector of dim() numbers, features x K: the K weights of the first feature (one for each class, in the
// order of class_values()), those of the second, ..., and last (unless Intercept::none) the K intercepts. A Task has
// them the other way round: class_by_class().
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "s3gd/problem.hpp"

namespace s3gd {

// With per-feature factors f_j (1 unless given; 0 leaves a feature unpenalised), W_:j the K weights of feature j:
// l2          lambda sum_jk f_j W_jk^2                                              (no one half)
// l1          lambda sum_jk f_j |W_jk|
// elastic_net lambda (1-alpha) sum_jk f_j |W_jk| + lambda alpha sum_jk f_j W_jk^2
// none        0
// group_lasso lambda sum_j f_j ||W_:j||_2: a feature is used by all classes or by none
// nuclear     lambda (sum of the singular values of W): few directions in feature space; takes no factors
enum class MatrixPenaltyKind : std::uint8_t { l2, l1, elastic_net, none, group_lasso, nuclear };

struct MatrixPenaltySpec {
  MatrixPenaltyKind kind = MatrixPenaltyKind::l2;
  double lambda = 1e-3;
  double alpha = 0.5;
  std::vector<double> factors;  // one per feature, or empty
};

// "l2", "l1", "elastic-net", "none", "group-lasso", "nuclear"; for options and messages.
const char* name_of(MatrixPenaltyKind kind);
std::optional<MatrixPenaltyKind> matrix_penalty_named(const std::string& name);
// The penalty of one output, on every weight of the matrix. Throws where there is no such (l1_l2norm, several terms).
MatrixPenaltySpec matrix_penalty(const PenaltySpec& penalty);

struct SoftmaxSpec {
  MatrixPenaltySpec penalty;
  Intercept intercept = Intercept::free;         // regularised: a constant feature 1, penalised as any other
  ClassWeight class_weight = ClassWeight::none;  // balanced: every class weighs 1/K. paper: two classes only, refused
  std::vector<double> classes;  // labels, ascending; empty: those of the rows. Rows may lack some, and have no others
  int threads = 0;
};

// Immutable; cheap to copy; shares the rows. Throws at construction, with one sentence, when data and spec do not fit.
class SoftmaxProblem {
 public:
  SoftmaxProblem(Dataset data, const SoftmaxSpec& spec);

  const Dataset& data() const;
  const Matrix& x() const { return data().x; }
  const SoftmaxSpec& spec() const;
  Index rows() const { return data().rows(); }
  Index cols() const { return data().cols(); }
  Index classes() const { return static_cast<Index>(class_values().size()); }
  bool has_intercept() const { return spec().intercept != Intercept::none; }
  Index features() const { return cols() + (has_intercept() ? 1 : 0); }  // the constant one included
  Index dim() const { return features() * classes(); }

  std::span<const double> class_values() const;   // labels of the classes, ascending; those without weight left out
  std::vector<std::string> class_names() const;   // the same as written in the file
  std::span<const std::int32_t> targets() const;  // 0 .. K-1: one per row
  std::span<const double> weights() const;        // q_i: one per row, EMPTY when all are 1/n; they sum to 1
  double weight(Index i) const;                   // q_i

  // The objective as a formula with the numbers in it, for people.
  std::string formula() const;

 private:
  struct State;
  std::shared_ptr<const State> state_;
};

// The same problem over other rows, which may lack some of its classes; they are matched by name. Throws where the rows
// have others.
SoftmaxProblem on_rows(const SoftmaxProblem& problem, Dataset rows);

// Parameters turned round: one class after the other, each its weights and then its intercept, as a Task has them; and
// back.
std::vector<double> class_by_class(const SoftmaxProblem& problem, std::span<const double> w);
std::vector<double> feature_by_feature(const SoftmaxProblem& problem, std::span<const double> w);

// Exact quantities over all rows; each is one pass (certify: one more with a free intercept) on `spec.threads` threads,
// double sums in fixed order.
double objective(const SoftmaxProblem& problem, std::span<const double> w);
double smooth_gradient(const SoftmaxProblem& problem, std::span<const double> w, std::span<double> gradient);
// Relative duality gap; the norm of a prox-gradient step where there is no penalty, or none on some feature.
Certificate certify(const SoftmaxProblem& problem, std::span<const double> w);

}  // namespace s3gd
