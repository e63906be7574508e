#include "work.hpp"

#include <unistd.h>

#include <chrono>
#include <system_error>
#include <thread>

namespace s3gd::python {
namespace {

constexpr std::chrono::milliseconds kBetweenLooks{50};

// Python runs the handlers of signals there and nowhere else.
bool is_main_thread() {
  const nb::object threading = nb::module_::import_("threading");
  return threading.attr("main_thread")().attr("ident").equal(threading.attr("get_ident")());
}

// Around a call that may take the interpreter's lock. Is the thread ended within, its stack is unwound to here and no
// further, and the work is told to stop.
class ThreadEndGuard {
 public:
  explicit ThreadEndGuard(StopFlag& stop) : stop_(stop) {}
  ThreadEndGuard(const ThreadEndGuard&) = delete;
  ThreadEndGuard& operator=(const ThreadEndGuard&) = delete;
  ~ThreadEndGuard() {
    if (dismissed_) return;
    stop_.store(true);
    for (;;) pause();
  }
  void dismiss() { dismissed_ = true; }

 private:
  StopFlag& stop_;
  bool dismissed_ = false;
};

}  // namespace

void Work::enter(PyThreadState* state) {
  ThreadEndGuard guard(stop_);
  PyEval_RestoreThread(state);
  guard.dismiss();
}

Work::Work(OnInterrupt on_interrupt) : on_interrupt_(on_interrupt), in_main_thread_(is_main_thread()) {}

void Work::run(const std::function<void()>& body) {
  PyThreadState* state = PyEval_SaveThread();
  std::thread worker;
  try {
    worker = std::thread([&] { work(body); });
  } catch (const std::system_error&) {
    enter(state);
    throw;
  }
  {
    std::unique_lock lock(mutex_);
    while (!done_) serve(lock, state);
  }
  worker.join();
  enter(state);
  if (raised_) throw nb::python_error(std::move(*raised_));
  if (trouble_) std::rethrow_exception(trouble_);
  if (failure_) std::rethrow_exception(failure_);
}

void Work::work(const std::function<void()>& body) {
  const StopScope scope(&stop_);
  try {
    body();
  } catch (...) {
    failure_ = std::current_exception();
  }
  const std::lock_guard lock(mutex_);
  done_ = true;
  changed_.notify_all();
}

// Other threads than the main one take the interpreter's lock for requests only.
void Work::serve(std::unique_lock<std::mutex>& lock, PyThreadState*& state) {
  const auto called = [this] { return done_ || (request_ != nullptr && !answer_); };
  if (in_main_thread_)
    changed_.wait_for(lock, kBetweenLooks, called);
  else
    changed_.wait(lock, called);
  if (done_) return;
  const std::function<bool()>* request = answer_ ? nullptr : request_;
  lock.unlock();
  bool go_on = false;
  enter(state);
  try {
    go_on = request != nullptr && (*request)();
  } catch (nb::python_error& error) {
    error.restore();
    take_error();
  } catch (const std::exception&) {
    stop_.store(true);
    trouble_ = std::current_exception();
  }
  if (in_main_thread_ && PyErr_CheckSignals() != 0) take_error();
  state = PyEval_SaveThread();
  lock.lock();
  if (request == nullptr) return;
  answer_ = go_on && !stop_.load();
  changed_.notify_all();
}

bool Work::tell(const nb::object& callback, const std::function<nb::object()>& row) {
  const std::function<bool()> request = [&] {
    const nb::object told = row();
    ThreadEndGuard guard(stop_);
    PyObject* const answer = PyObject_CallOneArg(callback.ptr(), told.ptr());
    guard.dismiss();
    if (answer == nullptr) throw nb::python_error();
    return !nb::steal(answer).is(nb::handle(Py_False));
  };
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return request_ == nullptr; });
  request_ = &request;
  changed_.notify_all();
  changed_.wait(lock, [this] { return answer_.has_value(); });
  const bool answer = *answer_;
  answer_.reset();
  request_ = nullptr;
  changed_.notify_all();
  return answer;
}

// Ctrl-C during a callback is raised there, and means the same.
void Work::take_error() {
  stop_.store(true);
  const bool kept = on_interrupt_ == OnInterrupt::keep && PyErr_ExceptionMatches(PyExc_KeyboardInterrupt) != 0;
  if (kept || raised_)
    PyErr_Clear();
  else
    raised_.emplace();
}

}  // namespace s3gd::python
