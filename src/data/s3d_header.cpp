#include <bit>
#include <cstring>

#include "data/assemble.hpp"
#include "data/s3d.hpp"

namespace s3gd::s3d {

static_assert(std::endian::native == std::endian::little, "sections are used where they lie");

// A byte above 127 and line ends of both kinds, so that a transfer as text is noticed.
const std::array<char, 8> kMagic{'\x89', 'S', '3', 'D', '\r', '\n', '\x1a', '\n'};

namespace {

constexpr std::uint32_t kVersion = 1;
constexpr std::size_t kTable = 64;
constexpr std::size_t kChecksumAt = kHeaderBytes - 8;
constexpr std::uint8_t kDenseRows = 1, kSparseRows = 2;

template <class T>
T get(std::span<const std::byte> bytes, std::size_t at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

template <class T>
void put(std::span<std::byte> bytes, std::size_t at, T value) {
  std::memcpy(bytes.data() + at, &value, sizeof value);
}

[[noreturn]] void damaged(const std::string& name, const std::string& found, const std::string& expected) {
  throw Error({name}, found, expected, "the file is damaged; convert the original again");
}

// The sizes the sections must have; names may have any.
void check_section_sizes(const Header& header, const std::string& name) {
  const auto rows = header.rows;
  const bool labelled = header.label_kind != LabelKind::none;
  if (header.dense && product(header.rows, header.cols) != header.stored)
    damaged(name, "a number of entries that is not rows times columns", "one that is");
  const std::array<std::optional<Index>, 5> expected{
      product(header.stored, header.value_bytes), product(header.stored, header.column_bytes),
      header.dense ? Index{0} : product(rows + 1, 8), labelled ? product(rows, 8) : Index{0}, product(rows, 8)};
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

void check_shape(const Header& header, std::uint8_t layout, const std::string& name) {
  const bool widths = (header.value_bytes == 4 || header.value_bytes == 8) &&
                      (header.dense ? header.column_bytes == 0 : header.column_bytes == 4 || header.column_bytes == 8);
  constexpr Index kMost = Index{1} << 62;
  if (header.rows < 0 || header.cols < 0 || header.stored < 0 || header.rows > kMost || header.stored > kMost)
    damaged(name, "sizes beyond 2^62", "smaller ones");
  if ((layout != kDenseRows && layout != kSparseRows) || !widths || header.label_kind > LabelKind::real)
    damaged(name, "types that do not exist", "dense or sparse rows of 4- or 8-byte numbers");
  if (header.dense && header.cols == 0 && header.rows > 0)
    damaged(name, "dense rows without columns", "at least one column");
  if (header.column_bytes == 4 && !fits_narrow_columns(header.cols))
    damaged(name, "more columns than their numbers can count", "8-byte column numbers");
}

}  // namespace

std::array<std::byte, kHeaderBytes> encode(const Header& header) {
  std::array<std::byte, kHeaderBytes> bytes{};
  std::memcpy(bytes.data(), kMagic.data(), kMagic.size());
  put(bytes, 8, kVersion);
  put(bytes, 12, static_cast<std::uint32_t>(section_count));
  put(bytes, 16, header.file_bytes);
  put(bytes, 24, header.rows);
  put(bytes, 32, header.cols);
  put(bytes, 40, header.stored);
  put(bytes, 48, header.dense ? kDenseRows : kSparseRows);
  put(bytes, 49, header.value_bytes);
  put(bytes, 50, header.column_bytes);
  put(bytes, 51, static_cast<std::uint8_t>(header.label_kind));
  for (std::size_t k = 0; k < section_count; ++k) std::memcpy(bytes.data() + kTable + 24 * k, &header.sections[k], 24);
  put(bytes, kChecksumAt, checksum(std::span(bytes).first(kChecksumAt), 1));
  return bytes;
}

Header decode(std::span<const std::byte> file, const std::string& name) {
  if (file.size() < kMagic.size() || std::memcmp(file.data(), kMagic.data(), kMagic.size()) != 0)
    throw Error({name}, "a file that does not begin like one", "an .s3d file", "check the path or the format");
  if (file.size() < kHeaderBytes)
    damaged(name, std::to_string(file.size()) + " bytes", "a header of " + std::to_string(kHeaderBytes));
  if (const auto version = get<std::uint32_t>(file, 8); version != kVersion)
    throw Error({name}, ".s3d version " + std::to_string(version), "version " + std::to_string(kVersion),
                "it was written by another release, or is damaged");
  if (get<std::uint64_t>(file, kChecksumAt) != checksum(file.first(kChecksumAt), 1))
    damaged(name, "a header that differs from its checksum", "the header as it was written");
  Header header;
  header.file_bytes = get<std::uint64_t>(file, 16);
  header.rows = get<Index>(file, 24);
  header.cols = get<Index>(file, 32);
  header.stored = get<Index>(file, 40);
  header.dense = get<std::uint8_t>(file, 48) == kDenseRows;
  header.value_bytes = get<std::uint8_t>(file, 49);
  header.column_bytes = get<std::uint8_t>(file, 50);
  header.label_kind = static_cast<LabelKind>(get<std::uint8_t>(file, 51));
  for (std::size_t k = 0; k < section_count; ++k) std::memcpy(&header.sections[k], file.data() + kTable + 24 * k, 24);
  if (header.file_bytes != file.size() || get<std::uint32_t>(file, 12) != section_count)
    damaged(name, std::to_string(file.size()) + " bytes", std::to_string(header.file_bytes) + " as its header says");
  check_shape(header, get<std::uint8_t>(file, 48), name);
  check_section_sizes(header, name);
  check_places(header, name);
  return header;
}

}  // namespace s3gd::s3d
