#include "base/file.hpp"
#include "data/convert.hpp"
#include "data/format.hpp"
#include "data/s3d.hpp"

namespace s3gd::s3d {

static_assert(std::endian::native == std::endian::little, "sections are used where they lie");

namespace {

[[noreturn]] void damaged(const std::string& name, const std::string& found, const std::string& expected) {
  throw Error({name}, found, expected, "the file is damaged; convert the original again");
}

// The sizes the sections must have; names may have any.
void check_section_sizes(const Header& header, const std::string& name) {
  const auto rows = header.rows;
  const bool labelled = header.label_kind != LabelKind::none;
  if (header.dense() && product(header.rows, header.cols) != header.stored)
    damaged(name, "a number of entries that is not rows times columns", "one that is");
  const std::array<std::optional<Index>, 5> expected{
      product(header.stored, header.value_bytes), product(header.stored, header.column_bytes),
      header.dense() ? Index{0} : product(rows + 1, 8), labelled ? product(rows, 8) : Index{0}, product(rows, 8)};
  for (std::size_t k = 0; k < expected.size(); ++k) {
    const auto bytes = header.sections[k].bytes;
    const bool absent = k == weights && bytes == 0;
    if (!absent && (!expected[k] || bytes != static_cast<std::uint64_t>(*expected[k])))
      damaged(name, "section " + std::to_string(k) + " of " + std::to_string(bytes) + " bytes",
              expected[k] ? std::to_string(*expected[k]) : std::string("a size below 2^63"));
  }
}

void check_places(const Header& header, const std::string& name) {
  std::uint64_t end = kHeaderBytes;
  for (const auto& section : header.sections) {
    if (section.offset % kAlignment != 0 || section.offset < end || section.offset > header.file_bytes ||
        section.bytes > header.file_bytes - section.offset)
      damaged(name, "a section outside of its place", "sections one after the other within the file");
    end = section.offset + section.bytes;
  }
  if (end != header.file_bytes) damaged(name, "bytes after the last section", "the end of the file");
}

void check_shape(const Header& header, const std::string& name) {
  const bool widths =
      (header.value_bytes == 4 || header.value_bytes == 8) &&
      (header.dense() ? header.column_bytes == 0 : header.column_bytes == 4 || header.column_bytes == 8);
  constexpr Index kMost = Index{1} << 62;
  if (header.rows < 0 || header.cols < 0 || header.stored < 0 || header.rows > kMost || header.stored > kMost)
    damaged(name, "sizes beyond 2^62", "smaller ones");
  if ((header.layout != dense_rows && header.layout != sparse_rows) || !widths || header.label_kind > LabelKind::real)
    damaged(name, "types that do not exist", "dense or sparse rows of 4- or 8-byte numbers");
  if (header.dense() && header.cols == 0 && header.rows > 0)
    damaged(name, "dense rows without columns", "at least one column");
  if (header.column_bytes == 4 && !fits_narrow_columns(header.cols))
    damaged(name, "more columns than their numbers can count", "8-byte column numbers");
}

}  // namespace

std::array<std::byte, kHeaderBytes> encode(Header header) {
  header.checksum = checksum(std::as_bytes(std::span(&header, 1)).first(kHeaderBytes - sizeof header.checksum), 1);
  return std::bit_cast<std::array<std::byte, kHeaderBytes>>(header);
}

Header decode(std::span<const std::byte> file, const std::string& name) {
  if (file.size() < kMagic.size() || std::memcmp(file.data(), kMagic.data(), kMagic.size()) != 0)
    throw Error({name}, "a file that does not begin like one", "an .s3d file", "check the path or the format");
  if (file.size() < kHeaderBytes)
    damaged(name, std::to_string(file.size()) + " bytes", "a header of " + std::to_string(kHeaderBytes));
  Header header;
  std::memcpy(&header, file.data(), kHeaderBytes);
  if (header.version != kVersion)
    throw Error({name}, ".s3d version " + std::to_string(header.version), "version " + std::to_string(kVersion),
                "it was written by another release, or is damaged");
  if (header.checksum != checksum(file.first(kHeaderBytes - sizeof header.checksum), 1))
    damaged(name, "a header that differs from its checksum", "the header as it was written");
  if (header.file_bytes != file.size() || header.listed != section_count)
    damaged(name, std::to_string(file.size()) + " bytes", std::to_string(header.file_bytes) + " as its header says");
  check_shape(header, name);
  check_section_sizes(header, name);
  check_places(header, name);
  return header;
}

}  // namespace s3gd::s3d

namespace s3gd {
namespace {

using s3d::Header;

struct File {
  std::span<const std::byte> bytes;
  std::shared_ptr<const void> owner;
  std::string name;
  Header header;

  std::span<const std::byte> section(s3d::Section which) const {
    const auto& place = header.sections[which];
    return bytes.subspan(place.offset, place.bytes);
  }
  template <class T>
  const T* start_of(s3d::Section which) const {
    return reinterpret_cast<const T*>(section(which).data());
  }
  Array<double> numbers(s3d::Section which) const {
    return Array<double>({start_of<double>(which), section(which).size() / sizeof(double)}, owner);
  }
  void check(s3d::Section which, int threads) const {
    if (checksum(section(which), threads) == header.sections[which].checksum) return;
    s3d::damaged(name, "section " + std::to_string(which) + " that differs from its checksum",
                 "the data as it was written");
  }
};

// Each name: its length in 4 bytes, then its bytes.
std::vector<std::string> read_names(const File& file, s3d::Section which) {
  file.check(which, 1);
  const auto bytes = file.section(which);
  std::vector<std::string> names;
  for (std::size_t at = 0; at < bytes.size();) {
    std::uint32_t length = 0;
    if (bytes.size() - at >= sizeof length) std::memcpy(&length, bytes.data() + at, sizeof length);
    if (bytes.size() - at < sizeof length || bytes.size() - at - sizeof length < length)
      s3d::damaged(file.name, "a name that runs past its section", "names within it");
    at += sizeof length;
    names.emplace_back(reinterpret_cast<const char*>(bytes.data() + at), length);
    at += length;
  }
  return names;
}

template <class T, class I>
MatrixView csr_view(const File& file) {
  const auto* starts = file.start_of<std::int64_t>(s3d::starts);
  // Only the ends are looked at now: whoever asks how many entries there are must get an answer in bounds.
  if (starts[0] != 0 || starts[file.header.rows] != file.header.stored)
    s3d::damaged(file.name, "row starts that do not span the entries", "0 at first and their number at last");
  return CsrView<T, I>{file.start_of<T>(s3d::values), file.start_of<I>(s3d::columns), starts, file.header.rows,
                       file.header.cols};
}

template <class T>
MatrixView rows_of(const File& file) {
  const auto& header = file.header;
  if (header.dense()) return DenseView<T>{file.start_of<T>(s3d::values), header.rows, header.cols, header.cols};
  return header.column_bytes == 4 ? csr_view<T, std::int32_t>(file) : csr_view<T, std::int64_t>(file);
}

}  // namespace

Dataset parse_s3d(std::span<const std::byte> bytes, std::shared_ptr<const void> owner, const std::string& name,
                  const LoadOptions& options) {
  const File file{bytes, std::move(owner), name, s3d::decode(bytes, name)};
  Dataset data;
  data.source = name;
  data.x = Matrix(file.header.value_bytes == 4 ? rows_of<float>(file) : rows_of<double>(file), file.owner);
  data.y.kind = file.header.label_kind;
  data.y.values = file.numbers(s3d::labels);
  data.weights = file.numbers(s3d::weights);
  data.feature_names = read_names(file, s3d::feature_names);
  data.y.class_names = read_names(file, s3d::class_names);
  if (!data.feature_names.empty() && static_cast<Index>(data.feature_names.size()) != data.cols())
    throw Error({name}, std::to_string(data.feature_names.size()) + " feature names", "one for each column");
  data.verifier = verify_once(
      [file, data](int threads) {
        for (const auto which : {s3d::values, s3d::columns, s3d::starts, s3d::labels, s3d::weights})
          file.check(which, threads);
        check_contents(data, file.name, threads);
      },
      true);
  apply_options(data, options, WhenOpen::keep);
  return data;
}

Dataset open_s3d(const std::string& path, const LoadOptions& options) {
  const auto file = std::make_shared<const MappedFile>(path);
  return parse_s3d(file->bytes(), file, path, options);
}

int recognise_s3d(std::string_view name, std::span<const char> head) {
  if (head.size() >= s3d::kMagic.size() && std::equal(s3d::kMagic.begin(), s3d::kMagic.end(), head.begin())) return 3;
  return name.ends_with(".s3d") ? 2 : 0;
}

Dataset read_s3d(Input& input, const LoadOptions& options) {
  if (is_mappable(input)) return open_s3d(input.name(), options);
  const auto bytes = read_all(input);
  return parse_s3d(std::as_bytes(bytes.span()), bytes.owner(), input.name(), options);
}

}  // namespace s3gd
