#include "solve/one_vs_rest.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <limits>
#include <mutex>
#include <optional>

#include "base/clock.hpp"
#include "base/index.hpp"
#include "base/interrupt.hpp"
#include "base/mention.hpp"
#include "base/text.hpp"
#include "base/threads.hpp"
#include "problem/constant_model.hpp"
#include "problem/penalty.hpp"
#include "s3gd/error.hpp"
#include "solve/checkpoint.hpp"
#include "stochastic/control.hpp"

namespace s3gd {
namespace {

// Whether solving a class wants a graph.
bool uses_graph(const Problem& problem, const SolveOptions& options) {
  const Estimator* estimator = find_estimator(options.solver);
  if (estimator != nullptr) return estimator->needs_graph;
  const Finisher& finisher = first_that_suits(problem);
  return options.solver == "auto" && options.start.empty() && finisher.start_passes != nullptr &&
         finisher.start_passes(problem) > 0;
}

class Fits {
 public:
  Fits(const OneVsRestProblem& problem, const SolveOptions& options, const SolveInput& input)
      : problem_(problem), options_(options), input_(input), solutions_(problem.classes().size()) {
    problem.data().verify(problem.spec().threads);
    if (input.test != nullptr)
      for (const double value : input.test->y.distinct()) test_classes_.push_back(input.test->y.name_of(value));
    const Index numbers = Task(problem).dim() * count();
    if (!options.start.empty() && std::ssize(options.start) != numbers)
      throw Error(fmt::format("the start has {} numbers, the problem {}", options.start.size(), numbers));
    if (!options.checkpoint.empty()) checkpoints_.emplace(problem, options, input);
    const int threads = resolve_threads(problem.spec().threads);
    // Clocks of processor time see all threads: a trace wants classes one after the other.
    side_by_side_ = count() >= threads && options.trace_every == 0 ? threads : 1;
  }

  Solution run() {
    RunClock clock;
    const Problem first = problem_.of(0);
    const Index together = classes_together(first, options_, count());
    if (together < 2 || find_estimator(options_.solver) != nullptr) share_graph(first);
    if (together > 1) {
      fit_together(together);
    } else {
      parallel_for(count(), side_by_side_, [&](Index k) { fit(k); });
    }
    Solution whole = merge_solutions(problem_.classes(), std::move(solutions_));
    Summary& summary = whole.summary;
    if (checkpoints_ && was_cut(summary.status)) checkpoints_->keep_the_rest();
    if (checkpoints_) checkpoints_->add_trouble_to(summary);
    if (shared_) summary.stages.insert(summary.stages.begin(), {"graph", graph_seconds_, 0, "built"});
    summary.graph_seconds = graph_seconds_ + summary.graph_seconds / side_by_side_;
    summary.evaluate_seconds /= side_by_side_;
    summary.solve_seconds = std::max(0.0, clock.wall_seconds() - summary.graph_seconds - summary.evaluate_seconds);
    summary.cpu_seconds = clock.cpu_seconds();
    return whole;
  }

 private:
  Index count() const { return std::ssize(problem_.classes()); }
  const std::string& name(Index k) const { return problem_.classes()[at(k)]; }

  // A complete graph depends on the rows alone: one serves all classes. (One that grows is cheap for each of them: it
  // begins with a single anchor.)
  void share_graph(const Problem& like) {
    const bool grows = options_.graph_mode == GraphMode::streaming && options_.order != RowOrder::weighted;
    if (grows || input_.graph != nullptr || !uses_graph(like, options_of(0))) return;
    GraphOptions wanted = options_.graph;
    wanted.seed = options_.seed;
    wanted.threads = problem_.spec().threads;
    const double started = wall_now();
    shared_ = build_graph(problem_.data().x, wanted);
    graph_seconds_ = wall_now() - started;
  }

  std::optional<Problem> test_of(Index k) const {
    const bool known = std::count(test_classes_.begin(), test_classes_.end(), name(k)) > 0;
    if (!known || test_classes_.size() < 2) return std::nullopt;
    return problem_.on(k, *input_.test);
  }

  void fit(Index k) {
    Solution solution;
    const double cpu_started = seconds_of(CLOCK_THREAD_CPUTIME_ID);
    const Problem problem = problem_.of(k);
    SolveOptions options = options_;
    if (options_.seconds > 0) options.seconds = seconds_for(count() - k);
    std::optional<Solution> ended = checkpoints_ ? checkpoints_->ended(at(k)) : std::nullopt;
    if (ended)
      solution = keep_from_winning(problem, std::move(*ended));
    else if (interrupted() || stopped_.load())
      solution = without_features(problem, Status::interrupted);
    else if (options_.seconds > 0 && options.seconds <= 0)
      solution = without_features(problem, Status::out_of_time);
    else
      solution = keep_from_winning(problem, solve_class(k, problem, options));
    if (side_by_side_ > 1 && !ended) solution.summary.cpu_seconds = seconds_of(CLOCK_THREAD_CPUTIME_ID) - cpu_started;
    end_class(k, std::move(solution));
  }

  // Groups of classes, as many together as suits: steps of a stochastic solver side by side, Newton's one after the other,
  // each on all threads. Groups do not depend on the number of threads.
  void fit_together(Index together) {
    const Index groups = (count() + together - 1) / together;
    const bool steps = find_estimator(options_.solver) != nullptr && options_.trace_every == 0;
    side_by_side_ = steps ? static_cast<int>(std::min<Index>(groups, resolve_threads(problem_.spec().threads))) : 1;
    parallel_for(groups, side_by_side_, [&](Index g) { fit_group(g, groups); });
    side_by_side_ = 1;
    for (Index k = 0; k < count(); ++k)
      if (solutions_[at(k)].w.empty()) fit(k);
  }

  void fit_group(Index g, Index groups) {
    const Index begin = count() * g / groups, end = count() * (g + 1) / groups;
    std::vector<ClassToFit> classes;
    for (Index k = begin; k < end; ++k) {
      classes.push_back({problem_.of(k), test_of(k), options_of(k).start});
      check_solve(classes.back().problem, options_of(k), {});
    }
    SolveOptions options = options_;
    if (options_.seconds > 0) options.seconds = seconds_for(groups - g);
    const bool out_of_time = options_.seconds > 0 && options.seconds <= 0;
    if (interrupted() || stopped_.load() || out_of_time) return;   // fit() knows what to do
    const bool steps = find_estimator(options.solver) != nullptr;  // others begin at the constant
    auto found = solve_together(classes, options, graph());
    for (std::size_t k = 0; k < found.size(); ++k) {
      if (!found[k]) continue;
      if (steps) found[k] = keep_from_winning(classes[k].problem, std::move(*found[k]));
      end_class(begin + static_cast<Index>(k), std::move(*found[k]));
    }
  }

  void end_class(Index k, Solution&& solution) {
    solutions_[at(k)] = std::move(solution);
    if (!input_.watch_class) return;
    const std::lock_guard lock(watch_mutex_);
    if (!input_.watch_class(name(k), solutions_[at(k)].summary)) stopped_.store(true);
  }

  const Graph* graph() const { return shared_ ? &*shared_ : input_.graph; }

  SolveOptions options_of(Index k) const {
    SolveOptions options = options_;
    if (options_.start.empty()) return options;
    const auto dim = std::ssize(options_.start) / count();
    options.start.assign(options_.start.begin() + k * dim, options_.start.begin() + (k + 1) * dim);
    return options;
  }

  Solution solve_class(Index k, const Problem& problem, SolveOptions options) {
    const std::optional<Problem> test = test_of(k);
    if (!test && input_.test != nullptr) options.patience = 0;
    options.start = options_of(k).start;
    const OneOutputInput input{graph(), test ? &*test : nullptr};
    return checkpoints_ ? checkpoints_->solve(at(k), problem, options, input) : solve_warm(problem, options, input);
  }

  // Classes, or groups of them, begin in order: those that have not begun share the time that is left, as many at once as
  // run side by side.
  double seconds_for(Index left) const {
    const Index rounds = (left + side_by_side_ - 1) / side_by_side_;
    return (options_.seconds - (wall_now() - started_)) / static_cast<double>(rounds);
  }

  // A class that was cut short may be no better than a constant yet, and win everywhere over those that were fitted.
  Solution keep_from_winning(const Problem& problem, Solution solution) const {
    const Status status = solution.summary.status;
    const bool short_of = was_cut(status) || status == Status::out_of_passes;
    if (!short_of || !options_.start.empty()) return solution;
    Solution constant = without_features(problem, status);
    if (solution.summary.objective < constant.summary.objective) return solution;
    solution.w = std::move(constant.w);
    solution.summary.objective = constant.summary.objective;
    solution.summary.certificate = constant.summary.certificate;
    return solution;
  }

  // No pass over the rows: an interrupt is to end soon. So there is no certificate either.
  Solution without_features(const Problem& problem, Status status) const {
    const Penalty penalty(problem);
    Solution solution;
    solution.w.assign(at(problem.dim()), 0.0);
    const double l2 = problem.has_intercept() ? penalty.l2_of(problem.cols()) : 0.0;
    const ConstantModel model = best_constant(problem, l2);
    if (problem.has_intercept()) solution.w.back() = model.b;
    Summary& summary = solution.summary;
    summary.status = status;
    summary.solver = options_.solver;
    summary.objective = model.loss + penalty.value(std::span<const double>(solution.w));
    summary.certificate = {Certificate::Kind::duality_gap, summary.objective, -std::numeric_limits<double>::infinity(),
                           std::numeric_limits<double>::infinity()};
    return solution;
  }

  const OneVsRestProblem& problem_;
  const SolveOptions& options_;
  const SolveInput& input_;
  int side_by_side_ = 1;
  double started_ = wall_now();
  std::optional<ClassCheckpoints> checkpoints_;
  std::optional<Graph> shared_;
  double graph_seconds_ = 0;
  std::vector<std::string> test_classes_;
  std::vector<Solution> solutions_;
  std::atomic<bool> stopped_{false};
  std::mutex watch_mutex_;
};

constexpr std::size_t kMostAdvice = 6;

// An interrupt concerns the whole run; a diverged class is useless; the others are short of the tolerance.
// In the order of Status: converged, out_of_passes, out_of_time, early_stopped, interrupted, diverged.
int severity(Status status) {
  constexpr int kSeverities[] = {0, 2, 3, 1, 5, 4};
  return kSeverities[static_cast<int>(status)];
}

bool went_better(const Summary& a, const Summary& b) {
  if (severity(a.status) != severity(b.status)) return severity(a.status) < severity(b.status);
  return a.certificate.relative_gap < b.certificate.relative_gap;
}

void add(Certificate& sum, const Certificate& one) {
  sum.primal += one.primal;
  sum.dual += one.dual;
  sum.relative_gap = std::max(sum.relative_gap, one.relative_gap);
  if (one.kind == Certificate::Kind::prox_gradient) sum.kind = one.kind;
}

// What is kept under a name, which is added where it is not there.
template <class T>
T& entry(std::vector<std::pair<std::string, T>>& list, const std::string& name) {
  for (auto& [known, value] : list)
    if (known == name) return value;
  return list.emplace_back(name, T{}).second;
}

// Why a stage ended is said with the number of classes, unless it is the same for all.
std::vector<Stage> merge_stages(std::span<const Summary> summaries) {
  struct Sum {
    double seconds = 0;
    Index iterations = 0;
    std::vector<std::pair<std::string, Index>> ends;
  };
  std::vector<std::pair<std::string, Sum>> sums;
  for (const Summary& summary : summaries)
    for (const Stage& one : summary.stages) {
      Sum& sum = entry(sums, one.name);
      sum.seconds += one.seconds;
      sum.iterations += one.iterations;
      ++entry(sum.ends, one.ended);
    }
  std::vector<Stage> stages;
  for (const auto& [name, sum] : sums) {
    std::vector<std::string> counted;
    for (const auto& [why, times] : sum.ends) counted.push_back(fmt::format("{}: {}", why, times));
    stages.push_back({name, sum.seconds, sum.iterations, counted.size() == 1 ? sum.ends[0].first : join(counted)});
  }
  return stages;
}

// What all classes are told is said once; what some are told, with their names, the class that went worst first. How far
// from the tolerance a class stopped is told of the worst alone.
std::vector<Advice> merge_advice(std::span<const std::string> classes, std::span<const Summary> summaries,
                                 std::size_t worst) {
  const auto is_told = [](const Summary& summary, const Advice& one) {
    return std::find(summary.advice.begin(), summary.advice.end(), one) != summary.advice.end();
  };
  std::vector<Advice> told = summaries[worst].advice;
  for (const Summary& summary : summaries)
    for (const Advice& one : summary.advice)
      if (one.code != AdviceCode::stopped_short && std::find(told.begin(), told.end(), one) == told.end())
        told.push_back(one);
  std::vector<Advice> advice;
  for (const Advice& one : told) {
    if (advice.size() == kMostAdvice) {
      const std::size_t further = told.size() - kMostAdvice;
      advice.push_back({AdviceCode::further_classes,
                        fmt::format("{} more of the kind, for single classes", further),
                        {{"further", static_cast<double>(further)}}});
      break;
    }
    advice.push_back(one);
    for (std::size_t k = 0; k < summaries.size(); ++k)
      if (is_told(summaries[k], one)) advice.back().classes.push_back(classes[k]);
    if (advice.back().classes.size() == summaries.size()) advice.back().classes.clear();
  }
  const auto unfinished = std::count_if(summaries.begin(), summaries.end(), [](const Summary& summary) {
    return summary.status != Status::converged && summary.status != Status::early_stopped;
  });
  if (unfinished > 0 && summaries.size() > 1)
    advice.push_back(
        {AdviceCode::unfinished_classes,
         fmt::format("{} of {} classes did not reach the tolerance", unfinished, summaries.size()),
         {{"unfinished", static_cast<double>(unfinished)}, {"classes", static_cast<double>(summaries.size())}}});
  return advice;
}

}  // namespace

Solution solve_one_vs_rest(const OneVsRestProblem& problem, const SolveOptions& options, const SolveInput& input) {
  return Fits(problem, options, input).run();
}

Summary merge_summaries(std::span<const std::string> classes, std::span<const Summary> summaries) {
  const auto worst = std::max_element(summaries.begin(), summaries.end(), went_better);
  Summary whole;
  whole.status = worst->status;
  whole.solver = worst->solver;
  whole.step = worst->step;
  whole.inner = worst->inner;
  for (const Summary& one : summaries) {
    add(whole.certificate, one.certificate);
    for (const auto part : {&Summary::objective, &Summary::graph_seconds, &Summary::solve_seconds,
                            &Summary::evaluate_seconds, &Summary::cpu_seconds, &Summary::passes})
      whole.*part += one.*part;
    whole.iterations += one.iterations;
    whole.surrogate_gap = std::max(whole.surrogate_gap, one.surrogate_gap);
  }
  whole.stages = merge_stages(summaries);
  whole.advice = merge_advice(classes, summaries, at(worst - summaries.begin()));
  return whole;
}

Solution merge_solutions(std::span<const std::string> classes, std::vector<Solution> solutions) {
  Solution whole;
  std::vector<Summary> summaries;
  for (std::size_t k = 0; k < solutions.size(); ++k) {
    Solution& one = solutions[k];
    whole.w.insert(whole.w.end(), one.w.begin(), one.w.end());
    for (TraceRow& row : one.trace) {
      row.stage = classes[k] + ": " + row.stage;
      whole.trace.push_back(std::move(row));
    }
    summaries.push_back(std::move(one.summary));
  }
  whole.summary = merge_summaries(classes, summaries);
  whole.summary.classes = std::move(summaries);
  return whole;
}

}  // namespace s3gd
