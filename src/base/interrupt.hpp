// Ctrl-C: long loops ask interrupted() now and then and stop with what they have. A second Ctrl-C kills at once.
//
// A process that runs several fits at once ends one of them by a flag of its own: interrupted() also looks at the flag
// of the StopScope that its thread is in. parallel_for takes the scope along to the threads that help.
#pragma once

#include <atomic>

#include "s3gd/error.hpp"

namespace s3gd {

void catch_interrupts();  // installs the SIGINT and SIGTERM handler; the program calls it, the library never does
bool interrupted();
void request_interrupt(bool on = true);  // of everything in the process
// For tests: as if the signal came when interrupted() is asked for the query-th time from now.
void request_interrupt_at(std::int64_t query);

// What is thrown where Ctrl-C leaves nothing to finish with, such as half a file of rows: the one Error that is nobody's
// mistake. Runs that have something to show return it with Status::interrupted instead.
class Interrupted : public Error {
 public:
  explicit Interrupted(const std::string& what = "interrupted") : Error(what) {}
};

using StopFlag = std::atomic<bool>;

class StopScope {
 public:
  explicit StopScope(const StopFlag* flag);  // null: none
  ~StopScope();
  StopScope(const StopScope&) = delete;
  StopScope& operator=(const StopScope&) = delete;

  static const StopFlag* current();  // of this thread

 private:
  const StopFlag* outer_;
};

}  // namespace s3gd
