// The reference solver as a finisher: nothing sampled, nothing approximated. Last in line, for what no other suits.
#include <algorithm>

#include "exact/methods.hpp"

namespace s3gd {

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
