#include "s3gd/path.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "base/clock.hpp"
#include "base/index.hpp"
#include "base/interrupt.hpp"
#include "base/mention.hpp"
#include "problem/certificate.hpp"
#include "s3gd/error.hpp"
#include "select/walk.hpp"
#include "solve/sentences.hpp"

namespace s3gd {
namespace {

constexpr double kRounding = 1e-9;  // a lambda this close to the largest is that one

std::vector<double> checked(std::vector<double> lambdas) {
  if (lambdas.empty()) throw Error("a path without lambdas", "give at least one");
  for (const double lambda : lambdas)
    if (!(lambda > 0 && std::isfinite(lambda)))
      throw Error(fmt::format("a lambda of the path is {}", lambda), "give positive numbers");
  std::sort(lambdas.begin(), lambdas.end(), std::greater<>());
  lambdas.erase(std::unique(lambdas.begin(), lambdas.end()), lambdas.end());
  return lambdas;
}

void count_weights(const Task& task, PathPoint& point) {
  const Index cols = task.data().cols();
  std::vector<bool> used(at(cols), false);
  point.nonzeros = 0;
  for (Index k = 0; k < task.outputs(); ++k)
    for (Index j = 0; j < cols; ++j) {
      if (point.w[at(k * task.dim() + j)] == 0) continue;
      ++point.nonzeros;
      used[at(j)] = true;
    }
  point.features = std::count(used.begin(), used.end(), true);
}

bool cut_short(Status status) { return status == Status::interrupted || status == Status::out_of_time; }

void add_advice(const Task& task, double largest, const SolveOptions& options, Path& path) {
  advise_on_rows(report_sample(task.data()), path.advice);
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
        {AdviceCode::unfinished_lambdas,
         fmt::format("{} of {} lambdas did not reach the tolerance {:.2g}, the worst a {} of {:.2g}: allow {}, or a {}",
                     unfinished, path.points.size(), options.tol, name_of_gap(path.points.front().certificate), worst,
                     more("passes"), larger("tol")),
         {{"unfinished", static_cast<double>(unfinished)},
          {"lambdas", static_cast<double>(path.points.size())},
          {"tol", options.tol},
          {"relative_gap", worst}}});
  if (above > 0 && is_kinked(task))
    path.advice.push_back({AdviceCode::lambdas_above,
                           fmt::format("{} of {} lambdas are above {:.6g}, from which on no feature has a weight",
                                       above, path.points.size(), largest),
                           {{"above", static_cast<double>(above)},
                            {"lambdas", static_cast<double>(path.points.size())},
                            {"largest", largest}}});
}

}  // namespace

std::vector<double> lambda_grid(const Task& task, const GridOptions& options) {
  if (options.count < 2) throw Error(fmt::format("a grid of {} lambdas", options.count), "ask for at least 2");
  if (!(options.ratio >= 0 && options.ratio < 1))
    throw Error(fmt::format("the smallest lambda over the largest is {}", options.ratio),
                "give a number between 0 and 1");
  const double largest = largest_lambda(task);
  if (std::isinf(largest))
    throw Error("no largest lambda is known for several 2-norms without a 1-norm", "give the lambdas yourself");
  if (!(largest > 0))
    throw Error("no feature says anything about the labels: every lambda has the same solution", "look at the data");
  double ratio = options.ratio;
  const Dataset& data = task.data();
  if (ratio == 0) ratio = (data.rows() < data.cols() ? 1e-2 : 1e-4) * (is_kinked(task) ? 1 : 1e-2);
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

Path solve_path(const Task& task, std::vector<double> lambdas, const SolveOptions& options, const WatchPoint& watch) {
  double largest = 0;
  Path path = solve_path_quietly(task, std::move(lambdas), options, watch, &largest);
  add_advice(task, largest, options, path);
  return path;
}

Path solve_path_quietly(const Task& task, std::vector<double> lambdas, const SolveOptions& options,
                        const WatchPoint& watch, double* largest) {
  lambdas = checked(std::move(lambdas));
  RunClock clock;
  Path path;
  SolveOptions each = options;
  each.patience = 0;
  each.checkpoint.clear();
  each.resume = false;
  const std::unique_ptr<Walk> walk = walk_over(task, lambdas.front());
  for (const double lambda : lambdas) {
    const double before = clock.wall_seconds();
    if (options.seconds > 0) each.seconds = std::max(1e-9, options.seconds - before);
    Solution solution = walk->next(lambda, each);
    const Summary& summary = solution.summary;
    if (cut_short(summary.status)) {
      path.status = summary.status;
      break;
    }
    PathPoint point;
    point.lambda = lambda;
    point.w = std::move(solution.w);
    point.certificate = summary.certificate;
    point.status = summary.status;
    point.rank = solution.rank;
    point.passes = summary.passes;
    count_weights(task, point);
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
