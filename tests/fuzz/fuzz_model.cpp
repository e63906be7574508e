// Any bytes given to the model loader end in a model that predicts, or in one Error. The second reading repairs the
// checksum first, so that the checks behind it are reached too.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "base/checksum.hpp"
#include "s3gd/error.hpp"
#include "s3gd/model.hpp"

namespace {

constexpr double kMostBytes = 1 << 24;

void read(const std::string& bytes) {
  static const s3gd::Dataset rows = [] {
    s3gd::Dataset data;
    data.x = s3gd::Matrix::own_csr<float, std::int32_t>({1, 2, 3}, {0, 1, 5}, {0, 2, 3}, 6);
    return data;
  }();
  try {
    const s3gd::Model model = s3gd::load_model_bytes(bytes, "fuzz", kMostBytes);
    const auto margins = s3gd::predict_margins(model, rows, 1);
    const auto first = std::span(margins).first(static_cast<std::size_t>(model.outputs()));
    if (model.classifies()) s3gd::predicted_class(model, first);
    std::vector<double> shares(model.classes.size());
    s3gd::probabilities(model, first, shares);
  } catch (const s3gd::Error&) {
  }
}

void repair_checksum(std::string& bytes) {
  const auto version_end = bytes.find('\n');
  const auto sum_end = version_end == std::string::npos ? version_end : bytes.find('\n', version_end + 1);
  if (sum_end == std::string::npos) return;
  const auto body = std::span(bytes).subspan(sum_end + 1);
  char digits[17];
  std::snprintf(digits, sizeof digits, "%016llx",
                static_cast<unsigned long long>(s3gd::checksum(std::as_bytes(body), 1)));
  bytes.replace(version_end + 1, sum_end - version_end - 1, digits);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string bytes(reinterpret_cast<const char*>(data), size);
  read(bytes);
  repair_checksum(bytes);
  read(bytes);
  return 0;
}
