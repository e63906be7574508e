// Work done without the interpreter's lock, in a thread of its own.
//
// The thread that called from Python waits. If it is Python's main thread, it looks at signals every 50 ms, so that Ctrl-C
// ends the work (the library asks interrupted() often) wherever the work is. And it runs what the work wants to tell
// Python, so that a callback finds itself in its user's thread.
//
// When Python ends, it ends every other thread that asks for its lock, then and there (before 3.14: by unwinding the stack,
// which no destructor on the way expects). A daemon thread caught in a fit stops its work and sleeps until the process is
// gone: see ThreadEndGuard.
#pragma once

#include <nanobind/nanobind.h>

#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>

#include "base/interrupt.hpp"

namespace s3gd::python {

namespace nb = nanobind;

enum class OnInterrupt : bool { raise, keep };  // keep: what the work has by then is its result

class Work {
 public:
  explicit Work(OnInterrupt on_interrupt = OnInterrupt::raise);

  // Runs `body` to its end. Rethrows what it threw, and before that what Python raised meanwhile: a signal's handler
  // (KeyboardInterrupt as a rule) or a request.
  void run(const std::function<void()>& body);

  // From any thread of the work: calls `callback` with what `row` makes, in the thread that called run() and with the
  // interpreter's lock. False when it returned False (anything else is assent) or raised: the work is to end.
  bool tell(const nb::object& callback, const std::function<nb::object()>& row);

 private:
  void work(const std::function<void()>& body);
  void enter(PyThreadState* state);
  void serve(std::unique_lock<std::mutex>& lock, PyThreadState*& state);
  void take_error();  // of Python, the first; ends the work

  OnInterrupt on_interrupt_;
  bool in_main_thread_;
  StopFlag stop_{false};
  std::mutex mutex_;
  std::condition_variable changed_;
  const std::function<bool()>* request_ = nullptr;
  std::optional<bool> answer_;
  bool done_ = false;
  std::exception_ptr failure_, trouble_;  // of the work; of an request, that is not Python's
  std::optional<nb::python_error> raised_;
};

}  // namespace s3gd::python
