#include "s3gd/path.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "base/clock.hpp"
#include "base/index.hpp"
#include "base/interrupt.hpp"
#include "base/mention.hpp"
#include "base/threads.hpp"
#include "exact/finisher.hpp"
#include "exact/quadratic_loss.hpp"
#include "problem/certificate.hpp"
#include "problem/judged_rows.hpp"
#include "s3gd/error.hpp"
#include "select/walk.hpp"
#include "solve/advice.hpp"
#include "solve/checkpoint.hpp"
#include "solve/one_vs_rest.hpp"

namespace s3gd {
namespace {

constexpr double kStartsAtNull = 0.5;  // of the largest lambda: from here up, walks begin at the model without features

// From where the last one ended, with what its solver keeps.
Solution solve_next(const Problem& problem, const SolveOptions& options, WarmState& carried) {
  return solve_warm(problem, options, {}, &carried);
}
Solution solve_next(const SoftmaxProblem& problem, const SolveOptions& options, WarmState&) {
  return solve_softmax(problem, options);
}

// Parameters as a Task has them.
std::vector<double> of_task(const Problem&, const std::vector<double>& w) { return w; }
std::vector<double> of_task(const SoftmaxProblem& problem, const std::vector<double>& w) {
  return class_by_class(problem, w);
}

// One problem, of one output or of all classes.
template <class P>
class ProblemWalk final : public Walk {
 public:
  ProblemWalk(const P& problem, double first) : problem_(problem) {
    auto null = fit_null_model(problem);
    largest_ = largest_lambda_from(problem, null);
    if (first > kStartsAtNull * largest_) start_ = std::move(null.w);
  }

  Solution next(double lambda, const SolveOptions& options) override {
    SolveOptions each = options;
    each.start = start_;
    Solution solution = solve_next(with_lambda(problem_, lambda), each, carried_);
    start_ = std::move(solution.w);
    solution.w = of_task(problem_, start_);
    return solution;
  }

 private:
  P problem_;
  WarmState carried_;
  std::vector<double> start_;  // as the problem has them; empty: the solver's own
};

// As many classes side by side as there are threads, or one after the other on all of them.
int side_by_side(Index classes, int threads) {
  const int all = resolve_threads(threads);
  return classes >= all ? all : 1;
}

// Calls f(k) for every class.
template <class F>
void for_each_class(const OneVsRestProblem& problem, F&& f) {
  const Index classes = std::ssize(problem.classes());
  parallel_for(classes, side_by_side(classes, problem.spec().threads), f);
}

// One-vs-rest: each class walks its own path, all at the same lambdas.
class ClassWalks final : public Walk {
 public:
  ClassWalks(const OneVsRestProblem& problem, double first) : problem_(problem), walks_(problem.classes().size()) {
    for_each_class(problem_,
                   [&](Index k) { walks_[at(k)] = std::make_unique<ProblemWalk<Problem>>(problem_.of(k), first); });
    for (const auto& walk : walks_) largest_ = std::max(largest_, walk->largest_lambda());
  }

  Solution next(double lambda, const SolveOptions& options) override {
    const double started = wall_now();
    std::vector<Solution> solutions(walks_.size());
    for_each_class(problem_, [&](Index k) {
      SolveOptions each = options;
      if (options.seconds > 0) each.seconds = std::max(1e-9, options.seconds - (wall_now() - started));
      solutions[at(k)] = walks_[at(k)]->next(lambda, each);
    });
    return merge_solutions(problem_.classes(), std::move(solutions));
  }

 private:
  OneVsRestProblem problem_;
  std::vector<std::unique_ptr<Walk>> walks_;
};

template <class P>
std::unique_ptr<Walk> walk_of(const P& problem, double first) {
  return std::make_unique<ProblemWalk<P>>(problem, first);
}
std::unique_ptr<Walk> walk_of(const OneVsRestProblem& problem, double first) {
  return std::make_unique<ClassWalks>(problem, first);
}

bool has_penalty(const OneVsRestProblem& problem) { return is_penalised(problem.of(0)); }
template <class P>
bool has_penalty(const P& problem) {
  return is_penalised(problem);
}

void require_penalty(const Task& task) {
  if (!std::visit([](const auto& problem) { return has_penalty(problem); }, task.stated()))
    throw Error("there is no penalty, hence no path over lambda",
                "give " + opt("penalty", "l2") + ", l1 or elastic-net");
}

bool is_kinked(const OneVsRestProblem& problem) { return s3gd::is_kinked(problem.of(0)); }

template <class P>
double largest_of(const P& problem) {
  return largest_lambda_from(problem, fit_null_model(problem));
}
double largest_of(const OneVsRestProblem& problem) {
  std::vector<double> largest(problem.classes().size());
  for_each_class(problem, [&](Index k) { largest[at(k)] = largest_of(problem.of(k)); });
  return *std::max_element(largest.begin(), largest.end());
}

void require_same_classes(const Task& wanted, const Task& found) {
  const std::vector<std::string> there = found.classes();
  for (const std::string& name : wanted.classes())
    if (std::find(there.begin(), there.end(), name) == there.end())
      throw Error("without a fold no row of class " + class_mark(name) + " has any weight", "use " + fewer("folds"));
}

template <class P>
Task over(const P& problem, const Dataset& rows, const ColumnProducts&) {
  const Task task{P(rows, problem.spec())};
  require_same_classes(problem, task);
  return task;
}
Task over(const Problem& problem, const Dataset& rows, const ColumnProducts& known) {
  return Problem(rows, same_problem(problem)).with_products(known);
}

constexpr double kSameLambda = 1e-9;  // a lambda this close to the largest is that one

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

void add_advice(const Task& task, double largest, const SolveOptions& options, Path& path) {
  const Dataset& data = task.data();
  const auto weight = [&](Index row) { return data.weights.empty() ? 1.0 : data.weights[row]; };
  advise_on_rows(report_sample(data.x, weight), path.advice);
  Index unfinished = 0, above = 0;
  double worst = 0;
  for (const PathPoint& point : path.points) {
    if (point.status != Status::converged) {
      ++unfinished;
      worst = std::max(worst, point.certificate.relative_gap);
    }
    above += point.lambda > largest * (1 + kSameLambda);
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

std::unique_ptr<Walk> walk_over(const Task& task, double first) {
  require_penalty(task);
  return std::visit([&](const auto& problem) { return walk_of(problem, first); }, task.stated());
}

bool is_kinked(const Task& task) {
  return std::visit([](const auto& problem) { return is_kinked(problem); }, task.stated());
}

double largest_lambda(const Task& task) {
  require_penalty(task);
  return std::visit([](const auto& problem) { return largest_of(problem); }, task.stated());
}

Task on_fold(const Task& task, const Dataset& rows, const ColumnProducts& known) {
  return std::visit([&](const auto& problem) { return over(problem, rows, known); }, task.stated());
}

ColumnProducts products_over(const Task& task, const Dataset& rows) {
  const auto* problem = std::get_if<Problem>(&task.stated());
  if (problem == nullptr || !problem->weights().empty() || !find_finisher("gram")->suits(*problem) ||
      !gram_pays(*problem, true))
    return {};
  return column_products(Problem(rows, same_problem(*problem)), [] { return interrupted(); });
}

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
    if (was_cut(summary.status)) {
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
