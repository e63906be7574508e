// Finishers: methods that take parameters from wherever they are to the tolerance, exactly.
//
// A stochastic stage brings w near the optimum; a finisher, chosen by the shape of the problem, certifies it. To add
// one: a file with a function like those below, one line in finisher_table().
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "problem/needs.hpp"
#include "problem/progress.hpp"
#include "s3gd/problem.hpp"

namespace s3gd {

// Of one output, or of softmax (exact/softmax_finish.hpp).
template <class AnyProblem>
struct FinishInputOf {
  const AnyProblem& problem;
  double tol = 1e-4;  // relative gap, as in Certificate
  std::uint64_t seed = 0;
  Index max_iterations = std::numeric_limits<Index>::max();
};
using FinishInput = FinishInputOf<Problem>;

enum class FinishEnd : std::uint8_t { converged, stopped, stalled };  // stopped: by Progress or max_iterations

struct Finish {
  std::vector<double> w;                                                                 // the best parameters seen
  Certificate certificate = {.relative_gap = std::numeric_limits<double>::quiet_NaN()};  // NaN: not made yet
  FinishEnd end = FinishEnd::stopped;
  Index iterations = 0;
  double passes = 0;
};

// Solves problems over the same rows that differ in their penalty alone, one after the other, each from where the last
// one ended.
class FinishSequence {
 public:
  virtual ~FinishSequence() = default;
  virtual Finish next(const FinishInput& input, Progress& progress) = 0;
};

template <class AnyProblem>
struct FinisherOf {
  std::string name;
  std::string summary;
  std::vector<const NeedOf<AnyProblem>*> needs = {};  // without which it cannot solve a problem at all
  // Whether it is worth being preferred, for one problem or for a sequence of them; null: always.
  bool (*pays)(const AnyProblem& problem, bool for_many) = nullptr;
  // Passes of S3GD that are worth making first; null or 0: it makes its own start from nothing.
  double (*start_passes)(const AnyProblem& problem) = nullptr;
  Finish (*run)(const FinishInputOf<AnyProblem>& input, std::vector<double> start, Progress& progress) = nullptr;
  Index first_segment = 20;  // iterations of the first segment of solve/segments.hpp
  // Null: nothing but the parameters is worth keeping for the next problem.
  std::unique_ptr<FinishSequence> (*sequence)(const AnyProblem& first, std::vector<double> start) = nullptr;
  bool sequence_from_nothing = false;  // a sequence needs no first solution to begin with

  bool suits(const AnyProblem& problem) const { return missing(needs, problem) == nullptr; }
};
using Finisher = FinisherOf<Problem>;

const std::vector<Finisher>& finisher_table();
// The first that suits and pays; there always is one. `for_many`: other penalties will follow.
const Finisher& first_that_suits(const Problem& problem, bool for_many = false);
const Finisher* find_finisher(const std::string& name);

}  // namespace s3gd
