// Any bytes as a NumPy array: rows, labels and strings.
#include <cstddef>
#include <cstdint>
#include <span>

#include "data/arrays.hpp"
#include "s3gd/error.hpp"

namespace {

template <class F>
void attempt(F&& f) {
  try {
    f();
  } catch (const s3gd::Error&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  attempt([&] { s3gd::parse_npy(s3gd::source_of(bytes), "fuzz", {}); });
  attempt([&] {
    const auto source = s3gd::source_of(bytes);
    s3gd::read_npy_labels(s3gd::read_npy_header(source, "fuzz"), source, "fuzz");
  });
  return 0;
}
