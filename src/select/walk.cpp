#include "select/walk.hpp"

#include <algorithm>

#include "base/clock.hpp"
#include "base/index.hpp"
#include "base/interrupt.hpp"
#include "base/mention.hpp"
#include "base/threads.hpp"
#include "exact/finisher.hpp"
#include "exact/quadratic_loss.hpp"
#include "problem/judged_rows.hpp"
#include "s3gd/error.hpp"
#include "select/null_model.hpp"
#include "solve/one_vs_rest.hpp"
#include "solve/softmax_solve.hpp"
#include "solve/warm_state.hpp"

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
    Solution whole;
    std::vector<Summary> summaries;
    for (Solution& solution : solutions) {
      whole.w.insert(whole.w.end(), solution.w.begin(), solution.w.end());
      summaries.push_back(std::move(solution.summary));
    }
    whole.summary = merge_summaries(problem_.classes(), summaries);
    return whole;
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

}  // namespace s3gd
