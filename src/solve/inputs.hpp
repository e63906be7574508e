// What solve() is made of: a solver for each kind of problem, and what they are given.
#pragma once

#include <memory>

#include "exact/finisher.hpp"
#include "s3gd/solve.hpp"

namespace s3gd {

// SolveInput as a solver of one kind of problem sees it: the test rows are that problem over them.
template <class P>
struct InputOf {
  const Graph* graph = nullptr;
  const P* test = nullptr;
  std::function<bool(const TraceRow&)> watch = {};
};
using OneOutputInput = InputOf<Problem>;
using SoftmaxInput = InputOf<SoftmaxProblem>;

// What solve() refuses, for those who solve by other means: throws one Error where the options make no sense.
void check_solve(const Problem& problem, const SolveOptions& options, const OneOutputInput& input);
void check_start(std::span<const double> start, Index dim);  // empty, or so many numbers

// Problems solved one after the other that differ in their penalty's strength alone: what a finisher keeps from one for the next.
class WarmState {
 public:
  // Goes on from where the last problem ended, or from `start`, when nothing is carried yet.
  Finish finish(const Finisher& finisher, const FinishInput& input, std::vector<double> start, Progress& progress) {
    if (finisher.sequence == nullptr) return finisher.run(input, std::move(start), progress);
    if (!sequence_ || finisher_ != &finisher) sequence_ = finisher.sequence(input.problem, std::move(start));
    finisher_ = &finisher;
    return sequence_->next(input, progress);
  }
  void forget() { sequence_.reset(); }  // the parameters went on without it

 private:
  const Finisher* finisher_ = nullptr;
  std::unique_ptr<FinishSequence> sequence_;
};

// What solve() does with one output; what is carried over is used where options.start is given.
Solution solve_warm(const Problem& problem, const SolveOptions& options, const OneOutputInput& input,
                    WarmState* carried = nullptr);

// A run that is looked at at given iterations: for comparisons, where all runs must be seen at the same ones.
//
// Nothing but the clock, the objective and (where asked for) the gradients is looked at: no certificate, which costs as
// much again. A point above the start is no end: large steps begin with a jump. Numbers that overflow are.
struct Schedule {
  std::vector<Index> at;           // ascending; the run's end is looked at as well
  const Problem* judge = nullptr;  // the same problem, for evaluating it on other threads than those that are measured
};

// As solve(), for the estimators of the table; the result is the last point, not the best. Exact solvers are looked at at
// every step of theirs, and are certified: for them this is solve().
Solution solve_on_schedule(const Problem& problem, const SolveOptions& options, const OneOutputInput& input,
                           const Schedule& looks);

// What solve() does with a SoftmaxProblem. Parameters, options.start among them, are as the problem has them: feature by
// feature. Options mean what they mean for one output.
Solution solve_softmax(const SoftmaxProblem& problem, const SolveOptions& options = {}, const SoftmaxInput& input = {});

// A model as the start of another fit: parameters of the (scaled) task that predict what the model predicts.
//
// Takes the scaling out of the model's weights, which apply to raw rows. Where both have feature names, they are matched by
// name, in any order; so are classes. A model of other features, of other classes or of another kind is one Error. An
// intercept the task has no place for is left out.
std::vector<double> start_from(const Model& model, const Task& task, const Scaling& scaling);

}  // namespace s3gd
