#include "select/largest_lambda.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/index.hpp"
#include "problem/penalty.hpp"
#include "s3gd/path.hpp"

namespace s3gd {
namespace {

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

}  // namespace

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

}  // namespace s3gd
