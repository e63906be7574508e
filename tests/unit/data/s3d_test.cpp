#include "data/s3d.hpp"

#include <sys/stat.h>

#include "base/file.hpp"
#include "binary_support.hpp"
#include "data/format.hpp"
#include "data/generate.hpp"

namespace s3gd {
namespace {

using namespace testing_support;

Dataset opened_and_verified(const std::string& path, const LoadOptions& options) {
  auto data = open_s3d(path, options);
  data.verify();
  return data;
}

// Bytes that anything may be done to, where any type may lie.
struct Bytes {
  explicit Bytes(const std::string& text) : words((text.size() + 7) / 8), size(text.size()) {
    if (!text.empty()) std::memcpy(words.data(), text.data(), text.size());
  }
  std::span<std::byte> span() { return std::as_writable_bytes(std::span(words)).first(size); }
  std::vector<std::uint64_t> words;
  std::size_t size;
};

// A file with a header made up by the caller, with its checksum right.
std::string with_header(const std::string& file, const std::function<void(s3d::Header&)>& change) {
  Bytes bytes(file);
  auto header = s3d::decode(bytes.span(), "original");
  change(header);
  const auto encoded = s3d::encode(header);
  std::string changed = file;
  std::memcpy(changed.data(), encoded.data(), encoded.size());
  return changed;
}

TEST(S3d, EveryTypeComesBackBitForBit) {
  const Folder folder;
  for (const auto& x : all_types(37, 11)) {
    const auto data = decorated(x);
    write_s3d(data, folder / "a.s3d", {});
    EXPECT_TRUE(same_data(opened_and_verified(folder / "a.s3d", as_stored(data)), data));
  }
}

TEST(S3d, NothingButRowsIsEnough) {
  const Folder folder;
  for (const auto& x : all_types(5, 3)) {
    Dataset data;
    data.x = x;
    write_s3d(data, folder / "a.s3d", {});
    EXPECT_TRUE(same_data(opened_and_verified(folder / "a.s3d", as_stored(data)), data));
  }
}

TEST(S3d, NoRowsAndRowsWithoutEntriesComeBack) {
  const Folder folder;
  for (const auto& x : {Matrix::own_dense<float>({}, 0, 4), Matrix::own_csr<float, std::int32_t>({}, {}, {0}, 4),
                        Matrix::own_csr<float, std::int32_t>({}, {}, {0, 0, 0}, 4)}) {
    Dataset data;
    data.x = x;
    write_s3d(data, folder / "a.s3d", {});
    EXPECT_TRUE(same_data(opened_and_verified(folder / "a.s3d", as_stored(data)), data));
  }
}

TEST(S3d, RowsLieInTheFileNotInACopy) {
  const Folder folder;
  const auto data = decorated(small_dense<float>(1000, 8));
  write_s3d(data, folder / "a.s3d", {});
  const auto mapped = open_s3d(folder / "a.s3d", as_stored(data));
  const auto file = std::static_pointer_cast<const MappedFile>(mapped.x.owner());
  const auto* first = reinterpret_cast<const std::byte*>(std::get<DenseView<float>>(mapped.x.view()).values);
  EXPECT_EQ(first, file->bytes().data() + s3d::kHeaderBytes);
}

TEST(S3d, AnotherLayoutOrPrecisionIsConverted) {
  const Folder folder;
  const auto data = decorated(small_csr<double, std::int64_t>(20, 7));
  write_s3d(data, folder / "a.s3d", {});
  LoadOptions options;
  options.layout = Layout::dense;
  options.cols = 9;
  const auto read = open_s3d(folder / "a.s3d", options);
  ASSERT_TRUE(std::holds_alternative<DenseView<float>>(read.x.view()));
  EXPECT_EQ(read.cols(), 9);
  EXPECT_EQ(read.feature_names.size(), 9U);
  const auto& view = std::get<DenseView<float>>(read.x.view());
  const auto& original = std::get<CsrView<double, std::int64_t>>(data.x.view());
  for (Index i = 0; i < 20; ++i)
    for (auto k = original.starts[i]; k < original.starts[i + 1]; ++k)
      EXPECT_EQ(view.row(i)[original.columns[k]], static_cast<float>(original.values[k]));
}

TEST(S3d, StreamedBlocksGiveTheSameFileAsTheWhole) {
  const Folder folder;
  for (const std::string spec : {"gen:text?rows=150000&cols=300&nnz=2", "gen:ill?rows=300000&cols=5",
                                 "gen:regression?rows=90&cols=40&density=0.2"}) {
    write_s3d(generate(spec), folder / "whole.s3d", {});
    stream_s3d(folder / "streamed.s3d", [&](const RowSink& take) {
      stream_rows(*RowGenerator::from_spec(spec), {}, [&](const Dataset& block) { take(block); });
    });
    EXPECT_TRUE(slurp(folder / "streamed.s3d") == slurp(folder / "whole.s3d")) << spec;
  }
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 2);
}

TEST(S3d, BlocksOfAnotherTypeAreRefusedAndLeaveNothing) {
  const Folder folder;
  EXPECT_THROW(stream_s3d(folder / "a.s3d",
                          [&](const RowSink& take) {
                            take(decorated(small_dense<float>(2, 3)));
                            take(decorated(small_dense<double>(2, 3)));
                          }),
               Error);
  EXPECT_THROW(stream_s3d(folder / "a.s3d", [](const RowSink&) {}), Error);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(S3d, NoFlippedByteEverChangesTheDataUnnoticed) {
  const Folder folder;
  for (const auto& x : {small_dense<float>(3, 2), small_csr<double, std::int32_t>(4, 3)}) {
    const auto data = decorated(x);
    write_s3d(data, folder / "a.s3d", {});
    const auto original = slurp(folder / "a.s3d");
    Index refused = 0;
    for (std::size_t at = 0; at < original.size(); ++at) {
      for (const char flip : {'\x01', '\x80', '\xff'}) {
        Bytes bytes(original);
        bytes.span()[at] ^= static_cast<std::byte>(flip);
        try {
          const auto read = parse_s3d(bytes.span(), nullptr, "flipped", as_stored(data));
          read.verify();
          EXPECT_TRUE(same_data(read, data)) << "byte " << at;
        } catch (const Error&) {
          ++refused;
        }
      }
    }
    EXPECT_GT(refused, static_cast<Index>(original.size()));
  }
}

TEST(S3d, CutShortAtAnyLengthOrLongerIsRefusedAtOpening) {
  const Folder folder;
  const auto data = decorated(small_csr<float, std::int32_t>(4, 3));
  write_s3d(data, folder / "a.s3d", {});
  const auto original = slurp(folder / "a.s3d");
  for (std::size_t length = 0; length < original.size(); ++length) {
    Bytes bytes(original.substr(0, length));
    EXPECT_THROW(parse_s3d(bytes.span(), nullptr, "cut", {}), Error) << length;
  }
  Bytes longer(original + std::string(64, '\0'));
  EXPECT_THROW(parse_s3d(longer.span(), nullptr, "longer", {}), Error);
}

TEST(S3d, HeadersThatLieWithARightChecksumAreRefused) {
  const Folder folder;
  write_s3d(decorated(small_csr<float, std::int32_t>(4, 3)), folder / "a.s3d", {});
  const auto original = slurp(folder / "a.s3d");
  const std::vector<std::function<void(s3d::Header&)>> lies{
      [](auto& h) { h.rows = Index{1} << 60; },
      [](auto& h) { h.rows = -1; },
      [](auto& h) { h.rows = std::numeric_limits<Index>::max(); },
      [](auto& h) { h.stored = Index{1} << 62; },
      [](auto& h) { h.cols = -5; },
      [](auto& h) { h.cols = Index{1} << 40; },
      [](auto& h) { h.layout = s3d::dense_rows; },
      [](auto& h) { h.value_bytes = 8; },
      [](auto& h) { h.value_bytes = 3; },
      [](auto& h) { h.column_bytes = 8; },
      [](auto& h) { h.label_kind = static_cast<LabelKind>(9); },
      [](auto& h) { h.label_kind = LabelKind::none; },
      [](auto& h) { h.sections[s3d::values].offset = 0; },
      [](auto& h) { h.sections[s3d::values].offset += 8; },
      [](auto& h) { h.sections[s3d::columns].offset = ~std::uint64_t{63}; },
      [](auto& h) { h.sections[s3d::starts].bytes = ~std::uint64_t{0}; },
      [](auto& h) { h.sections[s3d::class_names].bytes += 64; },
      [](auto& h) { h.file_bytes += 64; },
      [](auto& h) { std::swap(h.sections[s3d::labels], h.sections[s3d::weights]); },
  };
  for (std::size_t k = 0; k < lies.size(); ++k) {
    Bytes bytes(with_header(original, lies[k]));
    EXPECT_THROW(parse_s3d(bytes.span(), nullptr, "lie", {}), Error) << k;
  }
}

// Contents that are wrong although every checksum is right: the writer was given them.
TEST(S3d, WrongContentsAreRefusedWhenVerified) {
  const Folder folder;
  const float nan = std::nanf("");
  const auto dense = decorated(Matrix::own_dense<float>({1, 2, nan, 4}, 2, 2));
  const auto unsorted = decorated(Matrix::own_csr<float, std::int32_t>({1, 2}, {1, 0}, {0, 2}, 2));
  const auto outside = decorated(Matrix::own_csr<float, std::int32_t>({1, 2}, {0, 7}, {0, 2}, 2));
  const auto backwards = decorated(Matrix::own_csr<float, std::int32_t>({1, 2}, {0, 1}, {0, 2, 1, 2}, 2));
  auto half_class = decorated(small_dense<float>(2, 2));
  half_class.y.values = Array<double>(std::vector<double>{0.5, 1});
  auto nameless = decorated(small_dense<float>(2, 2));
  nameless.y.values = Array<double>(std::vector<double>{0, 3});
  auto negative = decorated(small_dense<float>(2, 2));
  negative.weights = Array<double>(std::vector<double>{1, -1});
  for (const auto& data : {dense, unsorted, outside, backwards, half_class, nameless, negative}) {
    write_s3d(data, folder / "a.s3d", {});
    const auto read = open_s3d(folder / "a.s3d", as_stored(data));
    EXPECT_TRUE(contains(error_of([&] { read.verify(); }), "a.s3d"));
    EXPECT_THROW(read.verify(), Error) << "and again";
  }
}

TEST(S3d, OtherFilesAreRefusedWithTheirName) {
  const Folder folder;
  spill(folder / "text.s3d", "1 1:2\n");
  spill(folder / "empty.s3d", "");
  std::filesystem::create_directory(folder / "directory.s3d");
  for (const std::string name : {"text.s3d", "empty.s3d", "directory.s3d", "missing.s3d"})
    EXPECT_TRUE(contains(error_of([&] { open_s3d(folder / name, {}); }), name));
  if (geteuid() != 0) {
    write_s3d(decorated(small_dense<float>(2, 2)), folder / "locked.s3d", {});
    chmod((folder / "locked.s3d").c_str(), 0);
    EXPECT_TRUE(contains(error_of([&] { open_s3d(folder / "locked.s3d", {}); }), "permission"));
  }
}

}  // namespace
}  // namespace s3gd
