// Any bytes as IDX images and as IDX labels.
#include <cstddef>
#include <cstdint>
#include <span>

#include "data/arrays.hpp"
#include "s3gd/error.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  s3gd::LoadOptions options;
  options.threads = 1;
  try {
    s3gd::parse_idx(s3gd::source_of(bytes), "fuzz", options);
  } catch (const s3gd::Error&) {
  }
  try {
    s3gd::parse_idx_labels(s3gd::source_of(bytes), "fuzz");
  } catch (const s3gd::Error&) {
  }
  return 0;
}
