#include "compare/workers.hpp"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "base/interrupt.hpp"
#include "s3gd/error.hpp"

namespace s3gd {
namespace {

enum Ended : int { kStored = 0, kInterrupted = 130, kBroken = 1 };

std::string how_it_ended(int status) {
  if (WIFSIGNALED(status)) return fmt::format("the run's process was ended by signal {}", WTERMSIG(status));
  return fmt::format("the run's process ended with code {}", WEXITSTATUS(status));
}

}  // namespace

Workers::Workers(const Plan& plan, const Subject& subject, const RunFolder& folder, Done done)
    : plan_(plan), subject_(subject), folder_(folder), done_(std::move(done)) {}

Workers::~Workers() {
  for (const auto& [pid, task] : running_) kill(pid, SIGKILL);
  for (const auto& [pid, task] : running_) waitpid(pid, nullptr, 0);
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
  if (interrupted_ || interrupted()) return false;
  const pid_t pid = fork();
  if (pid < 0) throw Error("cannot start a process for a run", "try fewer --jobs");
  if (pid == 0) run_child(task);
  running_.emplace(pid, task);
  return true;
}

bool Workers::finish() {
  while (!running_.empty()) wait_for_one();
  return !interrupted_;
}

void Workers::wait_for_one() {
  int status = 0;
  const pid_t pid = waitpid(-1, &status, 0);
  if (pid < 0 && errno == EINTR) return;
  const auto found = running_.find(pid);
  if (found == running_.end()) {
    if (pid < 0) running_.clear();  // somebody else has waited for them
    return;
  }
  const RunTask task = found->second;
  running_.erase(found);
  const bool exited = WIFEXITED(status);
  if (interrupted() || (exited && WEXITSTATUS(status) == kInterrupted)) interrupted_ = true;
  if (exited && WEXITSTATUS(status) == kInterrupted) return;
  RunRecord record = blank_record(plan_, subject_, task);
  if (auto stored = folder_.load(record.key); stored && exited && WEXITSTATUS(status) == kStored) {
    stored->dataset = record.dataset;
    stored->label = record.label;
    stored->trial = record.trial;
    done_(task, *std::move(stored));
    return;
  }
  if (interrupted_) return;
  record.status = "failed";
  record.error = how_it_ended(status);
  done_(task, std::move(record));
}

}  // namespace s3gd
