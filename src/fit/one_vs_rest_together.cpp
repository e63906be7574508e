#include "fit/one_vs_rest_together.hpp"

#include <algorithm>
#include <cmath>
#include <deque>

#include "base/interrupt.hpp"
#include "finish/dual_ascent.hpp"
#include "finish/finisher.hpp"
#include "model/penalty.hpp"
#include "ovr/newton.hpp"
#include "solve/advice.hpp"
#include "solve/journal.hpp"

namespace s3gd {
namespace {

constexpr Index kMostTogether = 32;
constexpr Index kFewestTogether = 3;
constexpr Index kBytes = Index{1} << 30;  // what the classes keep of the rows
constexpr Index kBytesPerRow = 40;        // and class: targets, curvatures, margins

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

// Without features: the best intercept.
std::vector<double> constant_start(const Problem& problem) {
  const Penalty penalty(problem.spec().penalty, problem.cols(), problem.spec().intercept);
  std::vector<double> w(at(problem.dim()), 0.0);
  if (problem.has_intercept()) w.back() = best_constant(problem, penalty.l2_of(problem.cols())).b;
  return w;
}

// After the search over all classes: the exact finisher for one that got stuck, and the status.
Solution conclude(Finish finish, const Problem& problem, const SolveOptions& options, Journal& journal) {
  journal.end_stage(finish.iterations, finish.passes, journal.why(finish.end));
  if (finish.end == FinishEnd::stalled) {
    const Finisher* exact = find_finisher("newton");
    FinishInput input{problem, options.tol, options.seed};
    if (options.iterations > 0) input.max_iterations = std::max<Index>(1, options.iterations - journal.iterations());
    journal.begin_stage(exact->name);
    finish = exact->run(input, std::move(finish.w), journal);
    journal.end_stage(finish.iterations, finish.passes, journal.why(finish.end));
  }
  if (std::isnan(finish.certificate.relative_gap)) finish.certificate = certify(problem, finish.w);
  Status status = Status::out_of_passes;
  if (finish.certificate.relative_gap <= options.tol)
    status = Status::converged;
  else if (finish.end == FinishEnd::stopped && journal.must_stop())
    status = interrupted() ? Status::interrupted : journal.stopped_by();
  return journal.close(std::move(finish.w), status, finish.certificate);
}

}  // namespace

Index classes_together(const Problem& like, const SolveOptions& options, Index classes) {
  const bool plain = options.solver == "auto" && options.checkpoint.empty() && options.patience == 0;
  if (!plain || first_that_suits(like).name != "sampled-newton") return 1;
  const Index most = std::min({classes, kMostTogether, kBytes / (kBytesPerRow * like.rows())});
  return most < kFewestTogether ? 1 : most;
}

void solve_together(std::span<const ClassToFit> classes, const SolveOptions& options,
                    const std::function<void(Index k, Solution&&)>& take) {
  const auto count = static_cast<double>(classes.size());
  std::deque<Journal> journals;
  std::vector<Progress*> progress;
  std::vector<Problem> problems;
  std::vector<std::vector<double>> starts;
  bool anew = true;
  for (const ClassToFit& one : classes) {
    SolveInput extra;
    extra.test = one.test ? &*one.test : nullptr;
    problems.push_back(one.problem);
    progress.push_back(&journals.emplace_back(one.problem, options, extra));
    journals.back().begin_stage("joint-newton");
    starts.push_back(one.start.empty() ? constant_start(one.problem) : one.start);
    anew = anew && one.start.empty();
  }
  TogetherInput search{.problems = problems, .tol = options.tol, .seed = options.seed, .climbs = anew};
  if (options.iterations > 0) search.max_iterations = options.iterations;
  std::vector<Finish> finishes = finish_together(search, std::move(starts), progress);
  const SampleReport sample = report_sample(problems[0]);
  for (std::size_t k = 0; k < classes.size(); ++k) {
    Solution one = conclude(std::move(finishes[k]), problems[k], options, journals[k]);
    one.summary.solver = options.solver;
    // The clocks ran for all classes at once: each is told its share.
    one.summary.cpu_seconds /= count;
    for (Stage& stage : one.summary.stages) stage.seconds /= count;
    add_advice(problems[k], options, one, sample);
    take(static_cast<Index>(k), std::move(one));
  }
}

}  // namespace s3gd
