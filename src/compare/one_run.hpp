// One run of a comparison, from its place in the plan to its record: when it is looked at, what it will take, runs side by side,
// and the folder finished ones are kept in.
#pragma once

#include <sys/types.h>

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "compare/subject.hpp"
#include "report/run_record.hpp"
#include "s3gd/compare.hpp"

namespace s3gd {

// A run found in a folder goes by the names it has in this plan.
void called_as_in(const RunRecord& plan, RunRecord& found);

// Facts about the machine and the program that ran on it, for run.json.
struct Machine {
  std::string cpu;
  int cores = 0;
  std::uint64_t memory_bytes = 0;
  std::string os, compiler, simd;
};
const Machine& machine_facts();  // looked up once

class RunFolder {
 public:
  explicit RunFolder(std::string folder);  // creates it

  // Null unless a whole run of this key is there, weights included.
  std::optional<RunRecord> load(const std::string& key) const;
  // Weights first: a run that is there is there as a whole. Sets record.weights.
  void store(RunRecord& record, const std::vector<double>& w) const;

  std::string path(const std::string& name) const { return folder_ + "/" + name; }

 private:
  std::string folder_;
};

struct RunTask {
  std::size_t contender = 0;  // of the plan
  StepRule step;
  bool exact = false;  // then the step means nothing
  Index trial = 1;
};

// Of one dataset, in the order in which they are run: trial by trial, and the contenders in turn, so that whatever
// disturbs the machine for a while disturbs all of them.
std::vector<RunTask> tasks_of(const Plan& plan, const Subject& subject);

// When a run is looked at: densely at first, where objectives fall by the iteration, then at regular distances, and at the
// end as often as the mean over the tail needs.
//
//     0, 1, 2, .. each 6 % further than the last     then every 1/50 of the run     20 looks in the last `tail`
//
// Who is first within a tolerance is known to the distance of two looks: 6 % of the time, whenever that is.
// Regular distances have no factor in common with 10, so that looks fall on every part of an inner loop (20 or 50 steps)
// and not always just before its snapshot. Ascending, from 0 to `iterations`. Some 170 of them for long runs with the usual
// growth of 1.06; a larger one leaves looks out where only times or means are wanted.
inline constexpr Index kTailLooks = 20;
std::vector<Index> look_schedule(Index iterations, Index tail, double growth);

SolveOptions options_of(const Plan& plan, const Subject& subject, const RunTask& task);

// 16 hex digits of everything that has a say in the run: version, data, options, when it is looked at, limits, threads.
std::string key_of(const Plan& plan, const Subject& subject, const RunTask& task);

// Seconds a run of `task` will take, looks included: a quarter of a second of it, extrapolated. 0 for exact solvers, which
// cannot be tried in part, and where the trial fails: the run will tell.
double guess_seconds(const Plan& plan, const Subject& subject, const RunTask& task);

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

// Runs side by side, each in a process of its own: processor time is counted by process, and a run that takes the whole
// process down is a failed run and no more.
class Workers {
 public:
  // `done` is called with each run as it ends; `keep_going` some times a second while there is nothing else to do: false
  // ends them all.
  using Done = std::function<void(const RunTask& task, RunRecord record)>;
  Workers(const Plan& plan, const Subject& subject, const RunFolder& folder, Done done,
          std::function<bool()> keep_going)
      : plan_(plan), subject_(subject), folder_(folder), done_(std::move(done)), keep_going_(std::move(keep_going)) {}
  ~Workers();  // ends what still runs
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  // Starts a run as soon as there is room for it. False when it was interrupted.
  bool start(const RunTask& task);
  // Waits for all that were started. False when one was interrupted.
  bool finish();

 private:
  [[noreturn]] void run_child(const RunTask& task) const;
  void wait_for_one();
  void take(const RunTask& task, int status);
  void end_all(int signal) const;

  const Plan& plan_;
  const Subject& subject_;
  const RunFolder& folder_;
  Done done_;
  std::function<bool()> keep_going_;
  std::map<pid_t, RunTask> running_;
  bool interrupted_ = false;
};

}  // namespace s3gd
