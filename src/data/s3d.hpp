// .s3d: the project's binary format; mapped, not read: opening one costs nothing, rows are used where they lie.
//
// 512 bytes of header (see docs/formats.md: shape, types, a table of sections, a checksum over all of it), then the
// sections, each on a multiple of 64 bytes: values, columns, starts, labels, weights, feature names, class names.
// Opening checks the header and every size against the file; the sections' checksums and the structure of the rows are
// checked by Dataset::verify(), once. Little-endian.
#pragma once

#include "base/checksum.hpp"
#include "data/checks.hpp"

namespace s3gd {

namespace s3d {

enum Section : std::size_t { values, columns, starts, labels, weights, feature_names, class_names, section_count };

struct SectionPlace {
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
  std::uint64_t checksum = 0;
};

constexpr std::size_t kHeaderBytes = 512;
constexpr std::size_t kAlignment = 64;
constexpr std::uint32_t kVersion = 1;
// A byte above 127 and line ends of both kinds, so that a transfer as text is noticed.
constexpr std::array<char, 8> kMagic{'\x89', 'S', '3', 'D', '\r', '\n', '\x1a', '\n'};
enum Layout : std::uint8_t { dense_rows = 1, sparse_rows = 2 };

// As it lies in the file.
struct Header {
  std::array<char, 8> magic = kMagic;
  std::uint32_t version = kVersion;
  std::uint32_t listed = section_count;
  std::uint64_t file_bytes = 0;
  Index rows = 0;
  Index cols = 0;
  Index stored = 0;  // entries held
  Layout layout = dense_rows;
  std::uint8_t value_bytes = 4;   // 4 or 8
  std::uint8_t column_bytes = 0;  // 4 or 8; 0 when dense
  LabelKind label_kind = LabelKind::none;
  std::array<std::byte, 12> unused = {};
  std::array<SectionPlace, section_count> sections;
  std::array<std::byte, 272> unused_too = {};
  std::uint64_t checksum = 0;  // of all before it

  bool dense() const { return layout == dense_rows; }
};
static_assert(sizeof(Header) == kHeaderBytes);

std::array<std::byte, kHeaderBytes> encode(Header header);
// Checks everything that can be checked without looking at a section.
Header decode(std::span<const std::byte> file, const std::string& name);

}  // namespace s3d

// `owner` keeps the bytes alive; they must lie on a multiple of 8.
Dataset parse_s3d(std::span<const std::byte> bytes, std::shared_ptr<const void> owner, const std::string& name,
                  const LoadOptions& options);
Dataset open_s3d(const std::string& path, const LoadOptions& options);

}  // namespace s3gd
