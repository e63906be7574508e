// Any bytes as a graph file: an Error or a graph, never a crash. The second reading repairs the checksum first, so
// that the checks behind it are reached too.
#include <cstring>
#include <vector>

#include "anchor/anchors.hpp"
#include "anchor/propagate.hpp"
#include "base/checksum.hpp"
#include "s3gd/error.hpp"

namespace {

void read(std::span<const std::byte> bytes, const s3gd::Matrix& x) {
  try {
    const auto graph = s3gd::graph_from_bytes(bytes, "fuzz", x);
    s3gd::propagate<float>(x, graph, {}, true, 1);
  } catch (const s3gd::Error&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const auto x = s3gd::Matrix::own_dense(std::vector<float>{1, 2, 3, 4, 5, 7}, 3, 2);
  std::vector<std::byte> bytes(size);
  if (size > 0) std::memcpy(bytes.data(), data, size);
  read(bytes, x);
  constexpr std::size_t kDataChecksumAt = 64;
  if (size < kDataChecksumAt + 2 * sizeof(std::uint64_t)) return 0;
  const std::uint64_t data_sum = s3gd::checksum(x);
  std::memcpy(bytes.data() + kDataChecksumAt, &data_sum, sizeof data_sum);
  const std::uint64_t sum = s3gd::checksum(std::span(bytes).first(size - sizeof sum));
  std::memcpy(bytes.data() + size - sizeof sum, &sum, sizeof sum);
  read(bytes, x);
  return 0;
}
