// Any bytes as a file, compressed or not: some bytes come out, or one Error.
#include <array>
#include <cstdint>

#include "data/input.hpp"
#include "s3gd/error.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t kEnough = std::size_t{4} << 20;  // a small file may expand to gigabytes
  std::array<char, 4096> buffer;
  try {
    const auto input = s3gd::Input::from_memory({reinterpret_cast<const char*>(data), size}, "fuzz");
    std::size_t total = 0;
    while (const std::size_t count = input->read(buffer))
      if ((total += count) > kEnough) break;
  } catch (const s3gd::Error&) {
  }
  return 0;
}
