#include "base/threads.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

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
    callers.emplace_back([&] {
      parallel_for(20, 3, [&](Index) { parallel_for(5, 3, [&](Index) { ++total; }); });
    });
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

}  // namespace
}  // namespace s3gd
