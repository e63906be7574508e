#include <gtest/gtest.h>

#include <cmath>

#include "base/random.hpp"
#include "data/text_blocks.hpp"
#include "unit/data/text_reference.hpp"

namespace s3gd {
namespace {

struct Oddities {
  Index rows = 0;
  Index cols = 10;
  double density = 0.2;
  bool zero_based = false;
  bool shuffled = false;
};

std::string random_value(Rng& rng) {
  char text[40];
  switch (rng.below(6)) {
    case 0:
      return std::to_string(rng.below(256));
    case 1:
      std::snprintf(text, sizeof text, "%.6g", rng.normal());
      break;
    case 2:
      std::snprintf(text, sizeof text, "%.17g", rng.normal());
      break;
    case 3:
      std::snprintf(text, sizeof text, "%+.3e", rng.normal());
      break;
    case 4:
      return "0";
    default:
      std::snprintf(text, sizeof text, "%.9f", rng.uniform());
      break;
  }
  return text;
}

std::string random_libsvm(Rng& rng, const Oddities& odd) {
  std::string text = rng.below(3) == 0 ? "\xef\xbb\xbf" : "";
  const auto blank = [&] { return std::string(rng.below(20) == 0 ? "\t " : " "); };
  for (Index i = 0; i < odd.rows; ++i) {
    if (rng.below(30) == 0) text += rng.below(2) == 0 ? "# only a comment 1:2\n" : "  \t\n";
    if (rng.below(30) == 0) text += " ";
    text += rng.below(4) == 0 ? "+1" : std::to_string(rng.below(5) - 2);
    if (rng.below(10) == 0) text += blank() + "qid:" + std::to_string(rng.below(100));
    std::vector<Index> columns;
    for (Index j = 0; j < odd.cols; ++j)
      if (rng.uniform() < odd.density) columns.push_back(j + (odd.zero_based ? 0 : 1));
    if (odd.shuffled) {
      if (!columns.empty()) columns.push_back(columns.front());
      rng.shuffle(columns);
    }
    for (const Index j : columns) text += blank() + std::to_string(j) + ":" + random_value(rng);
    if (rng.below(10) == 0) text += "  ";
    if (rng.below(10) == 0) text += " # said 3:4";
    text += rng.below(5) == 0 ? "\r\n" : "\n";
  }
  if (rng.below(2) == 0) text.pop_back();
  return text;
}

template <class T>
void expect_like_the_reference(const std::string& text, LoadOptions options) {
  options.precision = std::is_same_v<T, float> ? Precision::float32 : Precision::float64;
  const auto expected = reference_libsvm<T>(text);
  for (const int threads : {1, 2, 7})
    for (const Layout layout : {Layout::automatic, Layout::dense, Layout::sparse}) {
      options.threads = threads;
      options.layout = layout;
      const auto data = read_text(read_libsvm, text, options);
      data.x.check();
      ASSERT_TRUE(plain_rows<T>(data) == expected) << threads << " threads, layout " << static_cast<int>(layout);
      ASSERT_EQ(data.y.values.size(), data.rows());
    }
}

TEST(Libsvm, RandomFilesReadLikeTheReference) {
  Rng rng(21);
  for (int round = 0; round < 40; ++round) {
    Oddities odd{.rows = 1 + rng.below(40), .cols = 1 + rng.below(60), .density = rng.uniform()};
    odd.zero_based = rng.below(2) == 0;
    odd.shuffled = rng.below(3) == 0;
    LoadOptions options;
    if (odd.shuffled) options.index_order = IndexOrder::merge;
    const std::string text = random_libsvm(rng, odd);
    expect_like_the_reference<float>(text, options);
    expect_like_the_reference<double>(text, options);
  }
}

// Several blocks: lines are cut, storage changes its mind, columns appear late, index 0 comes last.
TEST(Libsvm, FilesOfManyBlocksReadLikeTheReference) {
  Rng rng(22);
  const auto part = [&](Index rows, Index cols, double density, bool zero) {
    return random_libsvm(rng, {.rows = rows, .cols = cols, .density = density, .zero_based = zero}) + "\n";
  };
  const auto without_mark = [](std::string text) { return text.starts_with("\xef") ? text.substr(3) : text; };
  const std::string dense = part(3000, 50, 0.9, false), sparse = without_mark(part(3000, 400, 0.05, false)),
                    zero = without_mark(part(2000, 60, 0.8, true));
  ASSERT_GT(dense.size(), kBlockBytes);
  ASSERT_GT(sparse.size(), kBlockBytes);
  expect_like_the_reference<float>(dense + sparse, {});
  expect_like_the_reference<float>(without_mark(sparse) + without_mark(dense), {});
  expect_like_the_reference<double>(dense + zero, {});
  expect_like_the_reference<float>(sparse + without_mark(dense) + zero, {});
}

TEST(Libsvm, MoreThanAThirdNonZeroIsDense) {
  LoadOptions options;
  EXPECT_TRUE(read_text(read_libsvm, "1 1:1 2:1\n1 3:1\n1 1:1\n", options).x.is_dense());
  EXPECT_FALSE(read_text(read_libsvm, "1 1:1 2:1\n1 3:1\n1\n", options).x.is_dense());
}

TEST(Libsvm, ColumnsAskedForAreThereAndMoreWhereTheFileHasMore) {
  LoadOptions options;
  options.cols = 5;
  EXPECT_EQ(read_text(read_libsvm, "1 2:1\n", options).cols(), 5);
  EXPECT_EQ(read_text(read_libsvm, "1 7:1\n", options).cols(), 7);
  EXPECT_EQ(read_text(read_libsvm, "1 0:1 4:1\n", options).cols(), 5);
}

TEST(Libsvm, TheIndexBaseCanBeForced) {
  LoadOptions options;
  options.index_base = IndexBase::zero;
  EXPECT_EQ(read_text(read_libsvm, "1 1:1 2:1\n", options).cols(), 3);
  options.index_base = IndexBase::one;
  EXPECT_EQ(read_text(read_libsvm, "1 1:1 2:1\n", options).cols(), 2);
}

TEST(Libsvm, IndicesBeyond31BitsTakeWideColumns) {
  const auto data = read_text(read_libsvm, "1 1:1\n2 3000000000:2\n1 2:5\n", {});
  EXPECT_EQ(data.cols(), 3000000000);
  const auto* view = std::get_if<CsrView<float, std::int64_t>>(&data.x.view());
  ASSERT_NE(view, nullptr);
  EXPECT_EQ(view->columns[1], 2999999999);
  EXPECT_EQ(view->columns[2], 1);
}

TEST(Libsvm, NegativeZeroKeepsItsSign) {
  const auto data = read_text(read_libsvm, "1 1:-0 2:0 3:7 9:0\n", {});
  const auto* view = std::get_if<CsrView<float, std::int32_t>>(&data.x.view());
  ASSERT_NE(view, nullptr);
  ASSERT_EQ(view->nonzeros(), 2);
  EXPECT_TRUE(std::signbit(view->values[0]));
  EXPECT_EQ(data.cols(), 9);
}

TEST(Libsvm, WholeNumbersAreClassesAndOthersReal) {
  EXPECT_EQ(read_text(read_libsvm, "1 1:1\n-1 1:2\n", {}).y.kind, LabelKind::classes);
  EXPECT_EQ(read_text(read_libsvm, "1 1:1\n-1.5 1:2\n", {}).y.kind, LabelKind::real);
  std::string many;
  for (int i = 0; i <= 1000; ++i) many += std::to_string(i) + " 1:1\n";
  EXPECT_EQ(read_text(read_libsvm, many, {}).y.kind, LabelKind::real);
}

}  // namespace
}  // namespace s3gd
