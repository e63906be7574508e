// Newton steps for the smooth problems of several classes over the same rows, all classes in one pass.
//
// Every class has its own point, step length, memory of past steps and certificate; what they share is the reading of the
// rows: the pass (ovr/pass.hpp), the sample of the Hessians (ovr/curvature.hpp) and the factor that preconditions them.
// A class that expects to be certified rests, and is certified together with the others. From a start without features the
// rows are looked at in samples that grow, so that the first steps cost next to nothing whatever the number of rows.
#pragma once

#include <span>
#include <vector>

#include "finish/finisher.hpp"

namespace s3gd {

struct TogetherInput {
  std::span<const Problem> problems;  // the same rows, loss, penalty and intercept
  double tol = 1e-4;
  std::uint64_t seed = 0;
  Index max_iterations = std::numeric_limits<Index>::max();  // for each class
  bool climbs = true;                                        // over samples that grow, before the first pass
};

// starts and progress: one for each problem. A class that its Progress stops ends where it is.
std::vector<Finish> finish_together(const TogetherInput& input, std::vector<std::vector<double>> starts,
                                    std::span<Progress* const> progress);

}  // namespace s3gd
