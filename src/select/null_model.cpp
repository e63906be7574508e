#include "select/walk.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/index.hpp"
#include "kernel/blas.hpp"
#include "problem/constant_model.hpp"
#include "problem/full_pass.hpp"
#include "problem/newton.hpp"
#include "problem/penalty.hpp"
#include "s3gd/path.hpp"
#include "solve/inputs.hpp"

namespace s3gd {
namespace {

constexpr double kOverwhelming = 1e30;  // a lambda under which nothing that is penalised moves
constexpr int kMostSteps = 100;         // of one output
constexpr int kMostRounds = 20;         // of softmax, ..
constexpr Index kStepsPerRound = 10;    // .. of so many steps
constexpr int kPatience = 4;            // steps without smaller slopes before they are taken to be rounding, ...
constexpr double kFalls = 1e-6;         // ... nor a loss smaller by this share

std::vector<Index> unpenalised_features(const Problem& problem) {
  const Penalty penalty(problem);
  std::vector<Index> found;
  for (Index j = 0; j < problem.cols(); ++j)
    if (penalty.l1_of(j) == 0 && penalty.l2_of(j) == 0 && !penalty.in_norm(j)) found.push_back(j);
  return found;
}

double loss_part(const Problem& problem, std::span<const double> w, std::span<double> gradient) {
  return loss_and_gradient(problem, w, gradient);
}
double loss_part(const SoftmaxProblem& problem, std::span<const double> w, std::span<double> gradient) {
  return smooth_gradient(problem, w, gradient);
}

template <class P>
NullModel seen_at(const P& problem, std::vector<double> w) {
  NullModel model{std::move(w), {}, 0};
  model.gradient.resize(model.w.size());
  model.loss = loss_part(problem, model.w, model.gradient);
  return model;
}

// Newton's method under an overwhelming penalty, until the slopes of what is free stop falling: they are rounding then.
NullModel fit_features(const Problem& problem, std::vector<double> start, std::vector<Index> free) {
  if (problem.spec().intercept == Intercept::free) free.push_back(problem.cols());
  const Problem overwhelmed = with_lambda(problem, kOverwhelming);
  Newton newton(overwhelmed, std::move(start));
  NullModel best;
  double least = std::numeric_limits<double>::infinity(), lowest = least;
  int idle = 0;
  for (int step = 0; step < kMostSteps && idle < kPatience; ++step) {
    NullModel here = seen_at(problem, newton.w());
    double slope = 0;
    for (const Index j : free) slope = std::max(slope, std::abs(here.gradient[at(j)]));
    const bool falls = here.loss < (1 - kFalls) * lowest;  // slopes may well grow meanwhile, where curvature has steps
    idle = slope < 0.5 * least || falls ? 0 : idle + 1;
    lowest = std::min(lowest, here.loss);
    if (slope < least) {
      best = std::move(here);
      least = slope;
    }
    if (slope == 0 || !newton.newton_step(1e-12)) break;
  }
  return best;
}

Penalty at_lambda_one(const Problem& problem) {
  return Penalty(with_lambda(problem, 1).spec().penalty, problem.cols(), problem.spec().intercept);
}

// The smallest lambda with ||(pull - lambda l1)_+||_2 <= lambda nu, over the coordinates of a 2-norm. The left side
// less the right one is convex and falls: Newton from the left never overshoots.
double release_of_norm(const std::vector<double>& pulls, const std::vector<double>& l1, double nu) {
  double lambda = 0;
  for (int step = 0; step < 200; ++step) {
    double squares = 0, slope = 0;
    for (std::size_t k = 0; k < pulls.size(); ++k) {
      const double over = std::max(0.0, pulls[k] - lambda * l1[k]);
      squares += over * over;
      slope += over * l1[k];
    }
    const double norm = std::sqrt(squares);
    if (norm <= lambda * nu) break;
    const double next = lambda + (norm - lambda * nu) / (slope / norm + nu);
    if (!(next > lambda)) break;
    lambda = next;
  }
  return lambda;
}

// Of F0, what l2 may gain at its largest lambda. With sum_j g_j^2 / (4 f_j) over the slopes:
//     F >= F0 + g.w + lambda sum_j f_j w_j^2 >= F0 - ridge / lambda, by convexity.
double largest_l2_lambda(double ridge, double null_loss) { return ridge / (0.01 * null_loss); }

double factor_of(const SoftmaxProblem& problem, Index j) {
  if (j == problem.cols()) return problem.spec().intercept == Intercept::regularised ? 1.0 : 0.0;
  const auto& factors = problem.spec().penalty.factors;
  return factors.empty() ? 1.0 : factors[at(j)];
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

double largest_free_slope(const SoftmaxProblem& problem, const NullModel& model) {
  double largest = 0;
  for (Index c = 0; c < problem.dim(); ++c)
    if (factor_of(problem, c / problem.classes()) == 0) largest = std::max(largest, std::abs(model.gradient[at(c)]));
  return largest;
}

// Under an overwhelming penalty, until the slopes of what is free stop falling: they are rounding then.
NullModel fit_features(const SoftmaxProblem& problem, NullModel best) {
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
    NullModel next = seen_at(problem, solve_softmax(overwhelmed, options).w);
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

NullModel fit_null_model(const Problem& problem) {
  std::vector<double> w(at(problem.dim()), 0.0);
  if (problem.spec().intercept == Intercept::free) w.back() = best_constant(problem, 0).b;
  std::vector<Index> free = unpenalised_features(problem);
  return free.empty() ? seen_at(problem, std::move(w)) : fit_features(problem, std::move(w), std::move(free));
}

bool is_penalised(const Problem& problem) {
  const Penalty penalty = at_lambda_one(problem);
  return is_kinked(problem) || penalty.l2_strength() > 0;
}

bool is_kinked(const Problem& problem) {
  const Penalty penalty = at_lambda_one(problem);
  return penalty.l1_strength() > 0 || penalty.norm_strength() > 0;
}

// What each part of the penalty takes to hold all coordinates at the null model, or, for l2 alone, near it.
double largest_lambda_from(const Problem& problem, const NullModel& null) {
  const Penalty penalty = at_lambda_one(problem);
  const bool one_norm = penalty.norm_strength() > 0 && penalty.prox_is_exact();
  double largest = 0, ridge = 0;
  std::vector<double> pulls, l1;
  for (Index j = 0; j < problem.dim(); ++j) {
    const double pull = std::abs(null.gradient[at(j)]);
    if (one_norm && penalty.in_norm(j)) {
      pulls.push_back(pull);
      l1.push_back(penalty.l1_of(j));
    } else if (penalty.l1_of(j) > 0) {
      largest = std::max(largest, pull / penalty.l1_of(j));
    } else if (penalty.l2_of(j) > 0) {
      ridge += pull * pull / (4 * penalty.l2_of(j));
    } else if (penalty.in_norm(j)) {
      largest = std::numeric_limits<double>::infinity();
    }
  }
  if (!pulls.empty()) largest = std::max(largest, release_of_norm(pulls, l1, penalty.norm_strength()));
  if (ridge > 0) largest = std::max(largest, largest_l2_lambda(ridge, null.loss));
  return largest;
}

NullModel fit_null_model(const SoftmaxProblem& problem) {
  NullModel model = seen_at(problem, intercepts_alone(problem));
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

double largest_lambda_from(const SoftmaxProblem& problem, const NullModel& null) {
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
