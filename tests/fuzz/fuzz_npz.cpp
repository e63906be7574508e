// Any bytes as a NumPy archive.
#include <cstddef>
#include <cstdint>
#include <span>

#include "data/arrays.hpp"
#include "s3gd/error.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    s3gd::LoadOptions options;
    options.threads = 1;
    s3gd::parse_npz(std::as_bytes(std::span(data, size)), "fuzz", options).x.check(1);
  } catch (const s3gd::Error&) {
  }
  return 0;
}
