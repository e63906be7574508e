// The same fit as bench/python/overhead.py, called from C++: for each of REPEATS calls a line with its seconds, its
// processor seconds and the objective.
//     bench_overhead FILE.s3d LAMBDA TOL THREADS REPEATS
#include <fmt/core.h>

#include <cstdlib>

#include "base/clock.hpp"
#include "s3gd/dataset.hpp"
#include "s3gd/problem.hpp"
#include "s3gd/solve.hpp"

int main(int count, char** words) {
  using namespace s3gd;
  if (count != 6) return EXIT_FAILURE;
  Dataset data = load(words[1]);
  data.verify();
  data.verifier = nullptr;
  ProblemSpec spec;
  spec.penalty.lambda = std::atof(words[2]);
  spec.threads = std::atoi(words[4]);
  SolveOptions options;
  options.tol = std::atof(words[3]);
  for (int k = std::atoi(words[5]); k > 0; --k) {
    const double wall = wall_now(), cpu = cpu_now();
    const Solution solution = solve(Problem(data, spec), options);
    fmt::print("{:.9f} {:.9f} {:.17g}\n", wall_now() - wall, cpu_now() - cpu, solution.summary.objective);
  }
}
