#include "data/input.hpp"

#include <archive.h>
#include <archive_entry.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <vector>

#include "base/random.hpp"
#include "data/compressed_output.hpp"
#include "s3gd/error.hpp"

namespace s3gd {
namespace {

const std::vector<std::string> kSuffixes{".gz", ".bz2", ".xz", ".zst"};

std::string all_of_it(Input& input, std::size_t step = 1000) {
  std::string all(step, '\0'), text;
  while (const std::size_t count = input.read(all)) text.append(all, 0, count);
  return text;
}

std::string text_of(std::size_t bytes) {
  Rng rng(5);
  std::string text;
  while (text.size() < bytes) text += std::to_string(rng.below(1000000)) + (rng.below(9) == 0 ? "\n" : " ");
  return text;
}

std::string pack(const std::string& text, const std::string& suffix) {
  std::ostringstream out;
  write_compressed(out, "x" + suffix, [&](std::ostream& plain) { plain << text; });
  return out.str();
}

std::string message_of(const std::string& bytes) {
  try {
    all_of_it(*Input::from_memory(bytes, "packed"));
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Input, PlainBytesComeThroughInAnyStep) {
  const std::string text = text_of(20000);
  for (const std::size_t step : {1U, 7U, 4096U, 100000U}) {
    auto input = Input::from_memory(text, "memory");
    EXPECT_EQ(input->plain_size(), text.size());
    EXPECT_EQ(all_of_it(*input, step), text);
  }
}

TEST(Input, PeekShowsTheFirstBytesAndConsumesNothing) {
  const std::string text = text_of(9000);
  for (const auto& suffix : {std::string(), std::string(".gz")}) {
    const std::string bytes = suffix.empty() ? text : pack(text, suffix);
    auto input = Input::from_memory(bytes, "memory");
    const auto head = input->peek();
    EXPECT_EQ(std::string(head.begin(), head.end()), text.substr(0, 4096));
    EXPECT_EQ(all_of_it(*input), text);
  }
}

TEST(Input, EveryCompressionIsFoundByContent) {
  const std::string text = text_of(300000);
  for (const auto& suffix : kSuffixes) {
    const std::string packed = pack(text, suffix);
    ASSERT_LT(packed.size(), text.size()) << suffix;
    auto input = Input::from_memory(packed, "no suffix here");
    EXPECT_FALSE(input->plain_size().has_value());
    EXPECT_EQ(all_of_it(*input), text) << suffix;
  }
}

TEST(Input, SeveralCompressedMembersInARowAreOneStream) {
  for (const auto& suffix : kSuffixes)
    EXPECT_EQ(all_of_it(*Input::from_memory(pack("first\n", suffix) + pack("second\n", suffix), "two")),
              "first\nsecond\n")
        << suffix;
}

TEST(Input, NothingCompressedIsNothing) {
  for (const auto& suffix : kSuffixes)
    EXPECT_EQ(all_of_it(*Input::from_memory(pack("", suffix), "none")), "") << suffix;
}

TEST(Input, ACompressedFileCutAnywhereIsRefused) {
  const std::string text = text_of(3000);
  for (const auto& suffix : kSuffixes) {
    const std::string packed = pack(text, suffix);
    for (std::size_t size = 6; size < packed.size(); size += size < 40 || size + 40 > packed.size() ? 1 : 37)
      EXPECT_NE(message_of(packed.substr(0, size)).find("cut short or damaged"), std::string::npos)
          << suffix << " cut to " << size << " of " << packed.size();
  }
}

TEST(Input, ASecondMemberCutAnywhereIsRefused) {
  for (const auto& suffix : kSuffixes) {
    const std::string first = pack("first\n", suffix), second = pack("second\n", suffix);
    for (std::size_t size = 1; size < second.size(); ++size)
      EXPECT_NE(message_of(first + second.substr(0, size)), "") << suffix << " second member cut to " << size;
  }
}

class InputFile : public ::testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string failure(const std::string& path) {
    try {
      Input::open(path);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }
  std::filesystem::path folder_ = std::filesystem::temp_directory_path() / ("s3gd_input_" + std::to_string(getpid()));
};

TEST_F(InputFile, AMissingFileADirectoryAndALockedFileAreOneSentence) {
  EXPECT_NE(failure((folder_ / "none").string()).find("No such file"), std::string::npos);
  EXPECT_NE(failure(folder_.string()).find("Is a directory"), std::string::npos);
  const auto locked = folder_ / "locked";
  std::ofstream(locked) << "1 1:1\n";
  chmod(locked.c_str(), 0);
  if (geteuid() != 0) {
    EXPECT_NE(failure(locked.string()).find("Permission denied"), std::string::npos);
  }
}

TEST_F(InputFile, ANamedPipeIsReadToItsEnd) {
  const auto path = folder_ / "pipe";
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  const std::string text = text_of(200000);
  const pid_t child = fork();
  if (child == 0) {
    std::ofstream(path) << text;
    _exit(0);
  }
  EXPECT_EQ(all_of_it(*Input::open(path.string())), text);
}

}  // namespace
}  // namespace s3gd
