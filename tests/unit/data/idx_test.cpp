#include "data/arrays.hpp"

#include <bit>
#include <cmath>

#include "base/memory.hpp"
#include "binary_support.hpp"
#include "data/compressed_output.hpp"
#include "data/convert.hpp"
#include "data/format.hpp"

namespace s3gd {
namespace {

using namespace testing_support;

template <class T>
std::string big_endian(T value) {
  std::string bytes(reinterpret_cast<const char*>(&value), sizeof value);
  return {bytes.rbegin(), bytes.rend()};
}

std::string header(char type, const std::vector<std::uint32_t>& sizes) {
  std::string bytes{'\0', '\0', type, static_cast<char>(sizes.size())};
  for (const auto size : sizes) bytes += big_endian(size);
  return bytes;
}

template <class T>
std::string numbers(const std::vector<T>& values) {
  std::string bytes;
  for (const T value : values) bytes += big_endian(value);
  return bytes;
}

Dataset parse(const std::string& bytes, const LoadOptions& options = {}) {
  return parse_idx(source_of(std::as_bytes(std::span(bytes))), "test.idx", options);
}

double entry(const Dataset& data, Index i, Index j) {
  const Matrix dense = with_layout(data.x, Layout::dense, Precision::float64, 1);
  return std::get<DenseView<double>>(dense.view()).row(i)[j];
}

TEST(Idx, EveryTypeIsReadMostSignificantByteFirst) {
  EXPECT_EQ(entry(parse(header(8, {1, 2}) + numbers<std::uint8_t>({200, 1})), 0, 0), 200);
  EXPECT_EQ(entry(parse(header(9, {1, 2}) + numbers<std::int8_t>({-100, 1})), 0, 0), -100);
  EXPECT_EQ(entry(parse(header(11, {1, 2}) + numbers<std::int16_t>({-1000, 1})), 0, 0), -1000);
  EXPECT_EQ(entry(parse(header(12, {1, 2}) + numbers<std::int32_t>({-100000, 1})), 0, 0), -100000);
  EXPECT_EQ(entry(parse(header(13, {1, 2}) + numbers<float>({1.5, 1})), 0, 0), 1.5);
  EXPECT_EQ(entry(parse(header(14, {1, 2}) + numbers<double>({2.5, 1})), 0, 0), 2.5);
}

TEST(Idx, ImagesBecomeRowsAndLabelsAreFoundBesideThemCompressedOrNot) {
  const Folder folder;
  const std::string images = header(8, {2, 2, 2}) + numbers<std::uint8_t>({0, 1, 2, 3, 4, 5, 6, 7});
  const std::string labels = header(8, {2}) + numbers<std::uint8_t>({9, 3});
  for (const auto& [images_name, labels_name] :
       std::vector<std::pair<std::string, std::string>>{{"train-images-idx3-ubyte", "train-labels-idx1-ubyte"},
                                                        {"t10k-images-idx3-ubyte.gz", "t10k-labels-idx1-ubyte.gz"},
                                                        {"a-images.idx3-ubyte", "a-labels.idx1-ubyte"},
                                                        {"b-images-idx3-ubyte", "b-labels-idx1-ubyte.gz"}}) {
    for (const auto& [name, bytes] : {std::pair(images_name, images), std::pair(labels_name, labels)}) {
      std::ofstream out(folder / name, std::ios::binary);
      write_compressed(out, name, [&bytes = bytes](std::ostream& plain) { plain << bytes; });
    }
    const auto data = read_idx(*Input::open(folder / images_name), {});
    EXPECT_EQ(data.rows(), 2);
    EXPECT_EQ(data.cols(), 4);
    EXPECT_EQ(entry(data, 1, 2), 6);
    ASSERT_EQ(data.y.kind, LabelKind::classes) << images_name;
    EXPECT_EQ(data.y.values[0], 9);
  }
}

TEST(Idx, WithoutLabelsThereAreNone) {
  const Folder folder;
  spill(folder / "images.idx", header(8, {1, 1}) + "\x05");
  EXPECT_EQ(read_idx(*Input::open(folder / "images.idx"), {}).y.kind, LabelKind::none);
}

TEST(Idx, EveryMalformedFileIsOneClearErrorThatNamesIt) {
  const std::vector<std::string> cases{
      "",
      std::string(3, '\0'),
      std::string("\0\0\x08", 3),
      header(10, {1, 1}) + "x",
      header(0, {1, 1}) + "x",
      std::string("\0\x01\x08\x02", 4) + "xxxxxxxxx",
      std::string("\0\0\x08\0", 4),
      std::string("\0\0\x08\x7f", 4) + std::string(600, '\1'),
      header(8, {2, 2}).substr(0, 10),
      header(8, {2, 2}) + "123",
      header(8, {2, 2}) + "12345",
      header(8, {4}) + "1234",
      header(8, {0, 4}),
      header(8, {4, 0}),
      header(8, {0xffffffff, 0xffffffff}) + "1234",
      header(14, {0xffffffff, 0xffffffff, 0xffffffff}) + "1234",
      header(14, {0x80000000, 0x40000000}) + "1234",
      header(8, {60000, 28, 28}) + "1234",
      header(13, {1, 1}) + numbers<float>({std::nanf("")}),
      header(14, {1, 1}) + numbers<double>({HUGE_VAL}),
  };
  const auto before = peak_memory_bytes();
  for (std::size_t k = 0; k < cases.size(); ++k)
    EXPECT_TRUE(contains(error_of([&] { parse(cases[k]); }), "test.idx")) << "case " << k;
  EXPECT_LT(peak_memory_bytes() - before, 100U << 20);
}

TEST(Idx, LabelsOfAnotherNumberOrShapeAreRefused) {
  const Folder folder;
  spill(folder / "a-images-idx3-ubyte", header(8, {2, 1, 1}) + "12");
  for (const auto& labels :
       {header(8, {3}) + "123", header(8, {2, 1}) + "12", header(8, {2}) + "1", std::string("12")}) {
    spill(folder / "a-labels-idx1-ubyte", labels);
    EXPECT_TRUE(contains(error_of([&] { read_idx(*Input::open(folder / "a-images-idx3-ubyte"), {}); }), "a-labels"));
  }
  LoadOptions options;
  options.labels_path = folder / "missing";
  EXPECT_TRUE(contains(error_of([&] { read_idx(*Input::open(folder / "a-images-idx3-ubyte"), options); }), "missing"));
}

TEST(Idx, FashionMnistAsDebianShipsIt) {
  const std::string images = "/usr/share/datasets/fashion-mnist/t10k-images-idx3-ubyte.gz";
  if (!std::filesystem::exists(images)) GTEST_SKIP() << "the package dataset-fashion-mnist is not installed";
  const auto data = read_idx(*Input::open(images), {});
  EXPECT_EQ(data.rows(), 10000);
  EXPECT_EQ(data.cols(), 784);
  EXPECT_EQ(data.y.distinct(), (std::vector<double>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
}

}  // namespace
}  // namespace s3gd
