#include "solve/early_stop.hpp"

#include <cmath>

namespace s3gd {
namespace {

constexpr double kProgress = 1e-4;  // relative: what falls by less has stopped falling

}  // namespace

bool EarlyStop::look(std::span<const double> w, double test_objective) {
  const double loss = test_objective - penalty_(w);
  if (loss < least_) {
    least_ = loss;
    best_.assign(w.begin(), w.end());
  }
  const bool progress =
      loss < level_ - kProgress * std::abs(level_) || level_ == std::numeric_limits<double>::infinity();
  if (progress) level_ = loss;
  without_progress_ = progress ? 0 : without_progress_ + 1;
  return without_progress_ >= patience_;
}

}  // namespace s3gd
