// Solving problems one after the other that differ in their penalty's strength alone.
#pragma once

#include <memory>

#include "finish/finisher.hpp"
#include "s3gd/solve.hpp"

namespace s3gd {

// What a finisher keeps from one problem for the next.
class Carried {
 public:
  // Goes on from where the last problem ended, or from `start`, when nothing is carried yet.
  Finish finish(const Finisher& finisher, const FinishInput& input, std::vector<double> start, Progress& progress);
  void forget() { sequence_.reset(); }  // the parameters went on without it

 private:
  const Finisher* finisher_ = nullptr;
  std::unique_ptr<FinishSequence> sequence_;
};

// solve(), with what is carried over used where options.start is given.
Solution solve_carrying(const Problem& problem, const SolveOptions& options, const SolveInput& input, Carried* carried);

}  // namespace s3gd
