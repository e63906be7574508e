// How far a run is from its end, by what its epochs see of it: the distance to the optimum falls by a factor each epoch,
// and the certificate's gap is a multiple of it, guessed until the first certificate.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "s3gd/problem.hpp"

namespace s3gd {

class Forecast {
 public:
  static constexpr int kWindow = 6;               // epochs over which the rate is taken
  static constexpr double kMostEpochs = 60;       // to go at which another method is asked
  static constexpr double kGapOverDistance = 10;  // after an epoch, until a certificate says better

  Forecast(double tol, double objective) : tol_(tol), objective_(objective) {}
  // Of a run like an earlier one: what certificates have said about that, after its first epoch and later.
  Forecast(double tol, const Forecast& earlier)
      : tol_(tol),
        objective_(earlier.objective_),
        multiple_(earlier.multiple_),
        first_(earlier.first_),
        later_(earlier.later_) {}

  void epoch(double distance) {
    std::rotate(last_.begin(), last_.end() - 1, last_.end());
    last_[0] = distance;
    ++epochs_;
    const double known = epochs_ == 1 ? first_ : later_;
    if (known > 0)
      multiple_ = known;
    else if (!calibrated_)
      multiple_ = kGapOverDistance * (epochs_ > 1 ? std::min(1.0, distance / last_[1]) : 0.1);
  }

  bool worth_certifying() const { return epochs_ > 0 && gap() <= tol_; }
  void certified(const Certificate& certificate) {
    objective_ = std::max(std::abs(certificate.primal), std::numeric_limits<double>::min());
    multiple_ = certificate.relative_gap * objective_ / last_[0];
    calibrated_ = true;
    (epochs_ == 1 ? first_ : later_) = multiple_;
  }

  // Too many epochs to go, at the rate of the last few. Also where nothing moves any more, short of the tolerance, and
  // where there are no numbers any more.
  bool slow() const {
    if (!std::isfinite(last_[0])) return true;
    const int span = std::min(kWindow, epochs_ - 1);
    if (span < 5) return last_[0] == 0;
    const double rate = std::log(last_[static_cast<std::size_t>(span)] / last_[0]) / span;
    return !(std::log(gap() / tol_) <= kMostEpochs * rate);
  }

  double gap() const { return multiple_ * last_[0] / objective_; }  // of the certificate, relative, as expected

 private:
  double tol_, objective_;
  std::array<double, kWindow + 1> last_{};
  double multiple_ = 0, first_ = 0, later_ = 0;
  int epochs_ = 0;
  bool calibrated_ = false;
};

}  // namespace s3gd
