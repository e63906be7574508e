#include "data/arrays.hpp"

#include <cmath>
#include <limits>

#include "base/file.hpp"
#include "base/memory.hpp"
#include "binary_support.hpp"
#include "data/convert.hpp"
#include "data/format.hpp"

namespace s3gd {
namespace {

using namespace testing_support;

Dataset parse(const std::string& bytes, const LoadOptions& options = {}) {
  return open_npy(source_of(std::as_bytes(std::span(bytes))), "test.npy").rows(options);
}

template <class T>
std::string raw(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

// A header with any text in the place of the dict.
std::string header_of(const std::string& dict, char version = 1) {
  std::string header("\x93NUMPY", 6);
  header += {version, '\0'};
  const auto size = static_cast<std::uint32_t>(dict.size());
  return header + std::string(reinterpret_cast<const char*>(&size), version == 1 ? 2 : 4) + dict;
}

std::string dict_of(const std::string& descr, const std::string& shape, const std::string& order = "False") {
  return "{'descr': '" + descr + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }";
}

double entry(const Dataset& data, Index i, Index j) {
  const Matrix dense = with_layout(data.x, Layout::dense, Precision::float64, 1);
  return std::get<DenseView<double>>(dense.view()).row(i)[j];
}

template <class T>
void expect_read_as(const std::string& descr) {
  const std::vector<T> values{T(1), T(0), T(3), T(1), T(5), T(1)};
  const auto data = parse(npy_header(descr, {3, 2}) + raw(values));
  ASSERT_EQ(data.rows(), 3) << descr;
  for (Index k = 0; k < 6; ++k)
    EXPECT_EQ(entry(data, k / 2, k % 2), static_cast<double>(values[static_cast<std::size_t>(k)])) << descr;
}

TEST(Npy, EveryTypeOfNumberIsRead) {
  expect_read_as<std::int8_t>("|i1");
  expect_read_as<std::uint8_t>("|u1");
  expect_read_as<std::int16_t>("<i2");
  expect_read_as<std::uint16_t>("<u2");
  expect_read_as<std::int32_t>("<i4");
  expect_read_as<std::uint32_t>("<u4");
  expect_read_as<std::int64_t>("<i8");
  expect_read_as<std::uint64_t>("<u8");
  expect_read_as<float>("<f4");
  expect_read_as<double>("<f8");
  const auto truth = parse(npy_header("|b1", {1, 3}) + std::string("\1\0\1", 3));
  EXPECT_EQ(entry(truth, 0, 0), 1);
  EXPECT_EQ(entry(truth, 0, 1), 0);
}

TEST(Npy, HeadersOfAllVersionsAndOrdersOfEntriesAreRead) {
  const std::string values = raw<float>({1, 2, 3, 4});
  EXPECT_EQ(parse(header_of(dict_of("<f4", "(2, 2)"), 1) + values).rows(), 2);
  EXPECT_EQ(parse(header_of(dict_of("<f4", "(2, 2)"), 2) + values).rows(), 2);
  EXPECT_EQ(parse(header_of(dict_of("<f4", "(2, 2)"), 3) + values).rows(), 2);
  EXPECT_EQ(parse(header_of("{\"shape\":(2L,2L,),'descr':'=f4','fortran_order':False}\n") + values).rows(), 2);
}

TEST(Npy, FortranOrderIsTransposed) {
  const auto data = parse(header_of(dict_of("<f8", "(2, 3)", "True")) + raw<double>({1, 4, 2, 5, 3, 6}));
  for (Index k = 0; k < 6; ++k) EXPECT_EQ(entry(data, k / 3, k % 3), static_cast<double>(k + 1));
}

TEST(Npy, FurtherDimensionsBecomeColumns) {
  const auto data = parse(npy_header("<f4", {2, 2, 2}) + raw<float>({1, 2, 3, 4, 5, 6, 7, 8}));
  EXPECT_EQ(data.cols(), 4);
  EXPECT_EQ(entry(data, 1, 3), 8);
}

TEST(Npy, MappedWhenTheTypeIsTheOneWantedCopiedOtherwise) {
  const Folder folder;
  const auto data = decorated(small_dense<float>(9, 4));
  write_npy(data, folder / "a.npy", {});
  LoadOptions options;
  const auto mapped = read_npy(*Input::open(folder / "a.npy"), options);
  const auto file = std::static_pointer_cast<const MappedFile>(mapped.x.owner());
  EXPECT_EQ(reinterpret_cast<const std::byte*>(std::get<DenseView<float>>(mapped.x.view()).values),
            file->bytes().data() + 128);
  EXPECT_TRUE(mapped.verifier);
  options.precision = Precision::float64;
  const auto copied = read_npy(*Input::open(folder / "a.npy"), options);
  EXPECT_FALSE(copied.verifier);
  EXPECT_EQ(copied.x.precision(), Precision::float64);
}

TEST(Npy, WrittenAndReadBackBitForBitWithLabelsAndWeights) {
  const Folder folder;
  for (auto data : {decorated(small_dense<float>(9, 4)), decorated(small_dense<double>(9, 4))}) {
    data.feature_names.clear();  // there is no place for them
    write_npy(data, folder / "a.npy", {});
    const auto read = read_npy(*Input::open(folder / "a.npy"), as_stored(data));
    read.verify();
    EXPECT_TRUE(same_data(read, data));
  }
}

TEST(Npy, LabelsAreFoundBesideTheRows) {
  const Folder folder;
  const std::string rows = npy_header("<f4", {2, 1}) + raw<float>({1, 2});
  const std::string labels = npy_header("<i4", {2}) + raw<std::int32_t>({7, -3});
  for (const auto& [rows_name, labels_name] : std::vector<std::pair<std::string, std::string>>{
           {"a.npy", "a.labels.npy"}, {"b.npy", "b_y.npy"}, {"X.npy", "y.npy"}, {"X_train.npy", "y_train.npy"}}) {
    spill(folder / rows_name, rows);
    spill(folder / labels_name, labels);
    const auto data = read_npy(*Input::open(folder / rows_name), {});
    ASSERT_EQ(data.y.values.size(), 2) << rows_name;
    EXPECT_EQ(data.y.values[1], -3);
    EXPECT_EQ(data.y.kind, LabelKind::classes);
  }
  spill(folder / "alone.npy", rows);
  EXPECT_EQ(read_npy(*Input::open(folder / "alone.npy"), {}).y.kind, LabelKind::none);
  LoadOptions options;
  options.labels_path = folder / "y.npy";
  EXPECT_EQ(read_npy(*Input::open(folder / "alone.npy"), options).y.values[0], 7);
}

TEST(Npy, LabelsThatAreWordsBecomeNamedClasses) {
  const auto text = npy_text({"pear", "apple", "pear", "\xc3\xa9"});
  const std::string bytes = npy_header(text.descr, {4}) + raw(text.points);
  const auto source = source_of(std::as_bytes(std::span(bytes)));
  const auto labels = open_npy(source, "y").labels();
  EXPECT_EQ(labels.class_names, (std::vector<std::string>{"apple", "pear", "\xc3\xa9"}));
  EXPECT_EQ(labels.values[0], 1);
  EXPECT_EQ(labels.values[3], 2);
}

TEST(Npy, EveryMalformedFileIsOneClearErrorThatNamesIt) {
  const std::string four = raw<float>({1, 2, 3, 4});
  const float inf = std::numeric_limits<float>::infinity();
  const std::vector<std::pair<std::string, std::string>> cases{
      {"", "begin"},
      {"\x93NUM", "begin"},
      {"1 1:2\n", "begin"},
      {std::string("\x93NUMPY\x01", 7), "cut short"},
      {std::string("\x93NUMPY\x09\x00\x10\x00", 10), "version"},
      {std::string("\x93NUMPY\x01\x00\xff", 9), "cut short"},
      {std::string("\x93NUMPY\x02\x00\xff\xff\xff\xff", 12), "header of"},
      {header_of(dict_of("<f4", "(2, 2)")).substr(0, 30), "cut short"},
      {header_of("[]"), "NumPy does not write"},
      {header_of("{'descr': '<f4'}"), "entries"},
      {header_of("{'descr': '<f4"), "without an end"},
      {header_of("{'descr': '<f4', 'descr': '<f4', 'shape': (1, 1)}"), "twice"},
      {header_of("{'descr': '<f4', 'x': 1}"), "'x'"},
      {header_of(dict_of("<f4", "(2, 2)", "None")) + four, "True nor False"},
      {header_of(dict_of("<f4", "(2, 2)") + "junk") + four, "after the header"},
      {header_of(dict_of("<f4", "(2, -2)")) + four, "whole numbers"},
      {header_of(dict_of("<f4", "(2, x)")) + four, "whole numbers"},
      {header_of(dict_of("<f4", "(2, 99999999999999999999)")) + four, "whole numbers"},
      {header_of(dict_of("<f4", "(2 2)")) + four, "in it"},
      {header_of(dict_of("<f4", "(4,)")) + four, "dimensions"},
      {header_of(dict_of("<f4", "()")) + four, "dimensions"},
      {header_of(dict_of("<f4", "(0, 4)")), "without entries"},
      {header_of(dict_of("<f4", "(4, 0)")), "without entries"},
      {header_of(dict_of("<f4", "(4611686018427387904, 4)")) + four, "64 bits"},
      {header_of(dict_of("<f4", "(4611686018427387904, 0, 4611686018427387904)")), "64 bits"},
      {header_of(dict_of("<f4", "(1000000000, 1000)")) + four, "as its header says"},
      {header_of(dict_of("<f4", "(2, 2)")) + four.substr(1), "as its header says"},
      {header_of(dict_of("<f4", "(2, 2)")) + four + "x", "more bytes"},
      {header_of(dict_of(">f4", "(2, 2)")) + four, "most significant"},
      {header_of(dict_of("|O", "(2, 2)")) + four, "Python objects"},
      {header_of(dict_of("<c8", "(2, 1)")) + four, "<c8"},
      {header_of(dict_of("<f2", "(2, 4)")) + four, "<f2"},
      {header_of(dict_of("<f", "(2, 2)")) + four, "<f"},
      {header_of(dict_of("<f4x", "(2, 2)")) + four, "<f4x"},
      {header_of(dict_of("<U1", "(2, 2)")) + four, "strings"},
      {header_of(dict_of("<U0", "(2, 2)")) + four, "strings"},
      {header_of("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (4,)}") + four, "records"},
      {header_of(dict_of("<f4", "(1, 2, 2)", "True")) + four, "Fortran"},
      {npy_header("<f4", {2, 2}) + raw<float>({1, std::nanf(""), 3, 4}), "finite"},
      {npy_header("<f4", {2, 2}) + raw<float>({1, 2, inf, 4}), "finite"},
      {npy_header("<f8", {1, 1}) + raw<double>({1e300}), "finite"},
      {header_of(dict_of("<f4", "(" + std::string(200, '1') + ")")), "whole numbers"},
      {header_of(dict_of("<f4", "(1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1)")), "32"},
  };
  const auto before = peak_memory_bytes();
  for (const auto& [bytes, expected] : cases) {
    const auto message = error_of([&] { parse(bytes); });
    EXPECT_TRUE(contains(message, "test.npy")) << expected << ": " << message;
    EXPECT_TRUE(contains(message, expected)) << expected << ": " << message;
  }
  EXPECT_LT(peak_memory_bytes() - before, 100U << 20);
}

TEST(Npy, AMappedFileThatLiesOrIsCutIsRefusedAtOpening) {
  const Folder folder;
  const std::string good = npy_header("<f4", {4, 2}) + std::string(32, '\0');
  for (std::size_t length = 0; length < good.size(); ++length) {
    spill(folder / "cut.npy", good.substr(0, length));
    EXPECT_TRUE(contains(error_of([&] { read_npy(*Input::open(folder / "cut.npy"), {}); }), "cut.npy")) << length;
  }
  spill(folder / "lie.npy", npy_header("<f4", {Index{1} << 40, 2}) + std::string(32, '\0'));
  EXPECT_TRUE(contains(error_of([&] { read_npy(*Input::open(folder / "lie.npy"), {}); }), "lie.npy"));
  spill(folder / "nan.npy", npy_header("<f4", {1, 1}) + raw<float>({std::nanf("")}));
  const auto nan = read_npy(*Input::open(folder / "nan.npy"), {});
  EXPECT_TRUE(contains(error_of([&] { nan.verify(); }), "nan.npy"));
}

TEST(Npy, LabelsOfAnotherNumberOrKindAreRefused) {
  const Folder folder;
  spill(folder / "a.npy", npy_header("<f4", {2, 1}) + raw<float>({1, 2}));
  for (const auto& labels :
       {npy_header("<i4", {3}) + raw<std::int32_t>({1, 2, 3}), npy_header("<f4", {1, 2}) + raw<float>({1, 2}),
        npy_header("<f4", {2}) + raw<float>({1, std::nanf("")}), std::string("1\n2\n")}) {
    spill(folder / "a.labels.npy", labels);
    EXPECT_TRUE(contains(error_of([&] { read_npy(*Input::open(folder / "a.npy"), {}); }), "a.labels.npy"));
  }
}

}  // namespace
}  // namespace s3gd
