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

}  // namespace

Stranded::~Stranded() {
  if (ashore_) return;
  stop_.store(true);
  for (;;) pause();
}

void Work::enter(PyThreadState* state) {
  Stranded meanwhile(stop_);
  PyEval_RestoreThread(state);
  meanwhile.ashore();
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

// Other threads take the interpreter's lock for errands only.
void Work::wait(std::unique_lock<std::mutex>& lock) {
  const auto called = [this] { return done_ || (errand_ != nullptr && !answer_); };
  if (in_main_thread_)
    changed_.wait_for(lock, kBetweenLooks, called);
  else
    changed_.wait(lock, called);
}

void Work::serve(std::unique_lock<std::mutex>& lock, PyThreadState*& state) {
  wait(lock);
  if (done_) return;
  const std::function<bool()>* errand = answer_ ? nullptr : errand_;
  lock.unlock();
  bool go_on = false;
  enter(state);
  try {
    go_on = errand != nullptr && (*errand)();
  } catch (nb::python_error& error) {
    error.restore();
    take_error();
  } catch (const std::exception&) {
    stop_.store(true);
    trouble_ = std::current_exception();
  }
  look_at_signals();
  state = PyEval_SaveThread();
  lock.lock();
  if (errand == nullptr) return;
  answer_ = go_on && !stop_.load();
  changed_.notify_all();
}

bool Work::ask(const std::function<bool()>& errand) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return errand_ == nullptr; });
  errand_ = &errand;
  changed_.notify_all();
  changed_.wait(lock, [this] { return answer_.has_value(); });
  const bool answer = *answer_;
  answer_.reset();
  errand_ = nullptr;
  changed_.notify_all();
  return answer;
}

bool Work::tell(const nb::object& callback, const std::function<nb::object()>& row) {
  return ask([&] {
    const nb::object told = row();
    Stranded meanwhile(stop_);
    PyObject* const answer = PyObject_CallOneArg(callback.ptr(), told.ptr());
    meanwhile.ashore();
    if (answer == nullptr) throw nb::python_error();
    return !nb::steal(answer).is(nb::handle(Py_False));
  });
}

void Work::look_at_signals() {
  if (in_main_thread_ && PyErr_CheckSignals() != 0) take_error();
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
