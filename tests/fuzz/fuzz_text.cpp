// Any bytes as text data: an Error or a dataset whose structure holds, never a crash, and the same at any number of
// threads. The first byte chooses the format, the second the options.
#include <string>

#include "data/format.hpp"
#include "s3gd/error.hpp"

namespace {

std::string outcome(const s3gd::Format& format, std::span<const char> bytes, s3gd::LoadOptions options, int threads) {
  options.threads = threads;
  try {
    const auto input = s3gd::Input::from_memory(bytes, "fuzz");
    const s3gd::Dataset data = format.read(*input, options);
    data.x.check();
    return std::to_string(data.rows()) + " " + std::to_string(data.cols()) + " " + std::to_string(data.x.stored());
  } catch (const s3gd::Error& error) {
    return error.what();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const char* const names[] = {"libsvm", "csv", "tsv"};
  s3gd::LoadOptions options;
  options.layout = static_cast<s3gd::Layout>(data[1] % 3);
  options.missing = static_cast<s3gd::Missing>(data[1] / 3 % 3);
  options.index_base = static_cast<s3gd::IndexBase>(data[1] / 9 % 3);
  options.index_order = static_cast<s3gd::IndexOrder>(data[1] / 27 % 2);
  const std::span bytes(reinterpret_cast<const char*>(data + 2), size - 2);
  for (const auto& format : s3gd::format_table()) {
    if (format.info.name != names[data[0] % 3]) continue;
    if (outcome(format, bytes, options, 1) != outcome(format, bytes, options, 3)) __builtin_trap();
  }
  return 0;
}
