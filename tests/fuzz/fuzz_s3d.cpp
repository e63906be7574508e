// Any bytes as an .s3d file. Checksums are made right first, as no mutation would get past them otherwise.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "base/checksum.hpp"
#include "data/s3d.hpp"
#include "s3gd/error.hpp"

namespace {

constexpr std::size_t kTable = 64, kChecksumAt = s3gd::s3d::kHeaderBytes - 8;

void put_checksum(std::span<std::byte> file, std::size_t at, std::span<const std::byte> of) {
  const std::uint64_t sum = s3gd::checksum(of, 1);
  std::memcpy(file.data() + at, &sum, sizeof sum);
}

void repair_checksums(std::span<std::byte> file) {
  if (file.size() < s3gd::s3d::kHeaderBytes) return;
  for (std::size_t k = 0; k < s3gd::s3d::section_count; ++k) {
    s3gd::s3d::SectionPlace place;
    std::memcpy(&place, file.data() + kTable + 24 * k, 24);
    if (place.offset < s3gd::s3d::kHeaderBytes || place.offset > file.size() ||
        place.bytes > file.size() - place.offset)
      continue;
    put_checksum(file, kTable + 24 * k + 16, file.subspan(place.offset, place.bytes));
  }
  const std::uint64_t size = file.size();
  std::memcpy(file.data() + 16, &size, sizeof size);
  put_checksum(file, kChecksumAt, file.first(kChecksumAt));
}

void open_and_verify(std::span<const std::byte> file) {
  try {
    s3gd::LoadOptions options;
    options.threads = 1;
    s3gd::parse_s3d(file, nullptr, "fuzz", options).verify(1);
  } catch (const s3gd::Error&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::vector<std::uint64_t> aligned((size + 7) / 8);
  if (size > 0) std::memcpy(aligned.data(), data, size);
  const auto file = std::as_writable_bytes(std::span(aligned)).first(size);
  open_and_verify(file);
  repair_checksums(file);
  open_and_verify(file);
  return 0;
}
