// The table of finishers. Order is preference among those that suit: auto takes the first, so those after newton, which
// suits everything, have to be asked for.
#include <algorithm>

#include "exact/finisher.hpp"
#include "problem/matrix_penalty.hpp"

namespace s3gd {

const std::vector<Finisher>& finisher_table() {
  static const std::vector<Finisher> table{
      {.name = "gram",
       .summary = "no rows but for the products of columns: squared loss, few columns",
       .needs = {&kQuadraticLoss, &kFewColumns, &kSimplePenalty},
       .pays = gram_pays,
       .run = finish_by_gram,
       .sequence = gram_sequence,
       .sequence_from_nothing = true},
      {.name = "active-set",
       .summary = "prox-Newton with active sets, for penalties with a 1-norm",
       .needs = {&kOneNorm},
       .run = finish_by_active_set,
       .sequence = active_set_sequence},
      {.name = "sampled-newton",
       .summary = "quasi-Newton in the metric of a sampled Hessian",
       .needs = {&kSmoothPenalty, &kCheapFactor},
       .start_passes = start_of_sampled_newton,
       .run = finish_by_sampled_newton,
       .sequence = sampled_newton_sequence},
      {.name = "dual",
       .summary = "dual coordinate ascent: l2 with sparse rows, however wide",
       .needs = {&kBoundedCurvature, &kSparseRows, &kRidgeAlone, &kLooseRows},
       .run = finish_by_dual_ascent,
       .sequence = dual_ascent_sequence},
      {.name = "newton",
       .summary = "Newton, Newton-CG or prox-Newton over all rows",
       .run = finish_by_newton,
       .first_segment = 2},  // it remembers nothing, and its iterations are long
      {.name = "lbfgs",
       .summary = "L-BFGS over all rows, scaled by the Hessian's diagonal; smooth penalties",
       .needs = {&kSmoothPenalty},
       .run = finish_by_lbfgs},
  };
  return table;
}

const Finisher& first_that_suits(const Problem& problem, bool for_many) {
  const auto& table = finisher_table();
  return *std::find_if(table.begin(), table.end(), [&](const Finisher& one) {
    return one.suits(problem) && (one.pays == nullptr || one.pays(problem, for_many));
  });
}

// The table of softmax finishers.

namespace {

template <class Table>
auto find_named(const Table& table, const std::string& name) {
  const auto found = std::find_if(table.begin(), table.end(), [&](const auto& one) { return one.name == name; });
  return found == table.end() ? nullptr : &*found;
}

const NeedOf<SoftmaxProblem> kSmooth{
    "a smooth penalty",
    [](const SoftmaxProblem& problem) { return std::string("the penalty ") + name_of(problem.spec().penalty.kind); },
    "has a kink", [](const SoftmaxProblem& problem) { return MatrixPenalty(problem).smooth(); }};

}  // namespace

const std::vector<SoftmaxFinisher>& softmax_finisher_table() {
  constexpr Index kFirstSegment = 8;  // iterations: a step here is worth several of a finisher of one output
  static const std::vector<SoftmaxFinisher> table{
      {.name = "quasi-newton",
       .summary = "quasi-Newton in the metric of a sampled Hessian (l2 or no penalty)",
       .needs = {&kSmooth},
       .run = finish_by_quasi_newton,
       .first_segment = kFirstSegment},
      {.name = "prox-newton",
       .summary = "proximal quasi-Newton, for any penalty",
       .run = finish_by_prox_newton,
       .first_segment = kFirstSegment},
  };
  return table;
}

const Finisher* find_finisher(const std::string& name) { return find_named(finisher_table(), name); }
const SoftmaxFinisher* find_softmax_finisher(const std::string& name) {
  return find_named(softmax_finisher_table(), name);
}

// The reference solver as a finisher: nothing sampled, nothing approximated. Last in line, for what no other suits.

Finish finish_by_newton(const FinishInput& input, std::vector<double> start, Progress& progress) {
  OptimumOptions options;
  options.tol = input.tol;
  options.start = std::move(start);
  options.max_iterations = std::min<Index>(options.max_iterations, input.max_iterations);
  options.keep_going = [&](std::span<const double> w, const Certificate& certificate) {
    return progress.moved(w, 0, certificate.primal, certificate.relative_gap);
  };
  Optimum optimum = solve_reference(input.problem, options);
  Finish finish;
  finish.w = std::move(optimum.w);
  finish.certificate = optimum.certificate;
  finish.iterations = optimum.iterations;
  if (finish.certificate.relative_gap <= input.tol)
    finish.end = FinishEnd::converged;
  else
    finish.end =
        progress.must_stop() || optimum.iterations >= options.max_iterations ? FinishEnd::stopped : FinishEnd::stalled;
  return finish;
}

}  // namespace s3gd
