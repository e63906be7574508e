// The table of estimators: `s3gd list solvers`, option checks and the loop all read it.
#include "stochastic/control.hpp"

namespace s3gd {

const std::vector<Estimator>& estimator_table() {
  // SGD, SSGD and importance-sampled SGD subtract nothing: the sampler alone makes the difference.
  constexpr ControlMaker plain = maker<Control>();
  static const std::vector<Estimator> table{
      {.name = "s3gd",
       .summary = "slopes propagated from anchor rows over a graph; the paper's method",
       .maker = kS3gdControl,
       .needs_graph = true,
       .learns = true,
       .needs = {&kPropagatedSlope}},
      {.name = "sgd", .summary = "plain mini-batch stochastic gradient", .maker = plain},
      {.name = "ssgd",
       .summary = "one row from each of `batch` k-means strata",
       .maker = plain,
       .sampling = Sampling::stratified},
      {.name = "svrg",
       .summary = "Prox-SVRG: corrected by the full gradient at a snapshot",
       .maker = kSvrgControl,
       .inner = 50},
      {.name = "scv",
       .summary = "control variate from the classes' first and second moments; O(d^2) a step",
       .maker = kScvControl,
       .inner = 1,
       .fixed_inner = true,
       .learns = true},
      {.name = "saga", .summary = "corrected by the slopes each row had when last seen", .maker = kSagaControl},
      {.name = "sag",
       .summary = "average of the slopes each row had when last seen (biased)",
       .maker = kSagControl,
       .unbiased = false,
       .step_basis = StepBasis::single_row},
      {.name = "is-sgd",
       .summary = "SGD with rows drawn by their Lipschitz constant",
       .maker = plain,
       .sampling = Sampling::importance},
      {.name = "gd",
       .summary = "proximal gradient over all rows (also accelerated)",
       .maker = kGdControl,
       .inner = 1,
       .fixed_inner = true,
       .step_basis = StepBasis::all_rows},
  };
  return table;
}

const Estimator* find_estimator(const std::string& name) {
  for (const Estimator& estimator : estimator_table())
    if (estimator.name == name) return &estimator;
  return nullptr;
}

}  // namespace s3gd
