// The table of estimators: `s3gd list solvers`, option checks and the loop all read it.
#include "stochastic/control.hpp"

namespace s3gd {

const std::vector<Estimator>& estimator_table() {
  static const std::vector<Estimator> table{
      {.name = "s3gd",
       .summary = "slopes propagated from anchor rows over a graph; the paper's method",
       .inner = 20,
       .needs_graph = true,
       .needs = {&kPropagatedSlope},
       .build_float = make_s3gd_control,
       .build_double = make_s3gd_control},
      {.name = "sgd",
       .summary = "plain mini-batch stochastic gradient",
       .build_float = make_plain_control,
       .build_double = make_plain_control},
      {.name = "ssgd",
       .summary = "one row from each of `batch` k-means strata",
       .sampling = Sampling::stratified,
       .build_float = make_plain_control,
       .build_double = make_plain_control},
      {.name = "svrg",
       .summary = "Prox-SVRG: corrected by the full gradient at a snapshot",
       .inner = 50,
       .build_float = make_svrg_control,
       .build_double = make_svrg_control},
      {.name = "scv",
       .summary = "control variate from the classes' first and second moments; O(d^2) a step",
       .inner = 1,
       .fixed_inner = true,
       .build_float = make_scv_control,
       .build_double = make_scv_control},
      {.name = "saga",
       .summary = "corrected by the slopes each row had when last seen",
       .build_float = make_saga_control,
       .build_double = make_saga_control},
      {.name = "sag",
       .summary = "average of the slopes each row had when last seen (biased)",
       .unbiased = false,
       .step_basis = StepBasis::single_row,
       .build_float = make_sag_control,
       .build_double = make_sag_control},
      {.name = "is-sgd",
       .summary = "SGD with rows drawn by their Lipschitz constant",
       .sampling = Sampling::importance,
       .build_float = make_plain_control,
       .build_double = make_plain_control},
      {.name = "gd",
       .summary = "proximal gradient over all rows (also accelerated)",
       .inner = 1,
       .fixed_inner = true,
       .step_basis = StepBasis::all_rows,
       .build_float = make_gd_control,
       .build_double = make_gd_control},
  };
  return table;
}

const Estimator* find_estimator(const std::string& name) {
  for (const Estimator& estimator : estimator_table())
    if (estimator.name == name) return &estimator;
  return nullptr;
}

}  // namespace s3gd
