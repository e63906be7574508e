#include <archive.h>
#include <archive_entry.h>

#include <cmath>

#include "base/memory.hpp"
#include "binary_support.hpp"
#include "data/arrays.hpp"
#include "data/format.hpp"
#include "data/s3d.hpp"

namespace s3gd {
namespace {

using namespace testing_support;
using Entries = std::vector<std::pair<std::string, std::string>>;

template <class T>
std::string array(const std::string& descr, const std::vector<Index>& shape, const std::vector<T>& values) {
  return npy_header(descr, shape) +
         std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
}

std::string zip_of(const Entries& entries, const char* compression = "store") {
  std::string bytes(1 << 20, '\0');
  std::size_t used = 0;
  archive* a = archive_write_new();
  archive_write_set_format_zip(a);
  archive_write_set_format_option(a, "zip", "compression", compression);
  archive_write_open_memory(a, bytes.data(), bytes.size(), &used);
  for (const auto& [name, content] : entries) {
    archive_entry* entry = archive_entry_new();
    archive_entry_set_pathname(entry, name.c_str());
    archive_entry_set_filetype(entry, AE_IFREG);
    archive_entry_set_size(entry, static_cast<la_int64_t>(content.size()));
    archive_write_header(a, entry);
    archive_write_data(a, content.data(), content.size());
    archive_entry_free(entry);
  }
  archive_write_free(a);
  bytes.resize(used);
  return bytes;
}

Dataset parse(const std::string& bytes, const LoadOptions& options = {}) {
  return parse_npz(std::as_bytes(std::span(bytes)), "test.npz", options);
}

// scipy's five arrays for [[0 1 0] [2 0 3]], any of them replaced.
Entries scipy_entries(const Entries& replaced = {}) {
  Entries entries{{"indices.npy", array<std::int32_t>("<i4", {3}, {1, 0, 2})},
                  {"indptr.npy", array<std::int32_t>("<i4", {3}, {0, 1, 3})},
                  {"format.npy", npy_header("|S3", {}) + "csr"},
                  {"shape.npy", array<std::int64_t>("<i8", {2}, {2, 3})},
                  {"data.npy", array<double>("<f8", {3}, {1, 2, 3})}};
  for (const auto& [name, content] : replaced) {
    const auto old = std::find_if(entries.begin(), entries.end(), [&](const auto& e) { return e.first == name; });
    if (old == entries.end())
      entries.emplace_back(name, content);
    else
      old->second = content;
  }
  return entries;
}

TEST(Npz, EveryTypeComesBackBitForBit) {
  const Folder folder;
  for (const auto& x : all_types(37, 11)) {
    const auto data = decorated(x);
    write_npz(data, folder / "a.npz", {});
    const auto read = read_npz(*Input::open(folder / "a.npz"), as_stored(data));
    // Column numbers come back as narrow as they can be.
    write_npz(read, folder / "b.npz", {});
    const auto again = read_npz(*Input::open(folder / "b.npz"), as_stored(data));
    EXPECT_TRUE(same_data(again, read));
    Dataset narrow = data;
    narrow.x = read.x;
    EXPECT_TRUE(same_data(read, narrow));
    EXPECT_EQ(read.x.stored(), data.x.stored());
    if (!std::holds_alternative<CsrView<float, std::int64_t>>(x.view()) &&
        !std::holds_alternative<CsrView<double, std::int64_t>>(x.view())) {
      EXPECT_TRUE(same_data(read, data));
    }
  }
}

TEST(Npz, ToS3dAndBackIsTheSameFile) {
  const Folder folder;
  for (const auto& x :
       {small_dense<float>(20, 5), small_csr<float, std::int32_t>(20, 5), small_csr<double, std::int32_t>(20, 5)}) {
    const auto data = decorated(x);
    write_npz(data, folder / "a.npz", {});
    write_s3d(read_npz(*Input::open(folder / "a.npz"), as_stored(data)), folder / "a.s3d", {});
    write_npz(open_s3d(folder / "a.s3d", as_stored(data)), folder / "b.npz", {});
    EXPECT_TRUE(slurp(folder / "a.npz") == slurp(folder / "b.npz"));
  }
}

TEST(Npz, MatrixLabelsAndWeightsGoByTheirUsualNames) {
  for (const std::string x : {"X", "x", "data", "arr_0"})
    for (const std::string y : {"y", "labels", "arr_1"})
      for (const char* compression : {"store", "deflate"}) {
        const auto data = parse(zip_of({{y + ".npy", array<std::int64_t>("<i8", {2}, {4, -1})},
                                        {"something.npy", "not even an array"},
                                        {"readme.txt", "hello"},
                                        {x + ".npy", array<float>("<f4", {2, 2}, {1, 2, 3, 4})},
                                        {"weights.npy", array<float>("<f4", {2}, {0.5, 2})}},
                                       compression));
        EXPECT_EQ(data.rows(), 2);
        EXPECT_EQ(data.y.values[1], -1);
        EXPECT_EQ(data.weights[0], 0.5);
      }
}

TEST(Npz, ScipyMatricesAreReadWhateverTheWidthOfTheirIndices) {
  LoadOptions options;
  options.layout = Layout::sparse;
  const auto narrow = parse(zip_of(scipy_entries()), options);
  const auto wide = parse(zip_of(scipy_entries({{"indices.npy", array<std::int64_t>("<i8", {3}, {1, 0, 2})},
                                                {"indptr.npy", array<std::int64_t>("<i8", {3}, {0, 1, 3})}})),
                          options);
  EXPECT_TRUE(same_data(narrow, wide));
  const auto& view = std::get<CsrView<float, std::int32_t>>(narrow.x.view());
  EXPECT_EQ(view.cols, 3);
  EXPECT_EQ(view.row_nonzeros(1), 2);
  EXPECT_EQ(view.values[2], 3);
}

TEST(Npz, UnsortedRowsAreSortedAndRepeatedIndicesRefusedOrAdded) {
  LoadOptions options;
  options.layout = Layout::sparse;
  const auto sorted =
      parse(zip_of(scipy_entries({{"indices.npy", array<std::int32_t>("<i4", {3}, {1, 2, 0})}})), options);
  const auto& view = std::get<CsrView<float, std::int32_t>>(sorted.x.view());
  EXPECT_EQ(view.columns[1], 0);
  EXPECT_EQ(view.values[1], 3);
  const auto twice = zip_of(scipy_entries({{"indices.npy", array<std::int32_t>("<i4", {3}, {1, 2, 2})}}));
  EXPECT_TRUE(contains(error_of([&] { parse(twice, options); }), "twice"));
  options.index_order = IndexOrder::merge;
  const auto merged = parse(twice, options);
  EXPECT_EQ(merged.x.stored(), 2);
  EXPECT_EQ((std::get<CsrView<float, std::int32_t>>(merged.x.view()).values[1]), 5);
}

TEST(Npz, EveryMalformedArchiveIsOneClearErrorThatNamesIt) {
  const auto x = array<float>("<f4", {2, 2}, {1, 2, 3, 4});
  const auto y = array<std::int64_t>("<i8", {2}, {0, 1});
  const auto good = zip_of({{"X.npy", x}, {"y.npy", y}}, "deflate");
  const auto scipy_with = [](const std::string& name, const std::string& content) {
    return zip_of(scipy_entries({{name, content}}));
  };
  const std::vector<std::string> cases{
      "",
      "PK",
      "PK\x03\x04",
      "not an archive at all",
      good.substr(0, good.size() / 2),
      good.substr(0, good.size() - 10),
      zip_of({}),
      zip_of({{"readme.txt", "hello"}}),
      zip_of({{"y.npy", y}}),
      zip_of({{"X.npy", x}, {"arr_0.npy", x}}),
      zip_of({{"X.npy", x.substr(0, x.size() - 1)}}),
      zip_of({{"X.npy", x + "x"}}),
      zip_of({{"X.npy", "hello"}}),
      zip_of({{"X.npy", npy_header("<f4", {Index{1} << 40, 1000}) + "xxxx"}}),
      zip_of({{"X.npy", array<float>("<f4", {1, 1}, {std::nanf("")})}}),
      zip_of({{"X.npy", array<float>("<f4", {4}, {1, 2, 3, 4})}}),
      zip_of({{"X.npy", x}, {"y.npy", array<std::int64_t>("<i8", {3}, {0, 1, 2})}}),
      zip_of({{"X.npy", x}, {"y.npy", array<double>("<f8", {2}, {0, std::nan("")})}}),
      zip_of({{"X.npy", x}, {"y.npy", array<double>("<f8", {1, 2}, {0, 1})}}),
      zip_of({{"X.npy", x}, {"weights.npy", array<double>("<f8", {2}, {1, -1})}}),
      zip_of({{"X.npy", x}, {"weights.npy", array<double>("<f8", {1}, {1})}}),
      zip_of({{"X.npy", x}, {"feature_names.npy", npy_header("|S1", {1}) + "a"}}),
      zip_of({{"X.npy", x}, {"feature_names.npy", npy_header("|S1", {Index{1} << 60}) + "a"}}),
      zip_of({{"X.npy", x}, {"y.npy", y}, {"class_names.npy", npy_header("|S1", {1}) + "a"}}),
      zip_of({{"X.npy", x}, {"data.npy", array<float>("<f4", {1}, {1})}}),
      scipy_with("format.npy", npy_header("|S3", {}) + "csc"),
      scipy_with("format.npy", npy_header("|S3", {2}) + "csrcsr"),
      scipy_with("shape.npy", array<std::int64_t>("<i8", {2}, {3, 3})),
      scipy_with("shape.npy", array<std::int64_t>("<i8", {2}, {-2, 3})),
      scipy_with("shape.npy", array<std::int64_t>("<i8", {3}, {2, 3, 1})),
      scipy_with("shape.npy", array<std::int64_t>("<i8", {2}, {std::numeric_limits<Index>::max(), 3})),
      scipy_with("shape.npy", array<double>("<f8", {2}, {2, 3})),
      scipy_with("shape.npy", array<std::int64_t>("<i8", {2}, {2, 2})),
      scipy_with("shape.npy", array<std::uint64_t>("<u8", {2}, {2, ~std::uint64_t{0}})),
      scipy_with("indices.npy", array<std::int32_t>("<i4", {3}, {1, 0, 3})),
      scipy_with("indices.npy", array<std::int32_t>("<i4", {3}, {-1, 0, 2})),
      scipy_with("indices.npy", array<std::int32_t>("<i4", {2}, {1, 0})),
      scipy_with("indices.npy", array<float>("<f4", {3}, {1, 0, 2})),
      scipy_with("indptr.npy", array<std::int32_t>("<i4", {3}, {0, 4, 3})),
      scipy_with("indptr.npy", array<std::int32_t>("<i4", {3}, {1, 1, 3})),
      scipy_with("indptr.npy", array<std::int32_t>("<i4", {3}, {0, -1, 3})),
      scipy_with("indptr.npy", array<std::int32_t>("<i4", {2}, {0, 3})),
      scipy_with("indptr.npy", array<std::int32_t>("<i4", {0}, {})),
      scipy_with("data.npy", array<double>("<f8", {3}, {1, std::nan(""), 3})),
      scipy_with("data.npy", array<double>("<f8", {2}, {1, 2})),
      zip_of({{"data.npy", array<double>("<f8", {3}, {1, 2, 3})}}),
  };
  const auto before = peak_memory_bytes();
  for (std::size_t k = 0; k < cases.size(); ++k)
    EXPECT_TRUE(contains(error_of([&] { parse(cases[k]); }), "test.npz")) << "case " << k;
  EXPECT_LT(peak_memory_bytes() - before, 100U << 20);
}

TEST(Npz, NoFlippedByteCrashesAndTheArchiveNoticesDamagedData) {
  const auto good = zip_of(scipy_entries({{"y.npy", array<std::int64_t>("<i8", {2}, {0, 1})}}));
  for (std::size_t at = 0; at < good.size(); ++at) {
    auto bytes = good;
    bytes[at] = static_cast<char>(~bytes[at]);
    error_of([&] { parse(bytes); });
  }
  auto bytes = good;
  const auto place = good.find("csr");
  bytes[place] = 'C';
  EXPECT_TRUE(contains(error_of([&] { parse(bytes); }), "test.npz"));
}

TEST(Npz, IsNotWrittenUnderACompressedName) {
  const Folder folder;
  const auto data = decorated(small_dense<float>(2, 2));
  EXPECT_THROW(write_npz(data, folder / "a.npz.gz", {}), Error);
  EXPECT_THROW(write_npy(data, folder / "a.npy.zst", {}), Error);
  EXPECT_THROW(write_s3d(data, folder / "a.s3d.xz", {}), Error);
}

}  // namespace
}  // namespace s3gd
