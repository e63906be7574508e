// Huber's regression with a scale, which the program does not offer (Python's HuberRegressor does): one fit, its summary as JSON.
//     bench_huber_scale DATA LAMBDA TOL l2|l1
#include <fmt/core.h>

#include <cstdlib>
#include <string_view>

#include "base/clock.hpp"
#include "s3gd/dataset.hpp"
#include "solve/huber_scale.hpp"

int main(int count, char** words) {
  using namespace s3gd;
  if (count != 5) return EXIT_FAILURE;
  const Dataset data = load(words[1]);
  ProblemSpec spec;
  spec.loss = {.kind = LossKind::huber, .knee = 1.35};
  spec.penalty.kind = std::string_view(words[4]) == "l1" ? PenaltyKind::l1 : PenaltyKind::l2;
  spec.penalty.lambda = std::atof(words[2]);
  spec.threads = 1;
  SolveOptions options;
  options.tol = std::atof(words[3]);
  const double started = cpu_now();
  const ScaledSolution found = solve_with_scale(Problem(data, spec), options);
  const Summary& summary = found.solution.summary;
  fmt::print(
      "{{\"status\": \"{}\", \"objective\": {:.17g}, \"scale\": {:.17g}, \"passes\": {:.17g}, \"cpu_seconds\": "
      "{:.9f}}}\n",
      summary.status == Status::converged ? "converged" : "stopped", summary.objective, found.scale, summary.passes,
      cpu_now() - started);
}
