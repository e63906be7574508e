// The table of softmax finishers.
#include <algorithm>

#include "exact/softmax_finish.hpp"
#include "problem/matrix_penalty.hpp"

namespace s3gd {
namespace {

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

const SoftmaxFinisher* find_softmax_finisher(const std::string& name) {
  for (const SoftmaxFinisher& finisher : softmax_finisher_table())
    if (finisher.name == name) return &finisher;
  return nullptr;
}

}  // namespace s3gd
