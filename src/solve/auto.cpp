#include "solve/auto.hpp"

#include <algorithm>
#include <cmath>

#include "base/interrupt.hpp"
#include "finish/finisher.hpp"
#include "solve/journal.hpp"
#include "solve/legs.hpp"
#include "solve/run.hpp"

namespace s3gd {
namespace {

// A short run of S3GD over fresh rows: nothing is evaluated on the way unless a trace is asked for.
Solution stochastic_start(const Problem& problem, const SolveOptions& options, const SolveInput& input, double passes) {
  SolveOptions stage = options;
  stage.solver = "s3gd";
  stage.passes = options.passes > 0 ? std::min(options.passes, passes) : passes;
  stage.tol = 0;
  stage.patience = 0;  // the finish is watched
  return run_estimator({problem, stage, input, true, options.trace_every == 0 && !input.watch});
}

// The best on the validation rows, where the run stops by those and has not converged.
void prefer_best_on_validation(const Problem& problem, const SolveOptions& options, const Journal& journal,
                               Finish& finish) {
  if (journal.best_on_validation().empty() || finish.certificate.relative_gap <= options.tol) return;
  finish.w = journal.best_on_validation();
  finish.certificate = certify(problem, finish.w);
}

// Runs the finisher, and after one that got stuck the exact one, which always suits.
Solution finish_with(const Finisher& first, const Problem& problem, const SolveOptions& options,
                     std::vector<double> start, Journal& journal, Carried* carried, Checkpoint* checkpoint) {
  const Finisher* finisher = &first;
  if (start.empty() && !finisher->sequence_from_nothing) carried = nullptr;
  Archive* resumed = checkpoint != nullptr ? checkpoint->resumed() : nullptr;
  if (resumed != nullptr) {
    std::string name;
    (*resumed)(name, journal);
    finisher = find_finisher(name);
  }
  for (;; resumed = nullptr) {
    FinishInput input{problem, options.tol, options.seed};
    if (options.iterations > 0) input.max_iterations = std::max<Index>(1, options.iterations - journal.iterations());
    if (resumed == nullptr) journal.begin_stage(finisher->name);
    Finish finish;
    if (checkpoint != nullptr)
      finish = run_in_legs(*finisher, input, std::move(start), journal, *checkpoint, resumed);
    else if (carried != nullptr)
      finish = carried->finish(*finisher, input, std::move(start), journal);
    else
      finish = finisher->run(input, std::move(start), journal);
    if (finish.end == FinishEnd::stalled && journal.must_stop()) finish.end = FinishEnd::stopped;  // cut within a step
    journal.end_stage(finish.iterations, finish.passes, journal.why(finish.end));
    const Finisher* last = find_finisher("newton");
    if (finish.end == FinishEnd::stalled && finisher != last) {
      finisher = last;
      start = std::move(finish.w);
      if (carried != nullptr) carried->forget();
      continue;
    }
    if (std::isnan(finish.certificate.relative_gap)) finish.certificate = certify(problem, finish.w);
    const bool stopped = finish.end == FinishEnd::stopped && journal.must_stop();
    prefer_best_on_validation(problem, options, journal, finish);
    Status status = Status::out_of_passes;
    if (finish.certificate.relative_gap <= options.tol)
      status = Status::converged;
    else if (stopped)
      status = interrupted() ? Status::interrupted : journal.stopped_by();
    return journal.close(std::move(finish.w), status, finish.certificate);
  }
}

}  // namespace

Solution solve_auto(const Problem& problem, const SolveOptions& options, const SolveInput& input, Carried* carried,
                    Checkpoint* checkpoint) {
  Journal journal(problem, options, input);
  const Finisher& finisher = first_that_suits(problem, carried != nullptr);
  std::vector<double> start = options.start;
  const double passes = finisher.start_passes == nullptr ? 0 : finisher.start_passes(problem);
  const bool resumes = checkpoint != nullptr && checkpoint->resumed() != nullptr;
  if (start.empty() && passes > 0 && !resumes) {
    Solution first = stochastic_start(problem, options, input, passes);
    const Status status = first.summary.status;
    if (status == Status::interrupted || status == Status::out_of_time) {
      first.summary.solver = "auto";
      first.summary.certificate = certify(problem, first.w);
      first.summary.objective = first.summary.certificate.primal;
      return first;
    }
    if (status != Status::diverged) start = first.w;
    journal.append(std::move(first));
    journal.begin_stage("s3gd");
    if (!start.empty())
      journal.moved(start, 0, std::nan(""), std::nan(""));  // the average, which the stage's trace lacks
  }
  Solution solution = finish_with(finisher, problem, options, std::move(start), journal, carried, checkpoint);
  solution.summary.solver = "auto";
  return solution;
}

Solution solve_by_finisher(const std::string& name, const Problem& problem, const SolveOptions& options,
                           const SolveInput& input, Carried* carried, Checkpoint* checkpoint) {
  Journal journal(problem, options, input);
  Solution solution = finish_with(*find_finisher(name), problem, options, options.start, journal, carried, checkpoint);
  solution.summary.solver = name;
  return solution;
}

}  // namespace s3gd
