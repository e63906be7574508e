// Any bytes as CSV and TSV text, with options taken from the first byte: rows or one Error, the same with two threads.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "data/format.hpp"
#include "s3gd/error.hpp"

namespace {

using namespace s3gd;

std::string outcome(std::span<const char> bytes, LoadOptions options, int threads, bool tabs) {
  options.threads = threads;
  try {
    const auto input = Input::from_memory(bytes, "fuzz");
    const Dataset data = tabs ? read_tsv(*input, options) : read_csv(*input, options);
    data.x.check(1);
    return std::to_string(data.rows()) + " x " + std::to_string(data.cols()) + ", " + std::to_string(data.x.stored());
  } catch (const Error& error) {
    return error.what();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const unsigned choice = data[0];
  LoadOptions options;
  options.precision = (choice & 1) != 0 ? Precision::float64 : Precision::float32;
  options.missing = static_cast<Missing>((choice >> 1) % 3);
  if ((choice & 8) != 0) options.header = (choice & 16) != 0;
  if ((choice & 32) != 0) options.label_column = (choice & 64) != 0 ? "none" : "-1";
  const std::span<const char> bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const bool tabs = (choice & 128) != 0;
  if (outcome(bytes, options, 1, tabs) != outcome(bytes, options, 2, tabs)) std::abort();
  return 0;
}
