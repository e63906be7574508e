#include "anchor/anchors.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "base/checksum.hpp"
#include "reference.hpp"
#include "s3gd/error.hpp"

namespace s3gd {
namespace {

using namespace reference;

class GraphFile : public ::testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string path(const char* name) const { return (folder_ / name).string(); }

  static Graph small_graph(const Matrix& x) {
    GraphOptions options;
    options.anchors = 4;
    options.neighbours = 2;
    options.kernel = Kernel::scaled;
    options.seed = 17;
    return build_graph(x, options);
  }
  static std::string message(std::span<const std::byte> bytes, const Matrix& x) {
    try {
      graph_from_bytes(bytes, "some.graph", x);
    } catch (const Error& error) {
      return error.what();
    }
    return {};
  }

  std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("s3gd_graph_file_test_" + std::to_string(getpid()));
  Matrix x_ = dense<float>(clumped_rows(12, 3, 31));
};

TEST_F(GraphFile, WhatIsSavedIsLoadedAgain) {
  const auto saved = small_graph(x_);
  save_graph(saved, x_, path("a.graph"));
  const auto loaded = load_graph(path("a.graph"), x_);
  EXPECT_EQ(loaded.anchor_rows, saved.anchor_rows);
  EXPECT_TRUE(
      std::equal(loaded.neighbours.begin(), loaded.neighbours.end(), saved.neighbours.begin(), saved.neighbours.end()));
  EXPECT_TRUE(std::equal(loaded.gammas.begin(), loaded.gammas.end(), saved.gammas.begin(), saved.gammas.end()));
  EXPECT_EQ(loaded.options.anchors, 4);
  EXPECT_EQ(loaded.options.neighbours, 2);
  EXPECT_EQ(loaded.options.kernel, Kernel::scaled);
  EXPECT_EQ(loaded.options.seed, 17U);
  EXPECT_EQ(loaded.rows(), 12);
}

TEST_F(GraphFile, ServesTheSameRowsInAnotherLayout) {
  const auto table = clumped_rows(12, 3, 31);
  const auto rows = dense<float>(table);
  const auto bytes = graph_to_bytes(small_graph(rows), rows);
  EXPECT_EQ(message(bytes, csr<float, std::int64_t>(table)), "");
}

TEST_F(GraphFile, EveryFlippedByteIsRefused) {
  const auto good = graph_to_bytes(small_graph(x_), x_);
  ASSERT_EQ(message(good, x_), "");
  for (std::size_t i = 0; i < good.size(); ++i)
    for (const unsigned flip : {0x01U, 0x80U, 0xffU}) {
      auto bad = good;
      bad[i] ^= static_cast<std::byte>(flip);
      ASSERT_NE(message(bad, x_), "") << "byte " << i;
    }
}

TEST_F(GraphFile, EveryCutAndEveryExtraByteIsRefused) {
  auto bytes = graph_to_bytes(small_graph(x_), x_);
  for (std::size_t size = 0; size < bytes.size(); ++size)
    ASSERT_NE(message(std::span(bytes).first(size), x_), "") << size << " bytes";
  bytes.push_back(std::byte{0});
  EXPECT_NE(message(bytes, x_), "");
}

TEST_F(GraphFile, SaysWhatIsWrong) {
  auto bytes = graph_to_bytes(small_graph(x_), x_);
  const auto holds = [](const std::string& text, const char* part) { return text.find(part) != std::string::npos; };
  EXPECT_TRUE(holds(message(std::as_bytes(std::span("a text file, not a graph")), x_), "is not a graph file"));
  EXPECT_TRUE(holds(message(std::span(bytes).first(bytes.size() - 1), x_), "cut short"));
  EXPECT_TRUE(holds(message(bytes, dense<float>(clumped_rows(12, 3, 32))), "other rows"));
  EXPECT_TRUE(holds(message(bytes, dense<float>(clumped_rows(13, 3, 31))), "12 rows"));
  EXPECT_TRUE(holds(message(bytes, dense<double>(clumped_rows(12, 3, 31))), "other rows"));
  bytes[8] = std::byte{9};
  EXPECT_TRUE(holds(message(bytes, x_), "version 9"));
  EXPECT_TRUE(holds(message(bytes, x_), "some.graph"));
  EXPECT_THROW(load_graph(path("absent.graph"), x_), Error);
}

TEST_F(GraphFile, NumbersNoGraphHasAreRefusedEvenWithARightChecksum) {
  const auto good = graph_to_bytes(small_graph(x_), x_);
  const std::size_t anchors_at = 80, neighbours_at = anchors_at + 4 * 8, gammas_at = neighbours_at + 24 * 4;
  for (const std::size_t place : {anchors_at + 7, neighbours_at + 3, gammas_at + 3, std::size_t{12}}) {
    auto bad = good;
    bad[place] = std::byte{0x7f};
    const std::uint64_t sum = checksum(std::span(bad).first(bad.size() - 8));
    std::memcpy(bad.data() + bad.size() - 8, &sum, 8);
    EXPECT_NE(message(bad, x_).find("no graph has"), std::string::npos) << place;
  }
}

TEST(Checksum, IsTheSameForEveryLayoutOfTheSameNumbers) {
  const auto table = clumped_rows(300, 7, 33);
  EXPECT_EQ(checksum(dense<float>(table)), checksum(csr<float, std::int32_t>(table)));
  EXPECT_EQ(checksum(dense<float>(table)), checksum(csr<float, std::int64_t>(table)));
  EXPECT_EQ(checksum(dense<double>(table)), checksum(csr<double, std::int32_t>(table)));
  EXPECT_NE(checksum(dense<double>(table)), checksum(dense<float>(table)));
}

TEST(Checksum, IgnoresPaddingStoredZerosAndTheSignOfZero) {
  const std::vector<float> padded{1, 0, 99, -0.0F, 2, 99};
  const auto strided = Matrix::borrow(DenseView<float>{padded.data(), 2, 2, 3});
  const auto plain = checksum(dense<float>({{1, 0}, {0, 2}}));
  EXPECT_EQ(checksum(strided), plain);
  EXPECT_EQ(checksum(Matrix::own_csr<float, std::int32_t>({1, 0, 2}, {0, 1, 1}, {0, 2, 3}, 2)), plain);
}

TEST(Checksum, ChangesWithAnyEntryPlaceOrShape) {
  const auto table = clumped_rows(40, 6, 34);
  const auto original = checksum(dense<float>(table));
  for (std::size_t i = 0; i < table.size(); ++i)
    for (std::size_t j = 0; j < 6; ++j) {
      auto changed = table;
      changed[i][j] += 0.5;
      ASSERT_NE(checksum(dense<float>(changed)), original);
    }
  auto swapped_rows = table, swapped_columns = table;
  std::swap(swapped_rows[0], swapped_rows[1]);
  for (auto& row : swapped_columns) std::swap(row[0], row[1]);
  EXPECT_NE(checksum(dense<float>(swapped_rows)), original);
  EXPECT_NE(checksum(dense<float>(swapped_columns)), original);
  auto wider = table;
  for (auto& row : wider) row.push_back(0);
  EXPECT_NE(checksum(dense<float>(wider)), original);
}

TEST(Checksum, DoesNotDependOnThreads) {
  const auto x = dense<float>(clumped_rows(5000, 5, 35));
  EXPECT_EQ(checksum(x, 1), checksum(x, 2));
  EXPECT_EQ(checksum(x, 1), checksum(x, 7));
}

}  // namespace
}  // namespace s3gd
