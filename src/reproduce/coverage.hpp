// How much of what a figure needs has been run.
#pragma once

#include "compare/results.hpp"
#include "reproduce/experiments.hpp"
#include "reproduce/paper_sets.hpp"

namespace s3gd::reproduce {

struct SetCoverage {
  std::string set;  // as in the results
  Index runs = 0, planned = 0;
  Index trials = 0, of = 0;  // trials that every method has at every step
};

struct Coverage {
  std::vector<SetCoverage> sets;

  Index runs() const;
  Index planned() const;
  bool complete() const { return runs() == planned(); }
  const SetCoverage* find(const std::string& set) const;
  // "5 of 5 trials on IJCNN, Covtype; 2 of 5 on CIFAR10; not run: MED11". Empty when everything was run.
  std::string words() const;
};

Coverage coverage_of(const Experiment& experiment, const std::vector<FoundSet>& sets, const Settings& settings,
                     const Results& results);

// Without the sets on which some method was not yet run at some step: who is first among some says nothing.
Results only_covered(const Results& results, const Coverage& coverage);

}  // namespace s3gd::reproduce
