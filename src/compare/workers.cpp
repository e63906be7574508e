#include <fmt/core.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <thread>

#include "base/mention.hpp"
#include "compare/one_run.hpp"
#include "s3gd/error.hpp"

namespace s3gd {
namespace {

constexpr std::chrono::milliseconds kPause{20};

enum Ended : int { kStored = 0, kInterrupted = 130, kBroken = 1 };

std::string how_it_ended(int status) {
  if (WIFSIGNALED(status)) return fmt::format("the run's process was ended by signal {}", WTERMSIG(status));
  return fmt::format("the run's process ended with code {}", WEXITSTATUS(status));
}

}  // namespace

Workers::~Workers() {
  end_all(SIGKILL);
  for (const auto& [pid, task] : running_) waitpid(pid, nullptr, 0);
}

void Workers::end_all(int signal) const {
  for (const auto& [pid, task] : running_) kill(pid, signal);
}

// The rest of the program is not the child's: it leaves by _exit whatever happens.
void Workers::run_child(const RunTask& task) const {
  int code = kBroken;
  try {
    RunOutcome outcome = perform(plan_, subject_, task, {});
    if (!outcome.interrupted) folder_.store(outcome.record, outcome.w);
    code = outcome.interrupted ? kInterrupted : kStored;
  } catch (...) {
    code = kBroken;  // a full disk, say
  }
  _exit(code);
}

bool Workers::start(const RunTask& task) {
  while (static_cast<int>(running_.size()) >= plan_.jobs) wait_for_one();
  if (interrupted_) return false;
  const pid_t pid = fork();
  if (pid < 0) throw Error("cannot start a process for a run", "try " + fewer("jobs"));
  if (pid == 0) run_child(task);
  running_.emplace(pid, task);
  return true;
}

bool Workers::finish() {
  while (!running_.empty()) wait_for_one();
  return !interrupted_;
}

// A caught SIGTERM lets a run end in good order; what does not end by it is ended by the destructor.
void Workers::wait_for_one() {
  while (!running_.empty()) {
    for (const auto& [pid, task] : running_) {
      int status = 0;
      if (waitpid(pid, &status, WNOHANG) != pid) continue;
      const RunTask ended = task;
      running_.erase(pid);
      take(ended, status);
      return;
    }
    if (!interrupted_ && !keep_going_()) {
      interrupted_ = true;
      end_all(SIGTERM);
    }
    std::this_thread::sleep_for(kPause);
  }
}

void Workers::take(const RunTask& task, int status) {
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  if (code == kInterrupted) interrupted_ = true;
  RunRecord record = blank_record(plan_, subject_, task);
  auto stored = code == kStored ? folder_.load(record.key) : std::nullopt;
  if (stored) {
    called_as_in(record, *stored);
    done_(task, *std::move(stored));
  } else if (!interrupted_) {
    record.status = "failed";
    record.error = how_it_ended(status);
    done_(task, std::move(record));
  }
}

}  // namespace s3gd
