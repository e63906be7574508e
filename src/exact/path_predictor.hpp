// What Newton's first step misses when a penalty gets weaker step by step.
//
// From the solution at one lambda, Newton's step for the next follows the tangent of the path of solutions; what it
// misses is of second order in the distance h = log(lambda / next lambda), and nearly the same from step to step but for
// h^2. So what the last one missed is added to the next: what is left is of third order.
#pragma once

#include <cmath>
#include <span>
#include <utility>
#include <vector>

namespace s3gd {

class PathPredictor {
 public:
  // Expected of the step from here to this lambda; nothing when that is not known, or too far to tell.
  std::vector<double> towards(double lambda) const {
    const double stretch = std::log(here_ / lambda) / distance_;
    if (missed_.empty() || !(stretch > 0 && stretch <= kFurthest)) return {};
    std::vector<double> expected = missed_;
    for (double& value : expected) value *= stretch * stretch;
    return expected;
  }

  // The solution at this lambda, and where Newton's first step to it went; empty: no step was needed.
  void arrived(double lambda, std::span<const double> aim, std::span<const double> solution) {
    if (aim.empty() && here_ > 0) return;
    missed_.clear();
    if (!aim.empty() && here_ > 0) {
      missed_.assign(solution.begin(), solution.end());
      for (std::size_t j = 0; j < aim.size(); ++j) missed_[j] -= aim[j];
      distance_ = std::log(here_ / lambda);
    }
    here_ = lambda;
  }

 private:
  static constexpr double kFurthest = 3;  // times as far as the last step

  double here_ = 0;      // lambda of the last step
  double distance_ = 0;  // its h
  std::vector<double> missed_;
};

}  // namespace s3gd
