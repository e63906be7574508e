#include "select/softmax_null_model.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/index.hpp"
#include "kernel/blas.hpp"
#include "select/largest_lambda.hpp"
#include "solve/softmax_solve.hpp"

namespace s3gd {
namespace {

constexpr double kOverwhelming = 1e30;  // a lambda under which nothing that is penalised moves
constexpr int kMostRounds = 20;
constexpr Index kStepsPerRound = 10;

double factor_of(const SoftmaxProblem& problem, Index j) {
  if (j == problem.cols()) return problem.spec().intercept == Intercept::regularised ? 1.0 : 0.0;
  const auto& factors = problem.spec().penalty.factors;
  return factors.empty() ? 1.0 : factors[at(j)];
}

SoftmaxNullModel seen_at(const SoftmaxProblem& problem, std::vector<double> w) {
  SoftmaxNullModel model;
  model.w = std::move(w);
  model.gradient.resize(model.w.size());
  model.loss = smooth_gradient(problem, model.w, model.gradient);
  return model;
}

// With intercepts alone the probabilities are the classes' shares of the weight.
std::vector<double> intercepts_alone(const SoftmaxProblem& problem) {
  std::vector<double> w(at(problem.dim()), 0.0);
  if (problem.spec().intercept != Intercept::free) return w;
  std::vector<double> shares(at(problem.classes()), 0.0);
  for (Index i = 0; i < problem.rows(); ++i) shares[at(problem.targets()[at(i)])] += problem.weight(i);
  double mean = 0;
  for (const double share : shares) mean += std::log(share) / static_cast<double>(shares.size());
  for (std::size_t k = 0; k < shares.size(); ++k) w[w.size() - shares.size() + k] = std::log(shares[k]) - mean;
  return w;
}

double largest_free_slope(const SoftmaxProblem& problem, const SoftmaxNullModel& model) {
  double largest = 0;
  for (Index c = 0; c < problem.dim(); ++c)
    if (factor_of(problem, c / problem.classes()) == 0) largest = std::max(largest, std::abs(model.gradient[at(c)]));
  return largest;
}

// Under an overwhelming penalty, until the slopes of what is free stop falling: they are rounding then.
SoftmaxNullModel fit_features(const SoftmaxProblem& problem, SoftmaxNullModel best) {
  SoftmaxSpec spec = problem.spec();
  spec.penalty.kind = MatrixPenaltyKind::l1;
  spec.penalty.lambda = kOverwhelming;
  const SoftmaxProblem overwhelmed(problem.data(), spec);
  SolveOptions options;
  options.solver = "prox-newton";
  options.tol = 0;
  options.iterations = kStepsPerRound;
  double least = largest_free_slope(problem, best);
  for (int round = 0; round < kMostRounds && least > 0; ++round) {
    options.start = best.w;
    SoftmaxNullModel next = seen_at(problem, solve_softmax(overwhelmed, options).w);
    const double slope = largest_free_slope(problem, next);
    if (!(slope < least)) break;
    const bool slowing = slope > 0.5 * least;
    best = std::move(next);
    least = slope;
    if (slowing) break;
  }
  return best;
}

double length(std::span<const double> v) {
  double squares = 0;
  for (const double value : v) squares += value * value;
  return std::sqrt(squares);
}

double largest_singular_value(const SoftmaxProblem& problem, const std::vector<double>& gradient) {
  const Index cols = problem.classes();
  const Index rows = problem.cols() + (problem.spec().intercept == Intercept::regularised ? 1 : 0);
  const bool tall = rows >= cols;
  const Index side = std::min(rows, cols);
  std::vector<double> gram(at(side * side)), squares(at(side));
  blas::gemm(tall ? blas::Op::transposed : blas::Op::plain, tall ? blas::Op::plain : blas::Op::transposed, side, side,
             tall ? rows : cols, 1.0, gradient.data(), cols, gradient.data(), cols, 0.0, gram.data(), side);
  blas::symmetric_eigen(side, gram.data(), squares.data());
  return std::sqrt(*std::max_element(squares.begin(), squares.end()));
}

}  // namespace

SoftmaxNullModel fit_null_model(const SoftmaxProblem& problem) {
  SoftmaxNullModel model = seen_at(problem, intercepts_alone(problem));
  const auto& factors = problem.spec().penalty.factors;
  const bool all = std::find(factors.begin(), factors.end(), 0.0) == factors.end();
  return all ? model : fit_features(problem, std::move(model));
}

bool is_penalised(const SoftmaxProblem& problem) {
  if (problem.spec().penalty.kind == MatrixPenaltyKind::none) return false;
  for (Index j = 0; j < problem.features(); ++j)
    if (factor_of(problem, j) > 0) return true;
  return false;
}

bool is_kinked(const SoftmaxProblem& problem) {
  const MatrixPenaltySpec& penalty = problem.spec().penalty;
  if (penalty.kind == MatrixPenaltyKind::elastic_net) return penalty.alpha < 1;
  return penalty.kind != MatrixPenaltyKind::l2 && penalty.kind != MatrixPenaltyKind::none;
}

double largest_lambda_from(const SoftmaxProblem& problem, const SoftmaxNullModel& null) {
  const MatrixPenaltySpec& penalty = problem.spec().penalty;
  if (penalty.kind == MatrixPenaltyKind::nuclear) return largest_singular_value(problem, null.gradient);
  const Index classes = problem.classes();
  const double l1 = penalty.kind == MatrixPenaltyKind::elastic_net ? 1 - penalty.alpha : 1.0;
  double largest = 0, ridge = 0;
  for (Index j = 0; j < problem.features(); ++j) {
    const double factor = factor_of(problem, j);
    if (factor == 0) continue;
    const auto pulls = std::span(null.gradient).subspan(at(j * classes), at(classes));
    if (!is_kinked(problem))
      ridge += length(pulls) * length(pulls) / (4 * factor);
    else if (penalty.kind == MatrixPenaltyKind::group_lasso)
      largest = std::max(largest, length(pulls) / factor);
    else
      for (const double pull : pulls) largest = std::max(largest, std::abs(pull) / (l1 * factor));
  }
  return is_kinked(problem) ? largest : largest_l2_lambda(ridge, null.loss);
}

}  // namespace s3gd
