// L-BFGS in the metric of the Hessian's diagonal at the start, for smooth problems of any width: what others use, with
// steps that need no second pass, since the margins at both ends of a step tell where on the way F is least.
#include "exact/methods.hpp"
#include "exact/smooth_search.hpp"

namespace s3gd {
namespace {

constexpr int kMostSteps = 10000;

class Lbfgs final : SmoothSearch {
 public:
  Lbfgs(const FinishInput& input, std::vector<double> start, Progress& progress)
      : SmoothSearch(input, std::move(start), progress) {}

  Finish run() {
    evaluate_all();
    DiagonalMetric metric(problem_, curvatures(), ridge_);
    for (int step = 0; step < kMostSteps; ++step) {
      if (reached(gap())) return take_result();
      if (!full_step(metric) && !try_exact_arithmetic()) break;
    }
    conclude();
    return take_result();
  }
};

}  // namespace

Finish finish_by_lbfgs(const FinishInput& input, std::vector<double> start, Progress& progress) {
  return Lbfgs(input, std::move(start), progress).run();
}

}  // namespace s3gd
