#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <mutex>
#include <optional>

#include "base/clock.hpp"
#include "base/interrupt.hpp"
#include "base/threads.hpp"
#include "finish/dual_ascent.hpp"
#include "finish/finisher.hpp"
#include "fit/class_checkpoints.hpp"
#include "fit/one_vs_rest_summary.hpp"
#include "fit/one_vs_rest_together.hpp"
#include "model/penalty.hpp"
#include "model/targets.hpp"
#include "oracle/control.hpp"
#include "s3gd/error.hpp"
#include "s3gd/multiclass.hpp"
#include "solve/check.hpp"

namespace s3gd {
namespace {

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

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
  Fits(const Dataset& data, const ProblemSpec& spec, const SolveOptions& options, const OneVsRestInput& input)
      : data_(data), spec_(spec), options_(options), input_(input) {
    data.verify(spec.threads);
    if (!spec.positive.empty())
      throw Error("one-vs-rest has every class positive once, but one class is named positive",
                  "leave --binary (ProblemSpec::positive) out");
    for (const double value : classes_of(data, spec.loss.kind)) result_.classes.push_back(data.y.name_of(value));
    if (input.test != nullptr)
      for (const double value : input.test->y.distinct()) test_classes_.push_back(input.test->y.name_of(value));
    if (!input.starts.empty() && input.starts.size() != result_.classes.size())
      throw Error(fmt::format("{} starts for {} classes", input.starts.size(), result_.classes.size()),
                  "give one for each class");
    solutions_.resize(result_.classes.size());
    if (!options.checkpoint.empty()) checkpoints_.emplace(data, spec, options, input, result_.classes.size());
    const int threads = resolve_threads(spec.threads);
    // Clocks of processor time see all threads: a trace wants classes one after the other.
    side_by_side_ = count() >= threads && options.trace_every == 0 ? threads : 1;
  }

  OneVsRest run() {
    RunClock clock;
    const Problem first = problem_of(0, data_);
    if (const Index together = classes_together(first, options_, count()); together > 1) {
      fit_together(together);
    } else {
      share_graph(first);
      parallel_for(count(), side_by_side_, [&](Index k) { fit(k); });
    }
    collect();
    Summary& summary = result_.summary;
    summary = merge_summaries(result_.classes, result_.class_summaries);
    if (checkpoints_) checkpoints_->add_trouble_to(summary);
    if (shared_) summary.stages.insert(summary.stages.begin(), {"graph", graph_seconds_, 0, "built"});
    summary.graph_seconds = graph_seconds_ + summary.graph_seconds / side_by_side_;
    summary.evaluate_seconds /= side_by_side_;
    summary.solve_seconds = std::max(0.0, clock.wall_seconds() - summary.graph_seconds - summary.evaluate_seconds);
    summary.cpu_seconds = clock.cpu_seconds();
    return std::move(result_);
  }

 private:
  Index count() const { return static_cast<Index>(result_.classes.size()); }

  // A complete graph depends on the rows alone: one serves all classes. (One that grows is cheap for each of them: it
  // begins with a single anchor.)
  void share_graph(const Problem& like) {
    const bool grows = options_.graph_mode == GraphMode::streaming && options_.order != RowOrder::weighted;
    if (grows || input_.graph != nullptr || !uses_graph(like, options_of(0))) return;
    GraphOptions wanted = options_.graph;
    wanted.seed = options_.seed;
    wanted.threads = spec_.threads;
    const double started = wall_now();
    shared_ = build_graph(data_.x, wanted);
    graph_seconds_ = wall_now() - started;
  }

  Problem problem_of(Index k, const Dataset& data) const {
    ProblemSpec spec = spec_;
    spec.positive = result_.classes[at(k)];
    return Problem(data, spec);
  }

  std::optional<Problem> test_of(Index k) const {
    const bool known = std::count(test_classes_.begin(), test_classes_.end(), result_.classes[at(k)]) > 0;
    if (!known || test_classes_.size() < 2) return std::nullopt;
    return problem_of(k, *input_.test);
  }

  void fit(Index k) {
    Solution& solution = solutions_[at(k)];
    const double cpu_started = seconds_of(CLOCK_THREAD_CPUTIME_ID);
    const Problem problem = problem_of(k, data_);
    SolveOptions options = options_;
    if (options_.seconds > 0) options.seconds = seconds_for(k);
    std::optional<Solution> ended = checkpoints_ ? checkpoints_->ended(at(k)) : std::nullopt;
    if (ended)
      solution = std::move(*ended);
    else if (interrupted() || stopped_.load())
      solution = without_features(problem, Status::interrupted);
    else if (options_.seconds > 0 && options.seconds <= 0)
      solution = without_features(problem, Status::out_of_time);
    else
      solution = keep_from_winning(problem, solve_class(k, problem, options));
    if (side_by_side_ > 1 && !ended) solution.summary.cpu_seconds = seconds_of(CLOCK_THREAD_CPUTIME_ID) - cpu_started;
    if (!input_.watch) return;
    const std::lock_guard lock(watch_mutex_);
    if (!input_.watch(result_.classes[at(k)], solution.summary)) stopped_.store(true);
  }

  // Groups of classes, as many together as suits.
  void fit_together(Index together) {
    side_by_side_ = 1;
    const Index groups = (count() + together - 1) / together;
    for (Index g = 0; g < groups; ++g) {
      const Index begin = count() * g / groups, end = count() * (g + 1) / groups;
      std::vector<ClassToFit> classes;
      for (Index k = begin; k < end; ++k) {
        classes.push_back({problem_of(k, data_), test_of(k), options_of(k).start});
        check_solve(classes.back().problem, options_of(k), {});
      }
      SolveOptions options = options_;
      if (options_.seconds > 0)
        options.seconds = (options_.seconds - (wall_now() - started_)) / static_cast<double>(groups - g);
      const bool out_of_time = options_.seconds > 0 && options.seconds <= 0;
      const bool leaves_out = interrupted() || stopped_.load() || out_of_time;
      for (Index k = begin; k < end && leaves_out; ++k)
        end_class(k, without_features(classes[at(k - begin)].problem,
                                      out_of_time ? Status::out_of_time : Status::interrupted));
      if (leaves_out) continue;
      solve_together(classes, options,
                     [&](Index k, Solution&& solution) { end_class(begin + k, std::move(solution)); });
    }
  }

  void end_class(Index k, Solution&& solution) {
    solutions_[at(k)] = std::move(solution);
    if (input_.watch && !input_.watch(result_.classes[at(k)], solutions_[at(k)].summary)) stopped_.store(true);
  }

  SolveOptions options_of(Index k) const {
    SolveOptions options = options_;
    if (!input_.starts.empty()) options.start = input_.starts[at(k)];
    return options;
  }

  Solution solve_class(Index k, const Problem& problem, SolveOptions options) {
    const std::optional<Problem> test = test_of(k);
    if (!test && input_.test != nullptr) options.patience = 0;
    options.start = options_of(k).start;
    SolveInput input;
    input.graph = shared_ ? &*shared_ : input_.graph;
    input.test = test ? &*test : nullptr;
    return checkpoints_ ? checkpoints_->solve(at(k), problem, options, input) : solve(problem, options, input);
  }

  // Classes begin in order: those that have not begun share the time that is left, as many at once as run side by side.
  double seconds_for(Index k) const {
    const Index rounds = (count() - k + side_by_side_ - 1) / side_by_side_;
    return (options_.seconds - (wall_now() - started_)) / static_cast<double>(rounds);
  }

  // A class that was cut short may be no better than a constant yet, and win everywhere over those that were fitted.
  Solution keep_from_winning(const Problem& problem, Solution solution) const {
    const Status status = solution.summary.status;
    const bool cut = status == Status::interrupted || status == Status::out_of_time || status == Status::out_of_passes;
    if (!cut || !input_.starts.empty()) return solution;
    Solution constant = without_features(problem, status);
    if (solution.summary.objective < constant.summary.objective) return solution;
    solution.w = std::move(constant.w);
    solution.summary.objective = constant.summary.objective;
    solution.summary.certificate = constant.summary.certificate;
    return solution;
  }

  // No pass over the rows: an interrupt is to end soon. So there is no certificate either.
  Solution without_features(const Problem& problem, Status status) const {
    const Penalty penalty(problem.spec().penalty, problem.cols(), problem.spec().intercept);
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

  void collect() {
    for (Index k = 0; k < count(); ++k) {
      Solution& solution = solutions_[at(k)];
      result_.w.push_back(std::move(solution.w));
      for (TraceRow& row : solution.trace) {
        row.stage = result_.classes[at(k)] + ": " + row.stage;
        result_.trace.push_back(std::move(row));
      }
      result_.class_summaries.push_back(std::move(solution.summary));
    }
  }

  const Dataset& data_;
  const ProblemSpec& spec_;
  const SolveOptions& options_;
  const OneVsRestInput& input_;
  int side_by_side_ = 1;
  double started_ = wall_now();
  std::optional<ClassCheckpoints> checkpoints_;
  std::optional<Graph> shared_;
  double graph_seconds_ = 0;
  std::vector<std::string> test_classes_;
  std::vector<Solution> solutions_;
  std::atomic<bool> stopped_{false};
  std::mutex watch_mutex_;
  OneVsRest result_;
};

}  // namespace

OneVsRest solve_one_vs_rest(const Dataset& data, const ProblemSpec& spec, const SolveOptions& options,
                            const OneVsRestInput& input) {
  return Fits(data, spec, options, input).run();
}

}  // namespace s3gd
