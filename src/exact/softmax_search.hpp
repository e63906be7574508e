// What the search for softmax with any penalty stands on: when to certify, when to end, and the step from float to double arithmetic.
#pragma once

#include <vector>

#include "base/random.hpp"
#include "exact/search.hpp"
#include "exact/softmax_finish.hpp"
#include "problem/matrix_penalty.hpp"
#include "problem/optimality.hpp"

namespace s3gd {

class SoftmaxSearch {
 protected:
  using Point = SearchPoint;  // its gradient is that of the loss

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
    finish_.end = certified() ? FinishEnd::converged : FinishEnd::stalled;
    return false;
  }
  bool certified();
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
