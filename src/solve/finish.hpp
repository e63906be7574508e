// The exact part of a run: a finisher from wherever the parameters are, after one that got stuck the last in line, which
// suits everything, and the last word on where that ended. The same for one output, for one class of several fitted
// together and for softmax: what they are stands behind the finisher's function and the journal's.
#pragma once

#include <functional>

#include "solve/checkpoint.hpp"
#include "solve/journal.hpp"

namespace s3gd {

// A finisher bound to its problem.
struct BoundFinisher {
  std::string name;
  Index first_segment = 20;  // see solve/finish.cpp
  std::function<Finish(std::uint64_t seed, Index max_iterations, std::vector<double> start, Progress&)> run;
};

template <class AnyProblem>
BoundFinisher bound(const FinisherOf<AnyProblem>& finisher, const AnyProblem& problem, double tol) {
  return {finisher.name, finisher.first_segment,
          [&, tol](std::uint64_t seed, Index max_iterations, std::vector<double> start, Progress& progress) {
            return finisher.run({problem, tol, seed, max_iterations}, std::move(start), progress);
          }};
}

struct ExactPart {
  const SolveOptions& options;
  Journal& journal;
  std::function<BoundFinisher(const std::string& name)> finisher;
  std::string last;                  // name of the one that suits everything
  Checkpoint* checkpoint = nullptr;          // null: none is kept
  std::function<Solution()> begin = nullptr;  // steps of S3GD, for a run that has no start; null: they do not pay
};

// From `start`; from what the checkpoint was left with, where the run is resumed.
Solution finish_with(const ExactPart& part, const std::string& name, std::vector<double> start);
// The same after a finisher that was run elsewhere; its stage is the journal's present one.
Solution finish_after(const ExactPart& part, const std::string& name, Finish finish);

}  // namespace s3gd
