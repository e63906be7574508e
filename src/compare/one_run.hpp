// One run of a comparison, from its place in the plan to its record.
#pragma once

#include "compare/record.hpp"
#include "compare/subject.hpp"

namespace s3gd {

struct RunTask {
  std::size_t contender = 0;  // of the plan
  StepRule step;
  bool exact = false;  // then the step means nothing
  Index trial = 1;
};

// Of one dataset, in the order in which they are run: trial by trial, and the contenders in turn, so that whatever
// disturbs the machine for a while disturbs all of them.
std::vector<RunTask> tasks_of(const Plan& plan, const Subject& subject);

SolveOptions options_of(const Plan& plan, const Subject& subject, const RunTask& task);

// 16 hex digits of everything that has a say in the run: version, data, options, when it is looked at, limits, threads.
std::string key_of(const Plan& plan, const Subject& subject, const RunTask& task);

// What a record says before anything is run.
RunRecord blank_record(const Plan& plan, const Subject& subject, const RunTask& task);

struct RunOutcome {
  RunRecord record;
  std::vector<double> w;  // empty where there is nothing to keep
  bool interrupted = false;
};
// Never throws what a run can bring about: that is a record of status failed. `at_look` is called with every look and
// ends the run with false.
RunOutcome perform(const Plan& plan, const Subject& subject, const RunTask& task,
                   const std::function<bool(const TraceRow&)>& at_look);

}  // namespace s3gd
