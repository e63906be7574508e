// Solving problems one after the other that differ in their penalty's strength alone.
#pragma once

#include <memory>

#include "exact/finisher.hpp"
#include "solve/inputs.hpp"

namespace s3gd {

// What a finisher keeps from one problem for the next.
class WarmState {
 public:
  // Goes on from where the last problem ended, or from `start`, when nothing is carried yet.
  Finish finish(const Finisher& finisher, const FinishInput& input, std::vector<double> start, Progress& progress) {
    if (finisher.sequence == nullptr) return finisher.run(input, std::move(start), progress);
    if (!sequence_ || finisher_ != &finisher) sequence_ = finisher.sequence(input.problem, std::move(start));
    finisher_ = &finisher;
    return sequence_->next(input, progress);
  }
  void forget() { sequence_.reset(); }  // the parameters went on without it

 private:
  const Finisher* finisher_ = nullptr;
  std::unique_ptr<FinishSequence> sequence_;
};

// What solve() does with one output; what is carried over is used where options.start is given.
Solution solve_warm(const Problem& problem, const SolveOptions& options, const OneOutputInput& input,
                    WarmState* carried = nullptr);

}  // namespace s3gd
