// solve(): a task by the solver of its kind.
#include "data/margin_watch.hpp"
#include "exact/finisher.hpp"
#include "problem/judged_rows.hpp"
#include "s3gd/solve.hpp"
#include "solve/one_vs_rest.hpp"
#include "solve/softmax_solve.hpp"
#include "solve/warm_state.hpp"

namespace s3gd {
namespace {

// Whether every row is first met in a pass that makes margins. Other ways begin with k-means, norms or columns of the rows,
// where numbers that are not finite do harm before anybody notices.
bool begins_with_margins(const Problem& problem, const SolveOptions& options) {
  if (options.solver != "auto" || !options.checkpoint.empty()) return false;
  const Finisher& first = first_that_suits(problem);
  return first.name == "sampled-newton" && first.start_passes(problem) == 0;
}

template <class P>
std::optional<P> test_of(const P& problem, const Dataset* rows) {
  if (rows == nullptr) return std::nullopt;
  return on_rows(problem, *rows);
}

Solution solve_kind(const Problem& problem, const SolveOptions& options, const SolveInput& input) {
  const auto* unseen = dynamic_cast<const MarginWatch*>(problem.data().verifier.get());
  const int threads = problem.spec().threads;
  if (unseen != nullptr && !begins_with_margins(problem, options)) unseen->insist(threads);
  const std::optional<Problem> test = test_of(problem, input.test);
  Solution solution = solve_warm(problem, options, {input.graph, test ? &*test : nullptr, input.watch});
  if (unseen != nullptr) unseen->insist(threads);
  return solution;
}

Solution solve_kind(const OneVsRestProblem& problem, const SolveOptions& options, const SolveInput& input) {
  return solve_one_vs_rest(problem, options, input);
}

Solution solve_kind(const SoftmaxProblem& problem, SolveOptions options, const SolveInput& input) {
  const std::optional<SoftmaxProblem> test = test_of(problem, input.test);
  if (static_cast<Index>(options.start.size()) == problem.dim())  // of another size it is refused
    options.start = feature_by_feature(problem, options.start);
  Solution solution = solve_softmax(problem, options, {input.graph, test ? &*test : nullptr, input.watch});
  solution.w = class_by_class(problem, solution.w);
  return solution;
}

}  // namespace

Solution solve(const Task& task, const SolveOptions& options, const SolveInput& input) {
  std::optional<JudgedRows> judged;
  if (input.test != nullptr) judged = task.judged(*input.test);
  SolveInput known = input;
  known.test = judged ? &judged->rows : nullptr;
  return std::visit([&](const auto& problem) { return solve_kind(problem, options, known); }, task.stated());
}

}  // namespace s3gd
