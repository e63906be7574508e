#include "base/archive.hpp"

#include <gtest/gtest.h>

#include "base/random.hpp"

namespace s3gd {
namespace {

struct Part {
  std::vector<double> values;
  std::string name;
  void state(Archive& a) { a(values, name); }
};

struct Beside {
  Index number = 0;
  std::vector<Index> numbers;
};
void state(Archive& a, Beside& beside) { a(beside.number, beside.numbers); }

struct Whole {
  double number = 0;
  bool flag = false;
  Rng rng{1};
  std::vector<Part> parts;
  Beside beside;
  GrowBuffer<float> buffer;
  void state(Archive& a) { a(number, flag, rng, parts, beside, buffer); }
};

Whole example() {
  Whole whole;
  whole.number = 0.1;
  whole.flag = true;
  whole.rng.next();
  whole.parts = {{{1.5, -0.0}, "first"}, {{}, ""}, {{3}, "last"}};
  whole.beside = {7, {1, 2, 3}};
  whole.buffer.push_back(2.5F);
  return whole;
}

std::string written(Whole whole) {
  Archive archive;
  archive(whole);
  return archive.bytes();
}

TEST(Archive, ReadsBackWhatWasWritten) {
  Archive archive(written(example()));
  Whole read;
  archive(read);
  archive.expect_end();
  Whole same = example();
  EXPECT_EQ(read.number, same.number);
  EXPECT_EQ(read.flag, same.flag);
  EXPECT_EQ(read.rng.next(), same.rng.next());
  ASSERT_EQ(read.parts.size(), 3U);
  EXPECT_EQ(read.parts[0].values, same.parts[0].values);
  EXPECT_TRUE(std::signbit(read.parts[0].values[1]));
  EXPECT_EQ(read.parts[2].name, "last");
  EXPECT_EQ(read.beside.numbers, same.beside.numbers);
  ASSERT_EQ(read.buffer.size(), 1);
  EXPECT_EQ(read.buffer[0], 2.5F);
}

TEST(Archive, BytesThatEndTooEarlyAreRefusedWhereverTheyEnd) {
  const std::string bytes = written(example());
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    Archive archive(bytes.substr(0, size));
    Whole read;
    EXPECT_THROW(archive(read), Error) << size;
  }
}

TEST(Archive, BytesLeftOverAreRefused) {
  Archive archive(written(example()) + "x");
  Whole read;
  archive(read);
  EXPECT_THROW(archive.expect_end(), Error);
}

TEST(Archive, ALyingNumberOfElementsIsRefusedBeforeItIsAllocated) {
  Archive lie;
  auto number = static_cast<std::uint64_t>(-1);
  lie(number);
  Archive archive(lie.bytes());
  std::vector<double> values;
  EXPECT_THROW(archive(values), Error);
}

}  // namespace
}  // namespace s3gd
