// Any bytes given to the model loader end in a model or in one Error.
#include <cstddef>
#include <cstdint>

#include "s3gd/error.hpp"
#include "s3gd/model.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    s3gd::load_model_bytes({reinterpret_cast<const char*>(data), size}, "fuzz");
  } catch (const s3gd::Error&) {
  }
  return 0;
}
