#include "solve/run.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "s3gd/error.hpp"
#include "solve/observer.hpp"
#include "stochastic/control.hpp"
#include "stochastic/loop.hpp"

namespace s3gd {
namespace {

constexpr int kMostRetries = 4;       // of a step that was not the user's own choice
constexpr double kRetryFactor = 0.2;  // of the step that diverged

// What an estimator needs before its first step.
struct Preparation {
  std::optional<Graph> built;
  const Graph* graph = nullptr;
  std::vector<std::int32_t> strata;
  double seconds = 0;
};

GraphOptions graph_options(const RunInput& input) {
  GraphOptions options = input.options.graph;
  options.seed = input.options.seed;
  options.threads = input.problem->threads();
  return options;
}

// Whether the graph grows as rows are visited. Rows drawn by weight may come again before others come at all, and
// never complete it.
bool streams(const RunInput& input, const Estimator& estimator) {
  return estimator.needs_graph && input.graph == nullptr && input.options.graph_mode == GraphMode::streaming &&
         input.options.order != RowOrder::weighted;
}

Preparation prepare(const RunInput& input, const Estimator& estimator) {
  Preparation ready;
  const double started = wall_now();
  const Matrix& x = input.problem->x();
  if (estimator.needs_graph && !streams(input, estimator)) {
    ready.graph = input.graph;
    if (ready.graph == nullptr) {
      ready.built = build_graph(x, graph_options(input));
      ready.graph = &*ready.built;
    }
  }
  if (estimator.sampling == Sampling::stratified)
    ready.strata = make_strata(x, input.options.batch, input.options.seed, input.problem->threads());
  ready.seconds = wall_now() - started;
  return ready;
}

Sampling sampling_of(const RunInput& input, const Estimator& estimator) {
  const RowOrder order = input.options.order;
  if (streams(input, estimator) || order == RowOrder::shuffled) return Sampling::shuffled;
  return order == RowOrder::weighted ? Sampling::weighted : estimator.sampling;
}

// Where a new drift costs O(anchors * d) (sparse rows without the scaled form, or a graph still growing), snapshots are
// spaced so that it stays below the cost of the steps between them.
template <class T>
Index inner_of(const RunInput& input, const Estimator& estimator, const Control<T>& control, IterateForm form) {
  if (estimator.fixed_inner) return 1;
  if (input.options.inner > 0) return input.options.inner;
  const bool growing = control.basis() != nullptr && control.basis()->count == 0;
  const Index vectors = control.drift_vectors();
  const OutputProblem& problem = *input.problem;
  if (vectors == 0 || problem.x().is_dense() || (drifts_for_nothing(problem, form) && !growing))
    return std::min(estimator.inner, control.longest_spacing());
  const double row_cost = static_cast<double>(problem.x().stored()) / static_cast<double>(problem.rows()) + 1;
  const double step_cost = static_cast<double>(input.options.batch) * row_cost;
  const double drift_cost = static_cast<double>(vectors) * static_cast<double>(problem.cols());
  return std::min(std::max(estimator.inner, static_cast<Index>(std::ceil(drift_cost / step_cost))),
                  control.longest_spacing());
}

double automatic_step(const RunInput& input, const Estimator& estimator) {
  Index rows = input.options.batch;
  if (estimator.step_basis == StepBasis::single_row) rows = 1;
  if (estimator.step_basis == StepBasis::all_rows) rows = input.problem->rows();
  Smoothness smoothness = Smoothness::weighted;
  if (sampling_of(input, estimator) == Sampling::shuffled) smoothness = Smoothness::shuffled;
  if (streams(input, estimator)) smoothness = Smoothness::quick;
  return input.problem->automatic_step(smoothness, rows, input.options.seed);
}

// On every set tried a row's own slope leaves less variance than its margin, at the same price.
Propagation propagation_of(const RunInput& input) {
  const Propagation asked = input.options.propagation;
  return asked == Propagation::automatic ? Propagation::slope : asked;
}

// Where a run stands when a step that was too long is given up.
struct Standing {
  std::vector<double> w;  // empty = zero
  Index iteration = 0;
  double rows_drawn = 0;  // passes outside of batches included
  double step = 0;
  Index inner = 0;
  std::vector<double> average;        // of late snapshots; empty unless asked for
  double moment_left = std::nan("");  // see Summary
  int attempt = 0;
  double began = 0;           // this attempt, by the run's clock ..
  Index began_iteration = 0;  // .. and iteration
  std::vector<Stage> stages;

  void state(Archive& a) {
    a(w, iteration, rows_drawn, step, inner, average, moment_left, attempt, began, began_iteration, stages);
  }
};

// Rows after which snapshots are averaged; negative: never.
double average_after(const RunInput& input) {
  const double passes = budget_of(input.options).passes;
  if (!input.average_tail && !(input.offers_average && passes > 0)) return -1;
  return 0.5 * passes * static_cast<double>(input.problem->rows());
}

using Keeper = decltype(LoopOptions::before_snapshot);

// Steps of one size from where the run stands, with everything the estimator keeps made anew.
template <class T>
LoopEnd run_steps(const RunInput& input, const Estimator& estimator, const Preparation& ready, bool keep_good,
                  RunClock& clock, Observer& observer, Rng& rng, Standing& standing, Archive* from) {
  const StochasticProblem& problem = input.problem;
  clock.resume();
  Keeper keeper;
  if (input.checkpoint != nullptr)
    keeper = [&](const auto& loop_state, bool ending) {
      if (!ending && !input.checkpoint->due()) return;
      Archive now;
      now(standing, observer, clock);
      loop_state(now);
      input.checkpoint->save(now);
    };
  const auto control = estimator.build<T>({problem, ready.graph, input.options.accelerated, input.options.control,
                                           graph_options(input), propagation_of(input)});
  const auto sampler = make_sampler(sampling_of(input, estimator), problem, input.options.batch, ready.strata);
  const IterateForm form = chosen_form(*problem, control->drift_vectors());
  const auto iterate = make_iterate<T>(problem, control->basis(), form);
  if (!standing.w.empty()) iterate->assign(standing.w);

  const auto spacing = [&] { return inner_of(input, estimator, *control, form); };
  const LoopOptions loop{.step = standing.step,
                         .decay = input.options.decay,
                         .average_snapshot = input.options.average_snapshot,
                         .urgent = [&] { return observer.urgent(); },
                         .keep_good = keep_good,
                         .stop_at_plateau = input.options.stop_at_plateau,
                         .most_passes = budget_of(input.options).passes,
                         .average_from = average_after(input),
                         .average_last = ends_at_snapshots(input),
                         .spacing = spacing,
                         .before_snapshot = keeper,
                         .resumed = from};
  LoopState<T> state{*iterate, *control, *sampler, spacing(), standing.iteration, standing.rows_drawn, 0, {}, {}, 0};
  const LoopEnd end = run_loop<T>(problem, loop, state, rng, [&](LoopState<T>& now) { return observer.observe(now); });
  if (end == LoopEnd::plateau) observer.observe(state);
  clock.pause();
  if (end == LoopEnd::diverged) observer.diverged();
  standing.iteration = state.iteration;
  standing.rows_drawn = state.rows_drawn + control->extra_passes() * static_cast<double>(problem->rows());
  standing.inner = state.inner;
  standing.moment_left = control->moment_left();
  if (!state.good.empty()) standing.w = std::move(state.good);
  standing.average = std::move(state.average);
  return end;
}

// In the order of Status.
constexpr const char* kEndings[] = {"tolerance reached", "budget used up",
                                    "time used up",      "no more progress on the validation rows",
                                    "interrupted",       "diverged"};

// Of a run that goes on elsewhere, whatever was watched on the way: which point was best is not known blindly.
std::vector<double> result_of(const RunInput& input, const Observer& observer, const Standing& standing) {
  const std::vector<double>&best = observer.best(), &average = standing.average;
  if (observer.has_diverged()) return best;
  if (input.average_tail) return average.empty() ? observer.last() : average;
  if (input.looks != nullptr) return observer.last();
  const bool offered = !average.empty() && observer.status() == Status::out_of_passes;
  return offered && input.problem->objective(average) < observer.objective_of_best() ? average : best;
}

Summary summarise(const RunInput& input, const Estimator& estimator, Observer& observer, const Standing& standing,
                  std::span<const double> w) {
  Summary summary;
  summary.status = observer.status();
  summary.solver = estimator.name;
  const bool seen_from_outside = input.looks != nullptr || input.judge;
  if (!input.blind && !seen_from_outside) summary.certificate = observer.certificate_of(w);
  summary.objective = summary.certificate.primal;
  summary.evaluate_seconds = observer.evaluate_seconds();
  summary.passes = standing.rows_drawn / static_cast<double>(input.problem->rows());
  summary.iterations = standing.iteration;
  summary.step = standing.step;
  summary.inner = standing.inner;
  summary.moment_left = standing.moment_left;
  summary.surrogate_gap = observer.surrogate_gap();
  return summary;
}

}  // namespace

Solution run_estimator(const RunInput& input) {
  const Estimator& estimator = *find_estimator(input.options.solver);
  RunClock clock;
  const Preparation ready = prepare(input, estimator);
  const bool own_step = input.options.step <= 0;
  Standing standing;
  standing.w = input.options.start;
  standing.step = own_step ? automatic_step(input, estimator) : input.options.step;
  if (ready.seconds > 0 && (ready.built || !ready.strata.empty()))
    standing.stages.push_back({ready.strata.empty() ? "graph" : "strata", ready.seconds, 0, "built"});
  clock.pause();  // the observer evaluates the start
  Observer observer(input, estimator.unbiased, clock);
  Rng rng(input.options.seed, 1);
  Archive* from = input.checkpoint != nullptr ? input.checkpoint->resumed() : nullptr;
  if (from != nullptr) (*from)(standing, observer, clock);
  for (;; ++standing.attempt, from = nullptr) {
    if (from == nullptr) {
      standing.began = clock.wall_seconds();
      standing.began_iteration = standing.iteration;
    }
    const auto steps = input.problem->x().precision() == Precision::float32 ? run_steps<float> : run_steps<double>;
    const LoopEnd end = steps(input, estimator, ready, own_step, clock, observer, rng, standing, from);
    standing.stages.push_back({estimator.name, clock.wall_seconds() - standing.began,
                               standing.iteration - standing.began_iteration,
                               end == LoopEnd::plateau ? "plateau" : kEndings[static_cast<int>(observer.status())]});
    if (!own_step || !observer.has_diverged() || standing.attempt == kMostRetries) break;
    standing.step *= kRetryFactor;
  }
  if (observer.best().empty())
    throw Error("the objective is not a finite number at the start", "scale the labels or the features down");
  Solution solution;
  solution.w = result_of(input, observer, standing);
  solution.summary = summarise(input, estimator, observer, standing, solution.w);
  solution.trace = std::move(observer.trace());
  solution.summary.stages = std::move(standing.stages);
  solution.summary.graph_seconds = ready.seconds;
  solution.summary.solve_seconds = clock.wall_seconds() - ready.seconds;
  solution.summary.cpu_seconds = clock.cpu_seconds();
  return solution;
}

Solution run_start(const RunInput& input, double passes) {
  SolveOptions stage = input.options;
  stage.solver = "s3gd";
  stage.passes = stage.passes > 0 ? std::min(stage.passes, passes) : passes;
  stage.tol = 0;
  stage.patience = 0;  // the finish is watched
  // A fraction of a pass is too short for a reference to pay.
  if (stage.propagation == Propagation::automatic) stage.propagation = Propagation::constant;
  Solution start = run_estimator({.problem = input.problem,
                                  .options = stage,
                                  .graph = input.graph,
                                  .test = input.test,
                                  .watch = input.watch,
                                  .average_tail = true,
                                  .blind = stage.trace_every == 0 && !input.watch});
  if (was_cut(start.summary.status)) {
    start.summary.certificate = input.problem->certify(start.w);
    start.summary.objective = start.summary.certificate.primal;
  }
  return start;
}

}  // namespace s3gd
