#include "base/threads.hpp"

#include <pthread.h>

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <exception>
#include <limits>
#include <mutex>
#include <thread>

#include "base/interrupt.hpp"

namespace s3gd {
namespace {

thread_local bool inside_parallel_loop = false;

// One call of parallel_for. The caller works on it too, so it ends even if no pool thread ever comes to help.
struct Job {
  Job(Index chunk_count, const std::function<void(Index)>& loop_body) : chunks(chunk_count), body(loop_body) {}

  void work() {
    const bool outer = std::exchange(inside_parallel_loop, true);
    const StopScope scope(stop_flag);
    for (Index chunk; (chunk = next.fetch_add(1)) < chunks;) {
      try {
        body(chunk);
      } catch (...) {
        std::lock_guard lock(mutex);
        if (chunk < failed_chunk) {
          failed_chunk = chunk;
          failure = std::current_exception();
        }
      }
      if (done.fetch_add(1) + 1 == chunks) {
        std::lock_guard lock(mutex);
        finished.notify_all();
      }
    }
    inside_parallel_loop = outer;
  }

  void wait() {
    std::unique_lock lock(mutex);
    finished.wait(lock, [this] { return done.load() == chunks; });
    // Taken out of the job: its last owner may be a worker, which must not end the life of what the caller catches.
    if (failure) std::rethrow_exception(std::exchange(failure, nullptr));
  }

  const Index chunks;
  const StopFlag* const stop_flag = StopScope::current();
  const std::function<void(Index)>& body;  // valid until done == chunks, and not called after that
  std::atomic<Index> next{0};
  std::atomic<Index> done{0};
  std::mutex mutex;
  std::condition_variable finished;
  Index failed_chunk = std::numeric_limits<Index>::max();
  std::exception_ptr failure;
};

class Pool {
 public:
  // Never destroyed: a process may end while threads of its user still work. A fork of the process gets a new one, as
  // the threads of the old one have stayed behind.
  static Pool& instance() {
    static Pool* pool = [] {
      pthread_atfork(nullptr, nullptr, [] { pool = new Pool; });
      return new Pool;
    }();
    return *pool;
  }

  void help(const std::shared_ptr<Job>& job, int workers) {
    {
      std::lock_guard lock(mutex_);
      while (static_cast<int>(threads_.size()) < workers) threads_.emplace_back([this] { run(); });
      for (int i = 0; i < workers; ++i) queue_.push_back(job);
    }
    wake_.notify_all();
  }

 private:
  [[noreturn]] void run() {
    for (;;) {
      std::shared_ptr<Job> job;
      {
        std::unique_lock lock(mutex_);
        wake_.wait(lock, [this] { return !queue_.empty(); });
        job = std::move(queue_.front());
        queue_.pop_front();
      }
      job->work();
    }
  }

  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::shared_ptr<Job>> queue_;
  std::vector<std::thread> threads_;
};

}  // namespace

int resolve_threads(int requested) {
  if (requested < 0) throw Error("threads is " + std::to_string(requested), "give 0 for all, or a positive number");
  if (requested > 0) return std::min(requested, 1024);
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

void parallel_for(Index chunks, int threads, const std::function<void(Index)>& body) {
  if (chunks <= 0) return;
  const auto wanted = std::min<Index>(resolve_threads(threads), chunks);
  if (wanted == 1 || inside_parallel_loop) {
    for (Index chunk = 0; chunk < chunks; ++chunk) body(chunk);
    return;
  }
  auto job = std::make_shared<Job>(chunks, body);
  Pool::instance().help(job, static_cast<int>(wanted) - 1);
  job->work();
  job->wait();
}

void parallel_ranges(Index count, Index chunk_size, int threads, const std::function<void(Index, Index, Index)>& body) {
  const Index chunks = (count + chunk_size - 1) / chunk_size;
  parallel_for(chunks, threads, [&](Index chunk) {
    const Index begin = chunk * chunk_size;
    body(begin, std::min(count, begin + chunk_size), chunk);
  });
}

}  // namespace s3gd
