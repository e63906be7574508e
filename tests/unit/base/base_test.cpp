#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "base/buffer.hpp"
#include "base/clock.hpp"
#include "base/file.hpp"
#include "base/random.hpp"
#include "s3gd/error.hpp"

namespace s3gd {
namespace {

std::string slurp(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

TEST(Rng, SameSeedSameBitsOtherSeedOrStreamOthers) {
  Rng a(7), b(7), c(8), d(7, 1);
  const auto first = a.next();
  EXPECT_EQ(first, b.next());
  EXPECT_NE(first, c.next());
  EXPECT_NE(first, d.next());
}

TEST(Rng, BelowIsUniform) {
  Rng rng(1);
  std::vector<int> counts(7, 0);
  for (int i = 0; i < 70000; ++i) ++counts[static_cast<std::size_t>(rng.below(7))];
  for (const int count : counts) EXPECT_NEAR(count, 10000, 500);  // five standard deviations
}

TEST(Rng, NormalHasMeanZeroAndVarianceOne) {
  Rng rng(2);
  double sum = 0, squares = 0;
  constexpr int n = 100000;
  for (int i = 0; i < n; ++i) {
    const double z = rng.normal();
    sum += z;
    squares += z * z;
  }
  EXPECT_NEAR(sum / n, 0.0, 0.02);
  EXPECT_NEAR(squares / n, 1.0, 0.03);
}

TEST(GrowBuffer, KeepsItsContentsWhileGrowingAndWhenFinished) {
  GrowBuffer<std::int64_t> buffer;
  for (std::int64_t i = 0; i < 100000; ++i) buffer.push_back(i * i);
  const std::vector<std::int64_t> more{1, 2, 3};
  buffer.append(more);
  const auto array = std::move(buffer).finish();
  ASSERT_EQ(array.size(), 100003);
  for (std::int64_t i = 0; i < 100000; ++i) ASSERT_EQ(array[i], i * i);
  EXPECT_EQ(array[100002], 3);
}

TEST(GrowBuffer, AnEmptyOneFinishesEmpty) {
  GrowBuffer<float> buffer;
  EXPECT_TRUE(std::move(buffer).finish().empty());
}

class FileTest : public ::testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("s3gd_file_test_" + std::to_string(getpid()));
};

TEST_F(FileTest, AFailedWriteLeavesTheOldFileAndNoDebris) {
  const auto path = (folder_ / "kept").string();
  write_atomically(path, [](std::ostream& out) { out << "old"; });
  EXPECT_THROW(write_atomically(path,
                                [](std::ostream& out) {
                                  out << "half of the new";
                                  throw Error("stop");
                                }),
               Error);
  EXPECT_EQ(slurp(path), "old");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 1);
}

TEST_F(FileTest, ALinkStaysALinkAndItsTargetIsWritten) {
  namespace fs = std::filesystem;
  fs::create_directories(folder_ / "elsewhere");
  fs::create_symlink("elsewhere/target", folder_ / "inner");
  fs::create_symlink(folder_ / "inner", folder_ / "link");
  for (const char* text : {"new", "again"}) {  // first the target is not there yet
    write_atomically((folder_ / "link").string(), [&](std::ostream& out) { out << text; });
    EXPECT_TRUE(fs::is_symlink(folder_ / "link"));
    EXPECT_TRUE(fs::is_symlink(folder_ / "inner"));
    EXPECT_EQ(slurp((folder_ / "elsewhere/target").string()), text);
  }
  fs::create_symlink("loop", folder_ / "loop");
  EXPECT_THROW(write_atomically((folder_ / "loop").string(), [](std::ostream&) {}), Error);
}

TEST_F(FileTest, AnExistingFileKeepsItsPermissions) {
  namespace fs = std::filesystem;
  const auto path = folder_ / "secret";
  write_atomically(path.string(), [](std::ostream& out) { out << "old"; });
  for (const auto mode : {fs::perms(0600), fs::perms(0640), fs::perms(0666)}) {
    fs::permissions(path, mode);
    write_atomically(path.string(), [](std::ostream& out) { out << "new"; });
    EXPECT_EQ(fs::status(path).permissions(), mode);
  }
}

TEST_F(FileTest, APipeIsWrittenToAndStays) {
  const auto path = (folder_ / "pipe").string();
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  std::string received;
  std::thread reader([&] { received = slurp(path); });
  write_atomically(path, [](std::ostream& out) { out << "through the pipe"; });
  reader.join();
  EXPECT_EQ(received, "through the pipe");
  EXPECT_TRUE(std::filesystem::is_fifo(path));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 1);
}

TEST_F(FileTest, AFolderIsNotWritten) {
  EXPECT_THROW(write_atomically(folder_.string(), [](std::ostream&) {}), Error);
  EXPECT_TRUE(std::filesystem::is_directory(folder_));
}

TEST_F(FileTest, MappingADirectoryOrNothingIsAnErrorThatNamesIt) {
  for (const auto& path : {folder_.string(), (folder_ / "missing").string()}) {
    try {
      MappedFile file(path);
      FAIL() << path;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(path), std::string::npos);
    }
  }
}

TEST(Error, NamesPlaceFoundExpectedAndHint) {
  const Error error({"a.svm", 3, 7}, "'x'", "a number", "remove it");
  EXPECT_STREQ(error.what(), "a.svm:3:7: found 'x', expected a number (remove it)");
}

TEST(RunClock, StandsStillWhilePaused) {
  RunClock clock;
  clock.pause();
  const double before = clock.wall_seconds();
  const double until = wall_now() + 0.01;
  while (wall_now() < until) {
  }
  EXPECT_EQ(clock.wall_seconds(), before);
}

}  // namespace
}  // namespace s3gd
