#include "solve/one_vs_rest.hpp"

#include <algorithm>
#include <deque>

#include "base/index.hpp"
#include "exact/class_newton.hpp"
#include "problem/certificate.hpp"
#include "problem/constant_model.hpp"
#include "problem/loss.hpp"
#include "problem/penalty.hpp"
#include "solve/advice.hpp"
#include "solve/finish.hpp"
#include "solve/run.hpp"
#include "stochastic/control.hpp"

namespace s3gd {
namespace {

constexpr const char* kStage = "joint-newton";
constexpr Index kMostTogether = 32;       // classes whose margins, slopes and directions share a pass
constexpr Index kMostInOneLoop = 16;      // of a stochastic solver: more classes are further loops, side by side
constexpr Index kFewestTogether = 3;      // with two, one run each is as fast
constexpr Index kBytes = Index{1} << 30;  // what the classes keep of the rows
constexpr Index kBytesPerRow = 40;        // and class: targets, curvatures, margins

// Without features: the best intercept.
std::vector<double> constant_start(const Problem& problem) {
  const Penalty penalty(problem);
  std::vector<double> w(at(problem.dim()), 0.0);
  if (problem.has_intercept()) w.back() = best_constant(problem, penalty.l2_of(problem.cols())).b;
  return w;
}

// Whether the steps of a stochastic solver can be made for several classes at once.
bool steps_suit(const Estimator& estimator, const Problem& like, const SolveOptions& options) {
  // A row weighs differently in every class: no batch is drawn right for all of them.
  if (like.spec().class_weight != ClassWeight::none) return false;
  // What is measured of gradients, the end at a plateau and the restart of a momentum are each class's own.
  if (options.trace_gradients || options.stop_at_plateau || options.accelerated) return false;
  // Moments of a class and of its rest are no other class's: there is nothing to share but the batch.
  if (estimator.name == "scv") return false;
  // Sums over a graph serve all classes where labels have no say in them; sparse rows keep their products with those sums,
  // which costs less than making the drift of several classes anew.
  return !estimator.needs_graph || (Loss(like.spec().loss).separable() && like.x().is_dense());
}

// A run of one loop over several classes, each of which is judged, kept and ended by itself.
class ClassRuns {
 public:
  ClassRuns(std::span<const ClassToFit> classes, const SolveOptions& options)
      : classes_(classes), options_(options), kept_(classes.size()) {}

  // For RunInput: what the loop goes by is the class that is furthest from its tolerance.
  Certificate judge(std::span<const double> w, const TraceRow& where) {
    const auto size = w.size() / classes_.size();
    turn(w, static_cast<Index>(size), own_);
    std::vector<PlaceOfClass> places;
    for (std::size_t k = 0; k < kept_.size(); ++k)
      if (!kept_[k].ended) places.push_back({&classes_[k].problem, std::span(own_).subspan(k * size, size)});
    const std::vector<Certificate> found = certify_together(places);
    Certificate whole{.primal = 0, .dual = 0, .relative_gap = 0};
    for (std::size_t k = 0, open = 0; k < kept_.size(); ++k) {
      const bool ended = kept_[k].ended;
      if (!ended) note(k, places[open].w, found[open], where);
      const Certificate& now = ended ? kept_[k].certificate : found[open++];
      whole.primal += now.primal <= kept_[k].hopeless ? now.primal : std::numeric_limits<double>::infinity();
      whole.relative_gap = std::max(whole.relative_gap, now.relative_gap);
    }
    return whole;
  }

  // What the run as a whole ended with, in the words of one class; nothing where it diverged before the class had ended.
  std::optional<Solution> solution(std::size_t k, const Summary& whole) {
    Kept& kept = kept_[k];
    if (!kept.ended && whole.status == Status::diverged) return std::nullopt;
    Solution one{.w = std::move(kept.w), .summary = whole, .trace = std::move(kept.trace), .rank = {}};
    Summary& summary = one.summary;
    summary.certificate = kept.certificate;
    summary.objective = kept.certificate.primal;
    if (kept.ended) {
      summary.status = Status::converged;
      summary.passes = one.trace.back().passes;
      summary.iterations = one.trace.back().iteration;
      summary.stages.back() = {whole.solver, whole.stages.back().seconds, summary.iterations, "tolerance reached"};
    }
    // The clocks ran for all classes at once: each is told its share.
    const auto count = static_cast<double>(kept_.size());
    for (double* seconds :
         {&summary.cpu_seconds, &summary.solve_seconds, &summary.evaluate_seconds, &summary.graph_seconds})
      *seconds /= count;
    for (Stage& stage : summary.stages) stage.seconds /= count;
    return one;
  }

 private:
  struct Kept {
    std::vector<double> w;  // of the least objective, or within the tolerance
    Certificate certificate;
    bool ended = false;
    double hopeless = 0;  // an objective above this means divergence
    std::vector<TraceRow> trace;
  };

  void note(std::size_t k, std::span<const double> w, const Certificate& now, const TraceRow& where) {
    Kept& kept = kept_[k];
    const ClassToFit& one = classes_[k];
    if (kept.trace.empty()) {
      const double at_zero = one.start.empty() ? now.primal : objective(one.problem, std::vector<double>(w.size()));
      kept.hopeless = 10 * std::max(now.primal, at_zero);
    }
    kept.trace.push_back(where);
    kept.trace.back().train_objective = now.primal;
    kept.trace.back().gap = now.relative_gap;
    kept.trace.back().test_objective = one.test ? objective(*one.test, w) : std::nan("");
    kept.ended = now.relative_gap <= options_.tol;
    if (!kept.ended && !kept.w.empty() && !(now.primal < kept.certificate.primal)) return;
    kept.w.assign(w.begin(), w.end());
    kept.certificate = now;
  }

  std::span<const ClassToFit> classes_;
  const SolveOptions& options_;
  std::vector<Kept> kept_;
  std::vector<double> own_;  // the parameters, class by class
};

// By a stochastic solver: one loop, in which every batch, pass, graph and drift serves all classes.
std::vector<std::optional<Solution>> step_together(std::span<const ClassToFit> classes, const SolveOptions& options,
                                                   const Graph* graph) {
  std::vector<Problem> problems;
  std::vector<double> starts;
  for (const ClassToFit& one : classes) {
    problems.push_back(one.problem);
    starts.insert(starts.end(), one.start.begin(), one.start.end());
  }
  SolveOptions all = options;
  if (!starts.empty()) turn(starts, std::ssize(classes), all.start);
  ClassRuns runs(classes, options);
  const RunInput input{.problem = StochasticProblem(problems),
                       .options = all,
                       .graph = graph,
                       .judge = [&](std::span<const double> w, const TraceRow& where) { return runs.judge(w, where); }};
  const Summary whole = run_estimator(input).summary;
  std::vector<std::optional<Solution>> found;
  for (std::size_t k = 0; k < classes.size(); ++k) found.push_back(runs.solution(k, whole));
  return found;
}

// By Newton's steps, which share their passes.
std::vector<std::optional<Solution>> search_together(std::span<const ClassToFit> classes, const SolveOptions& options) {
  const auto count = static_cast<double>(classes.size());
  std::deque<Journal> journals;
  std::vector<Progress*> progress;
  std::vector<Problem> problems;
  std::vector<std::vector<double>> starts;
  bool anew = true;
  for (const ClassToFit& one : classes) {
    const OneOutputInput extra{nullptr, one.test ? &*one.test : nullptr};
    problems.push_back(one.problem);
    progress.push_back(&journals.emplace_back(one.problem, options, extra));
    journals.back().begin_stage(kStage);
    starts.push_back(one.start.empty() ? constant_start(one.problem) : one.start);
    anew = anew && one.start.empty();
  }
  SearchInput search{.tol = options.tol, .seed = options.seed, .climbs = anew};
  if (options.iterations > 0) search.max_iterations = options.iterations;
  std::vector<Finish> finishes = finish_together(problems, search, std::move(starts), progress);
  std::vector<std::optional<Solution>> found;
  for (std::size_t k = 0; k < classes.size(); ++k) {
    // The exact finisher for one that got stuck.
    const auto bind = [&](const std::string& name) { return bound(*find_finisher(name), problems[k], options.tol); };
    Solution one = finish_after({options, journals[k], bind, "newton"}, kStage, std::move(finishes[k]));
    one.summary.solver = options.solver;
    // The clocks ran for all classes at once: each is told its share.
    one.summary.cpu_seconds /= count;
    for (Stage& stage : one.summary.stages) stage.seconds /= count;
    found.emplace_back(std::move(one));
  }
  return found;
}

}  // namespace

Index classes_together(const Problem& like, const SolveOptions& options, Index classes) {
  // Checkpoints keep, and validation rows stop, one class after the other.
  if (!options.checkpoint.empty() || options.patience > 0) return 1;
  const Estimator* estimator = find_estimator(options.solver);
  const bool suits = estimator != nullptr ? steps_suit(*estimator, like, options)
                                          : options.solver == "auto" && first_that_suits(like).name == "sampled-newton";
  const Index most = std::min({classes, estimator != nullptr ? kMostInOneLoop : kMostTogether,
                               kBytes / (kBytesPerRow * std::max<Index>(1, like.rows()))});
  return !suits || most < kFewestTogether ? 1 : most;
}

std::vector<std::optional<Solution>> solve_together(std::span<const ClassToFit> classes, const SolveOptions& options,
                                                    const Graph* graph) {
  const bool steps = find_estimator(options.solver) != nullptr;
  auto found = steps ? step_together(classes, options, graph) : search_together(classes, options);
  const SampleReport sample = report_sample(classes[0].problem);
  for (std::size_t k = 0; k < classes.size(); ++k)
    if (found[k]) add_advice(classes[k].problem, options, *found[k], sample);
  return found;
}

}  // namespace s3gd
