#include "s3gd/path.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/clock.hpp"
#include "base/interrupt.hpp"
#include "fit/family.hpp"
#include "model/gap_name.hpp"
#include "s3gd/error.hpp"
#include "solve/sentences.hpp"

namespace s3gd {
namespace {

constexpr double kRounding = 1e-9;  // a lambda this close to the largest is that one

std::size_t at(Index j) { return static_cast<std::size_t>(j); }

void check_penalised(const ProblemFamily& family) {
  if (!family.kind().penalised())
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

void count_weights(const ProblemFamily& family, PathPoint& point) {
  const Index cols = family.data().cols();
  std::vector<bool> used(at(cols), false);
  point.nonzeros = 0;
  for (Index k = 0; k < family.outputs(); ++k)
    for (Index j = 0; j < cols; ++j) {
      if (point.w[at(k * family.dim() + j)] == 0) continue;
      ++point.nonzeros;
      used[at(j)] = true;
    }
  point.features = std::count(used.begin(), used.end(), true);
}

bool cut_short(Status status) { return status == Status::interrupted || status == Status::out_of_time; }

void add_advice(const ProblemFamily& family, double largest, const SolveOptions& options, Path& path) {
  advise_on_rows(report_sample(family.data()), path.advice);
  Index unfinished = 0, above = 0;
  double worst = 0;
  for (const PathPoint& point : path.points) {
    if (point.status != Status::converged) {
      ++unfinished;
      worst = std::max(worst, point.certificate.relative_gap);
    }
    above += point.lambda > largest * (1 + kRounding);
  }
  if (unfinished > 0)
    path.advice.push_back(
        fmt::format("{} of {} lambdas did not reach the tolerance {:.2g}, the worst a {} of {:.2g}: allow "
                    "more --passes, or "
                    "a larger --tol",
                    unfinished, path.points.size(), options.tol, name_of_gap(path.points.front().certificate), worst));
  if (above > 0 && family.kind().kinked())
    path.advice.push_back(fmt::format("{} of {} lambdas are above {:.6g}, from which on no feature has a weight", above,
                                      path.points.size(), largest));
}

}  // namespace

Problem with_lambda(const Problem& problem, double lambda) {
  PenaltySpec penalty = problem.spec().penalty;
  const double before = penalty.lambda;
  for (PenaltySpec& term : penalty.also) term.lambda = before > 0 ? term.lambda / before * lambda : lambda;
  penalty.lambda = lambda;
  return problem.with_penalty(penalty);
}

SoftmaxProblem with_lambda(const SoftmaxProblem& problem, double lambda) {
  SoftmaxSpec spec = problem.spec();
  spec.penalty.lambda = lambda;
  return SoftmaxProblem(problem.data(), spec);
}

double largest_lambda(const ProblemFamily& family) {
  check_penalised(family);
  return family.kind().largest_lambda();
}

std::vector<double> lambda_grid(const ProblemFamily& family, const GridOptions& options) {
  if (options.count < 2) throw Error(fmt::format("a grid of {} lambdas", options.count), "ask for at least 2");
  if (!(options.ratio >= 0 && options.ratio < 1))
    throw Error(fmt::format("the smallest lambda over the largest is {}", options.ratio),
                "give a number between 0 and 1");
  const double largest = largest_lambda(family);
  if (std::isinf(largest))
    throw Error("no largest lambda is known for several 2-norms without a 1-norm", "give the lambdas yourself");
  if (!(largest > 0))
    throw Error("no feature says anything about the labels: every lambda has the same solution", "look at the data");
  double ratio = options.ratio;
  const Dataset& data = family.data();
  if (ratio == 0) ratio = (data.rows() < data.cols() ? 1e-2 : 1e-4) * (family.kind().kinked() ? 1 : 1e-2);
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

Path solve_path(const ProblemFamily& family, std::vector<double> lambdas, const SolveOptions& options,
                const WatchPoint& watch) {
  double largest = 0;
  Path path = solve_path_quietly(family, std::move(lambdas), options, watch, &largest);
  add_advice(family, largest, options, path);
  return path;
}

Path solve_path_quietly(const ProblemFamily& family, std::vector<double> lambdas, const SolveOptions& options,
                        const WatchPoint& watch, double* largest) {
  check_penalised(family);
  lambdas = checked(std::move(lambdas));
  RunClock clock;
  Path path;
  SolveOptions each = options;
  each.patience = 0;
  each.checkpoint.clear();
  each.resume = false;
  const std::unique_ptr<Walk> walk = family.kind().walk(lambdas.front());
  for (const double lambda : lambdas) {
    const double before = clock.wall_seconds();
    if (options.seconds > 0) each.seconds = std::max(1e-9, options.seconds - before);
    PathPoint point = walk->next(lambda, each);
    if (cut_short(point.status)) {
      path.status = point.status;
      break;
    }
    point.lambda = lambda;
    count_weights(family, point);
    point.seconds = clock.wall_seconds() - before;
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
  if (largest != nullptr) *largest = walk->largest_lambda();
  return path;
}

}  // namespace s3gd
