#include <gtest/gtest.h>
#include <sys/resource.h>

#include "base/buffer.hpp"
#include "base/memory.hpp"
#include "data/text_blocks.hpp"
#include "unit/data/text_reference.hpp"

namespace s3gd {
namespace {

using Reader = Dataset (*)(Input&, const LoadOptions&);

struct Malformed {
  std::string bytes;
  std::string message;  // begins with this
  LoadOptions options = {};
};

LoadOptions with(const std::function<void(LoadOptions&)>& change) {
  LoadOptions options;
  change(options);
  return options;
}

void expect_refused(Reader read, const std::vector<Malformed>& cases) {
  for (const auto& bad : cases)
    for (const int threads : {1, 2, 7}) {
      LoadOptions options = bad.options;
      options.threads = threads;
      const std::string message = refusal(read, bad.bytes, options);
      EXPECT_TRUE(message.starts_with(bad.message)) << "for " << testing::PrintToString(bad.bytes.substr(0, 80))
                                                    << "\n  got " << message << "\n  not " << bad.message;
    }
}

TEST(MalformedLibsvm, EachIsRefusedAtItsPlace) {
  using namespace std::string_literals;
  const auto one_based = with([](LoadOptions& o) { o.index_base = IndexBase::one; });
  const auto merged = with([](LoadOptions& o) { o.index_order = IndexOrder::merge; });
  const auto as_double = with([](LoadOptions& o) { o.precision = Precision::float64; });
  expect_refused(
      read_libsvm,
      {
          {"", "file holds no rows"},
          {"# nothing\n\n  # but comments\n", "file holds no rows"},
          {"\xef\xbb\xbf", "file holds no rows"},
          {"1 1:1\nx 1:1\n", "file:2:1: found 'x', expected a label: a number"},
          {"1:1 2:2\n", "file:1:1: found '1:1', expected a label before the first index"},
          {"1,3 1:1\n", "file:1:2: found several labels in one row, expected one label"},
          {"1 1:1\n\n2x 1:1\n", "file:3:1: found '2x', expected a label"},
          {"nan 1:1\n", "file:1:1: found 'nan', expected a label"},
          {"inf 1:1\n", "file:1:1: found 'inf', expected a label"},
          {"1e999 1:1\n", "file:1:1: found '1e999', expected a label: a number that fits a double"},
          {"1 1:nan\n", "file:1:5: found 'nan', expected a value: a number"},
          {"1 1:1 2:-inf\n", "file:1:9: found '-inf', expected a value: a number"},
          {"1 1:1e39\n", "file:1:5: found '1e39', expected a value: a number that fits a float"},
          {"1 1:1e309\n", "file:1:5: found '1e309', expected a value: a number that fits a double", as_double},
          {"1 1:1 2:\n", "file:1:9: found the end of the line, expected a value"},
          {"1 1:1 2\n", "file:1:7: found '2', expected INDEX:VALUE"},
          {"1 1:1 2 3:1\n", "file:1:7: found '2', expected INDEX:VALUE"},
          {"1 1:1 :3\n", "file:1:7: found ':3', expected INDEX:VALUE"},
          {"1 1:1 a:3\n", "file:1:7: found 'a:3', expected INDEX:VALUE"},
          {"1 1.5:3\n", "file:1:3: found '1.5:3', expected INDEX:VALUE"},
          {"1 -1:3\n", "file:1:3: found '-1:3', expected an index, counted from 0 or 1"},
          {"1 1:3x\n", "file:1:5: found '3x', expected a value"},
          {"1 1:3:4\n", "file:1:5: found '3:4', expected a value"},
          {"1 1:0x10\n", "file:1:5: found '0x10', expected a value"},
          {"1 1: 3\n", "file:1:5: found ' ', expected a value"},
          {"1 2:1 1:1\n", "file:1:7: found index 1 after 2, expected ascending indices"},
          {"1 2:1 2:1\n", "file:1:7: found index 2 twice in a row, expected ascending indices"},
          {"1 2:3e38 1:1 2:3e38\n", "file:1:2: found values of index 2 whose sum is too large", merged},
          {"1 0:1\n", "file:1:3: found '0:1', expected an index of at least 1", one_based},
          {"1 99999999999999999999:1\n", "file:1:3: found '99999999999999999999:1', expected an index of at most"},
          {"1 9223372036854775807:1\n", "file:1:3: found '9223372036854775807:1', expected an index of at most"},
          {"1 qid:x 1:1\n", "file:1:3: found 'qid:x', expected qid: and a whole number"},
          {"1 qid: 1:1\n", "file:1:3: found 'qid:', expected qid: and a whole number"},
          {"1 1:1 \0 2:1\n"s, "file:1:7: found '\\x00', expected INDEX:VALUE"},
          {"\0\0\0\0"s, "file:1:1: found '\\x00\\x00\\x00\\x00', expected a label"},
          {"1 1:1\r 2:1\n", "file:1:5: found '1', expected a value"},
          {"1\v1:1\n", "file:1:1: found '1\\x0b1:1', expected a label"},
          {"1 1:1\n2 2:2\n3 3:3\n4 4:4x", "file:4:5: found '4x', expected a value"},
          {"1 1:1e\n", "file:1:5: found '1e', expected a value"},
          {"1 1:.\n", "file:1:5: found '.', expected a value"},
          {"1 1:+-2\n", "file:1:5: found '+-2', expected a value"},
      });
}

TEST(MalformedCsv, EachIsRefusedAtItsPlace) {
  using namespace std::string_literals;
  const auto named = [](const std::string& label, const std::string& weight = "") {
    return with([&](LoadOptions& o) {
      o.label_column = label;
      o.weight_column = weight;
    });
  };
  const auto mean = with([](LoadOptions& o) { o.missing = Missing::mean; });
  const auto headless = with([](LoadOptions& o) { o.header = false; });
  expect_refused(
      read_csv,
      {
          {"", "file holds no rows"},
          {"\n\r\n\n", "file holds no rows"},
          {"label,a,b\n", "file holds a header but no rows"},
          {"1,2,3\n1,2\n", "file:2:4: found 2 fields, expected 3 as in the first line"},
          {"1,2,3\n1,2,3,4\n", "file:2:7: found more than 3 fields"},
          {"1,2,3\n1,x,3\n", "file:2:3: found 'x', expected a number in column 1"},
          {"label,height,b\n1,2,3\n1, x,3\n", "file:3:4: found 'x', expected a number in column 1 (height)"},
          {"1,2,3\n1,,3\n", "file:2:3: found a missing value in column 1, expected a number (missing zero or"},
          {"1,2,3\n1,NA,3\n", "file:2:3: found a missing value"},
          {"1,2,3\n1,?,3\n", "file:2:3: found a missing value"},
          {"1,2,3\n1,NaN,3\n", "file:2:3: found a missing value"},
          {"1,2\n1,inf\n", "file:2:3: found 'inf', expected a number in column 1"},
          {"1,2\n1,1e39\n", "file:2:3: found '1e39', expected a number that fits a float"},
          {"1,2\n,1\n", "file:2:1: found no label, expected a label in every row"},
          {"1,2\nNA,1\n", "file:2:1: found 'NA', expected a label in every row"},
          {"1.5,2\n2,3\ncat,1\n", "file:3:1: found a word as the label, expected a number as in the rows"},
          {"cat,2\n7.5,3\n", "file:2:1: found a number as the label, expected a word as in the rows before"},
          {"1,2\n1e999,3\n", "file:2:1: found '1e999', expected a number that fits a double"},
          {"1,2\n1,\"3\n", "file:2:3: found a quote that is never closed"},
          {"1,2\n1,\"3\"x\n", "file:2:6: found 'x', expected a separator or the end of the line"},
          {"1,2\n1,3\"\n\"", "file:2:4: found a quote inside an unquoted field"},
          {"label,\"a\n1,2\n", "file:1:7: found a quote that is never closed"},
          {"1,2\n1,\"4\n5\"\n1,x\n", "file:2:3: found '4\\x0a5', expected a number"},
          {"1,2\n1,2\0\n"s, "file:2:3: found '2\\x00', expected a number"},
          {"a,b\n1,2\n", "file: there is no column 'c' for the label (", named("c")},
          {"1,2\n1,2\n", "file: the label column 'c' is given by name, but the file has no header", named("c")},
          {"1,2\n1,2\n", "file: the label column is number 2, but there are 2 columns", named("2")},
          {"1,2\n1,2\n", "file: the label column is number -3, but there are 2 columns", named("-3")},
          {"a,b\n1,2\n", "file: the label and the weight are the same column", named("a", "a")},
          {"a,b,w\n1,2,-1\n", "file:2:5: found the weight '-1', expected a weight that is not", named("a", "w")},
          {"a,b,w\n1,2,\n", "file:2:5: found an empty field, expected a number as the weight", named("a", "w")},
          {"l,a,b\n1,2,NA\n1,2,\n", "file: feature 1 has no value in any row, so no mean", mean},
          {"label,a\n1,2\n", "file:1:7: found 'a', expected a number in column 1", headless},
      });
}

// Good rows for several blocks, then two bad ones: the first must be named however the blocks are shared out.
TEST(MalformedText, TheFirstBadPlaceOfALargeFileWinsAtAnyNumberOfThreads) {
  std::string svm, csv;
  for (int i = 0; i < 150000; ++i) {
    svm += "1 1:0.5 2:0.25 7:1\n";
    csv += "1,0.5,0.25,1\n";
  }
  svm += "1 1:0.5 2:oops\n" + svm + "1 bad\n";
  csv += "1,0.5,oops,1\n" + csv + "1,bad\n";
  ASSERT_GT(svm.size(), 8 * kBlockBytes);
  expect_refused(read_libsvm, {{svm, "file:150001:11: found 'oops', expected a value"}});
  expect_refused(read_csv, {{csv, "file:150001:7: found 'oops', expected a number in column 2"}});
}

// A gigabyte that is never on disk nor in memory.
struct Endless {
  static constexpr std::uint64_t kBytes = std::uint64_t{1} << 30;
  std::string start, repeated;
  std::uint64_t given = 0;

  std::size_t read(std::span<char> into) {
    const std::size_t count = static_cast<std::size_t>(std::min<std::uint64_t>(into.size(), kBytes - given));
    for (std::size_t i = 0; i < count; ++i, ++given)
      into[i] = given < start.size() ? start[given] : repeated[(given - start.size()) % repeated.size()];
    return count;
  }
};

TEST(MalformedText, ALineOfAGigabyteIsRefusedWithinAHundredMegabytes) {
  struct Case {
    Reader read;
    std::string start, repeated, message;
  };
  const std::vector<Case> cases{
      {read_libsvm, "1 1:1\n1", " 1:1", "endless:2: found a line without an end within 32 MB"},
      {read_csv, "1,2\n1,", "7", "endless:2: found a line without an end within 32 MB"},
      {read_csv, "", "1,", "endless:1: found a line without an end within 32 MB"},
      {read_csv, "1,2\n3,4\n\"", "5,6\n", "endless:3: found a line without an end within 32 MB"},
  };
  const auto before = peak_memory_bytes();
  for (const auto& bad : cases)
    for (const int threads : {1, 7}) {
      Endless endless{bad.start, bad.repeated};
      Input input([&](std::span<char> into) { return endless.read(into); }, std::nullopt, "endless");
      LoadOptions options;
      options.threads = threads;
      try {
        bad.read(input, options);
        ADD_FAILURE() << "read " << bad.repeated;
      } catch (const Error& error) {
        EXPECT_TRUE(std::string(error.what()).starts_with(bad.message)) << error.what();
      }
      EXPECT_LT(endless.given, std::uint64_t{40} << 20);
    }
#ifndef __SANITIZE_THREAD__  // the thread sanitizer keeps several bytes of its own for each one touched
  EXPECT_LT(peak_memory_bytes() - before, std::uint64_t{100} << 20);
#else
  (void)before;
#endif
}

TEST(MalformedText, DenseRowsBeyondTheMachineAreRefusedAndSparseOnesAreNot) {
  const auto dense = with([](LoadOptions& o) { o.layout = Layout::dense; });
  EXPECT_NE(refusal(read_libsvm, "1 1:1\n2 1000000000000:1\n", dense), "");
  EXPECT_EQ(read_text(read_libsvm, "1 1:1\n2 1000000000000:1\n", {}).cols(), 1000000000000);
}

}  // namespace
}  // namespace s3gd
