#include "s3gd/path.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/clock.hpp"
#include "base/interrupt.hpp"
#include "fit/null_model.hpp"
#include "model/penalty.hpp"
#include "s3gd/error.hpp"
#include "solve/carried.hpp"

namespace s3gd {
namespace {

constexpr double kNearNull = 0.01;  // share of the null model's loss that l2 may gain at its largest lambda

std::size_t at(Index j) { return static_cast<std::size_t>(j); }

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

// What each part of the penalty takes to hold all coordinates at the null model, or, for l2 alone, near it.
double largest_of(const Problem& problem, const NullModel& null) {
  const Problem unit = with_lambda(problem, 1);
  const Penalty penalty(unit.spec().penalty, problem.cols(), problem.spec().intercept);
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
  // F >= F0 + g.w + lambda sum_j l2_j w_j^2 >= F0 - ridge / lambda, by convexity.
  if (ridge > 0) largest = std::max(largest, ridge / (kNearNull * null.loss));
  return largest;
}

void check_penalised(const Problem& problem) {
  const Problem unit = with_lambda(problem, 1);
  const Penalty penalty(unit.spec().penalty, problem.cols(), problem.spec().intercept);
  if (penalty.l1_strength() == 0 && penalty.l2_strength() == 0 && penalty.norm_strength() == 0)
    throw Error("there is no penalty, hence no path over lambda", "give --penalty l2, l1 or elastic-net");
}

std::vector<double> checked(std::vector<double> lambdas) {
  if (lambdas.empty()) throw Error("a path without lambdas", "give at least one");
  for (const double lambda : lambdas)
    if (!(lambda > 0 && std::isfinite(lambda)))
      throw Error(fmt::format("a lambda of the path is {}", lambda), "give positive numbers");
  std::sort(lambdas.begin(), lambdas.end(), std::greater<>());
  lambdas.erase(std::unique(lambdas.begin(), lambdas.end()), lambdas.end());
  return lambdas;
}

PathPoint point_of(const Problem& problem, double lambda, Solution&& solution) {
  PathPoint point;
  point.lambda = lambda;
  point.w = std::move(solution.w);
  point.certificate = solution.summary.certificate;
  point.status = solution.summary.status;
  point.nonzeros = std::count_if(point.w.begin(), point.w.begin() + problem.cols(), [](double w) { return w != 0; });
  point.passes = solution.summary.passes;
  return point;
}

bool cut_short(Status status) { return status == Status::interrupted || status == Status::out_of_time; }

}  // namespace

Problem with_lambda(const Problem& problem, double lambda) {
  ProblemSpec spec = problem.spec();
  const double before = spec.penalty.lambda;
  for (PenaltySpec& term : spec.penalty.also) term.lambda = before > 0 ? term.lambda / before * lambda : lambda;
  spec.penalty.lambda = lambda;
  return Problem(problem.data(), spec);
}

double largest_lambda(const Problem& problem) {
  check_penalised(problem);
  return largest_of(problem, fit_null_model(problem));
}

std::vector<double> lambda_grid(const Problem& problem, const GridOptions& options) {
  if (options.count < 2) throw Error(fmt::format("a grid of {} lambdas", options.count), "ask for at least 2");
  if (!(options.ratio >= 0 && options.ratio < 1))
    throw Error(fmt::format("the smallest lambda over the largest is {}", options.ratio),
                "give a number between 0 and 1");
  const Penalty penalty(problem.spec().penalty, problem.cols(), problem.spec().intercept);
  const double largest = largest_lambda(problem);
  if (std::isinf(largest))
    throw Error("no largest lambda is known for several 2-norms without a 1-norm", "give the lambdas yourself");
  if (!(largest > 0))
    throw Error("no feature says anything about the labels: every lambda has the same solution", "look at the data");
  const bool kinked = penalty.l1_strength() > 0 || penalty.norm_strength() > 0;
  double ratio = options.ratio;
  if (ratio == 0) ratio = (problem.rows() < problem.cols() ? 1e-2 : 1e-4) * (kinked ? 1 : 1e-2);
  if (options.smallest > 0) ratio = options.smallest / largest;
  if (!(ratio > 0 && ratio < 1))
    throw Error(
        fmt::format("the smallest lambda is {}, the largest that does anything {:.6g}", options.smallest, largest),
        "give a smaller one");
  std::vector<double> lambdas;
  for (Index k = 0; k < options.count; ++k)
    lambdas.push_back(largest * std::pow(ratio, static_cast<double>(k) / static_cast<double>(options.count - 1)));
  if (options.smallest > 0) lambdas.back() = options.smallest;
  return lambdas;
}

Path solve_path(const Problem& problem, std::vector<double> lambdas, const SolveOptions& options,
                const WatchPoint& watch) {
  check_penalised(problem);
  lambdas = checked(std::move(lambdas));
  RunClock clock;
  Path path;
  Carried carried;
  SolveOptions each = options;
  const NullModel null = fit_null_model(problem);
  // Far below the largest lambda the null model says little, and a solver's own start is better.
  if (lambdas.front() > 0.5 * largest_of(problem, null)) each.start = null.w;
  for (const double lambda : lambdas) {
    const double before = clock.wall_seconds();
    if (options.seconds > 0) each.seconds = std::max(1e-9, options.seconds - before);
    const Problem here = with_lambda(problem, lambda);
    PathPoint point = point_of(here, lambda, solve_carrying(here, each, {}, &carried));
    if (cut_short(point.status)) {
      path.status = point.status;
      break;
    }
    point.seconds = clock.wall_seconds() - before;
    each.start = point.w;
    if (point.status != Status::converged) path.status = Status::out_of_passes;
    path.points.push_back(std::move(point));
    clock.pause();
    const bool go_on = !watch || watch(path.points.back());
    clock.resume();
    if (!go_on || interrupted()) {
      if (lambda != lambdas.back()) path.status = Status::interrupted;
      break;
    }
  }
  path.seconds = clock.wall_seconds();
  path.cpu_seconds = clock.cpu_seconds();
  return path;
}

}  // namespace s3gd
