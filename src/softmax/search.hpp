// What the searches of softmax problems share: when to certify, when to end, and the step from float to double arithmetic.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "base/random.hpp"
#include "model/row_sums.hpp"
#include "softmax/finish.hpp"
#include "softmax/optimality.hpp"

namespace s3gd {

class SoftmaxSearch {
 protected:
  static constexpr double kSufficient = 1e-4;  // of the decrease a step promises
  static constexpr int kMostTrials = 20;       // of one step's length

  struct Point {
    std::vector<double> w, gradient;
    double value = std::numeric_limits<double>::infinity();  // F
    Arithmetic made_in = Arithmetic::data;

    // Differences of F below this are rounding.
    double rounding() const { return (made_in == Arithmetic::data ? 1e-7 : 1e-13) * std::abs(value); }
  };

  SoftmaxSearch(const SoftmaxFinishInput& input, std::vector<double> start, Progress& progress);

  // Certifies where the estimated gap makes that worth it, and tells where the search is. False: it is over.
  bool goes_on(double estimate);
  // After a step that gained nothing. True: the search goes on, in double arithmetic if `again` was called; else it is over.
  template <class Again>
  bool recovers(Again&& again) {
    if (progress_.must_stop()) return true;    // goes_on() will say so
    if (point_.made_in == Arithmetic::data) {  // it may have been rounding
      arithmetic_ = Arithmetic::exact;
      again();
      return true;
    }
    finish_.end = certified(0) ? FinishEnd::converged : FinishEnd::stalled;
    return false;
  }
  // A step of which this relative decrease is expected: float may no longer resolve it.
  void expect_decrease(double decrease);
  // How w and gradient have changed, for memories of past steps.
  struct Change {
    std::vector<double> moved, gradient;
  };
  Change change_to(const Point& next) const;
  void count_passes(double rows) { finish_.passes += rows / static_cast<double>(problem_.rows()); }
  bool certified(double estimate);
  Finish take_result();

  const SoftmaxFinishInput& input_;
  const SoftmaxProblem& problem_;
  Progress& progress_;
  MatrixPenalty penalty_;
  Rng rng_;
  Arithmetic arithmetic_ = Arithmetic::data;
  Point point_;
  Finish finish_;

 private:
  GapWatch watch_;
};

}  // namespace s3gd
