#include "base/threads.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

#include "base/interrupt.hpp"
#include "s3gd/error.hpp"

namespace s3gd {
namespace {

TEST(Threads, EveryChunkRunsExactlyOnceAtAnyThreadCount) {
  for (const int threads : {1, 2, 7}) {
    std::vector<std::atomic<int>> visits(1000);
    parallel_for(1000, threads, [&](Index chunk) { ++visits[static_cast<std::size_t>(chunk)]; });
    for (const auto& count : visits) ASSERT_EQ(count, 1);
  }
}

TEST(Threads, TheLowestFailingChunkIsTheOneReported) {
  for (int repeat = 0; repeat < 50; ++repeat) {
    try {
      parallel_for(64, 4, [](Index chunk) {
        if (chunk >= 10) throw std::runtime_error(std::to_string(chunk));
      });
      FAIL() << "nothing was thrown";
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "10");
    }
  }
}

TEST(Threads, NestedAndConcurrentLoopsFinish) {
  std::atomic<int> total{0};
  std::vector<std::thread> callers;
  for (int c = 0; c < 4; ++c)
    callers.emplace_back([&] { parallel_for(20, 3, [&](Index) { parallel_for(5, 3, [&](Index) { ++total; }); }); });
  for (auto& caller : callers) caller.join();
  EXPECT_EQ(total, 4 * 20 * 5);
}

TEST(Threads, RangesCoverTheCountWithFixedBorders) {
  std::vector<int> hits(1003, 0);
  parallel_ranges(1003, 100, 2, [&](Index begin, Index end, Index chunk) {
    EXPECT_EQ(begin, chunk * 100);
    for (Index i = begin; i < end; ++i) ++hits[static_cast<std::size_t>(i)];
  });
  for (const int hit : hits) ASSERT_EQ(hit, 1);
}

TEST(Threads, ANegativeCountIsRefused) { EXPECT_THROW(resolve_threads(-1), Error); }

// The body runs in every thread of the loop, and each of them sees the flag of the thread that called.
TEST(Threads, AStopFlagReachesTheThreadsThatHelp) {
  StopFlag raised{true}, quiet{false};
  const auto share_that_sees_it = [](const StopFlag* flag) {
    const StopScope scope(flag);
    std::atomic<int> seen{0};
    parallel_for(200, 4, [&](Index) { seen += interrupted() ? 1 : 0; });
    return seen.load();
  };
  std::thread other([&] {
    for (int repeat = 0; repeat < 50; ++repeat) EXPECT_EQ(share_that_sees_it(&quiet), 0);
  });
  for (int repeat = 0; repeat < 50; ++repeat) EXPECT_EQ(share_that_sees_it(&raised), 200);
  other.join();
  EXPECT_FALSE(interrupted()) << "the flag is gone with its scope";
}

#ifndef __SANITIZE_THREAD__  // which does not follow a fork
TEST(Threads, AForkOfTheProcessHasThreadsOfItsOwn) {
  std::atomic<int> sum{0};
  parallel_for(100, 4, [&](Index) { ++sum; });  // the pool is there before the fork
  const pid_t child = fork();
  if (child == 0) {
    std::mutex mutex;
    std::set<std::thread::id> who;
    for (int repeat = 0; repeat < 1000 && who.size() < 2; ++repeat)
      parallel_for(64, 4, [&](Index) {
        std::this_thread::sleep_for(std::chrono::microseconds(50));
        const std::lock_guard lock(mutex);
        who.insert(std::this_thread::get_id());
      });
    _exit(who.size() >= 2 ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}
#endif

}  // namespace
}  // namespace s3gd
