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
  attempt([&] { s3gd::open_npy(s3gd::source_of(bytes), "fuzz").rows({}); });
  attempt([&] { s3gd::open_npy(s3gd::source_of(bytes), "fuzz").labels(); });
  return 0;
}
