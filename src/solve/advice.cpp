#include "solve/advice.hpp"

#include <fmt/format.h>

#include <cmath>

namespace s3gd {
namespace {

void advise_on_divergence(const Problem& problem, const SolveOptions& options, Summary& summary) {
  const double safe = theory(problem, options.batch, options.seed).suggested_step;
  summary.advice.push_back(
      fmt::format("the run diverged at step {:.3g}; the best iterate before that was kept. Leave --step out, or try "
                  "{:.3g} (1/L(p), the expected smoothness of a mini-batch)",
                  summary.step, std::min(safe, summary.step / 10)));
}

void advise_on_budget(const SolveOptions& options, Summary& summary) {
  summary.advice.push_back(fmt::format(
      "stopped after {:.3g} passes at a relative gap of {:.2g}, short of the tolerance {:.2g}: {}", summary.passes,
      summary.certificate.relative_gap, options.tol,
      options.solver == "auto" ? "allow more --seconds or --passes"
                               : "stochastic steps of constant size stop at a floor; --solver auto finishes exactly, "
                                 "a smaller --step or more --passes get closer"));
}

}  // namespace

void add_advice(const Problem& problem, const SolveOptions& options, Summary& summary) {
  if (summary.status == Status::diverged) advise_on_divergence(problem, options, summary);
  if (summary.status == Status::out_of_passes || summary.status == Status::out_of_time)
    advise_on_budget(options, summary);
  if (problem.spec().penalty.kind == PenaltyKind::none && summary.status != Status::converged)
    summary.advice.push_back(
        "there is no penalty: on separable classes the weights grow without end; give --penalty l2 with a small "
        "--lambda");
}

}  // namespace s3gd
