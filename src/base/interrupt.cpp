#include "base/interrupt.hpp"

#include <csignal>
#include <utility>

namespace s3gd {
namespace {

std::atomic<bool> stop_requested{false};
std::atomic<std::int64_t> queries_left{0};  // until it is requested by itself; 0: never
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may only touch lock-free atomics");

thread_local const StopFlag* stop_flag = nullptr;

extern "C" void on_signal(int number) {
  if (stop_requested.exchange(true)) {
    std::signal(number, SIG_DFL);
    std::raise(number);
  }
}

}  // namespace

void catch_interrupts() {
  struct sigaction action {};
  action.sa_handler = on_signal;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

bool interrupted() {
  if (queries_left.load(std::memory_order_relaxed) > 0 && queries_left.fetch_sub(1) == 1) request_interrupt();
  return stop_requested.load(std::memory_order_relaxed) ||
         (stop_flag != nullptr && stop_flag->load(std::memory_order_relaxed));
}

void request_interrupt(bool on) {
  stop_requested.store(on);
  queries_left.store(0);
}

void request_interrupt_at(std::int64_t query) { queries_left.store(query); }

StopScope::StopScope(const StopFlag* flag) : outer_(std::exchange(stop_flag, flag)) {}
StopScope::~StopScope() { stop_flag = outer_; }
const StopFlag* StopScope::current() { return stop_flag; }

}  // namespace s3gd
