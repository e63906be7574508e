// Runs side by side, each in a process of its own: processor time is counted by process, and a run that takes the whole
// process down is a failed run and no more.
#pragma once

#include <sys/types.h>

#include <functional>
#include <map>

#include "compare/one_run.hpp"

namespace s3gd {

class Workers {
 public:
  // `done` is called with each run as it ends; `keep_going` some times a second while there is nothing else to do: false
  // ends them all.
  using Done = std::function<void(const RunTask& task, RunRecord record)>;
  Workers(const Plan& plan, const Subject& subject, const RunFolder& folder, Done done,
          std::function<bool()> keep_going);
  ~Workers();  // ends what still runs
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  // Starts a run as soon as there is room for it. False when it was interrupted.
  bool start(const RunTask& task);
  // Waits for all that were started. False when one was interrupted.
  bool finish();

 private:
  void run_child(const RunTask& task) const;
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
