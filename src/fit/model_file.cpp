// The model file:
//
//   "s3gd-model 1\n"      magic and version
//   16 hex digits "\n"    checksum of all that follows
//   JSON "\n"             one line: everything but the numbers below, and how many there are
//   doubles               the weights, little-endian
//
// A later version adds keys to the JSON; readers ignore keys they do not know, and refuse a higher version number.
#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>

#include "base/checksum.hpp"
#include "base/file.hpp"
#include "model/names.hpp"
#include "s3gd/error.hpp"
#include "s3gd/model.hpp"

namespace s3gd {
namespace {

static_assert(std::endian::native == std::endian::little, "model files are little-endian");

constexpr std::string_view kMagic = "s3gd-model ";
constexpr int kVersion = 1;
constexpr std::size_t kChecksumDigits = 16;

[[noreturn]] void refuse(const std::string& name, const std::string& found) {
  throw Error({name, 0, 0}, found, "a model saved by s3gd", "train it again");
}

nlohmann::json header_of(const Model& model) {
  nlohmann::json header{
      {"features", model.weights.size()},  {"intercept", model.intercept},           {"loss", name_of(model.loss.kind)},
      {"beta", model.loss.beta},           {"penalty", name_of(model.penalty.kind)}, {"lambda", model.penalty.lambda},
      {"alpha", model.penalty.alpha},      {"unit_rows", model.unit_rows},           {"positive", model.positive},
      {"negative", model.negative},        {"feature_names", model.feature_names},   {"objective", model.objective},
      {"relative_gap", model.relative_gap}};
  if (model.index_base) header["index_base"] = *model.index_base;
  if (!model.label_column.empty()) header["label_column"] = model.label_column;
  return header;
}

Model from_header(const nlohmann::json& header) {
  Model model;
  model.intercept = header.at("intercept").get<double>();
  model.loss.kind = parse_name<LossKind>("loss", header.at("loss").get<std::string>());
  model.loss.beta = header.at("beta").get<double>();
  model.penalty.kind = parse_name<PenaltyKind>("penalty", header.at("penalty").get<std::string>());
  model.penalty.lambda = header.at("lambda").get<double>();
  model.penalty.alpha = header.at("alpha").get<double>();
  model.unit_rows = header.at("unit_rows").get<bool>();
  model.positive = header.at("positive").get<std::string>();
  model.negative = header.at("negative").get<std::string>();
  model.feature_names = header.at("feature_names").get<std::vector<std::string>>();
  const auto number = [&](const char* key) {
    return header.at(key).is_null() ? std::nan("") : header.at(key).get<double>();
  };
  if (header.contains("index_base")) model.index_base = header["index_base"].get<Index>();
  model.label_column = header.value("label_column", "");
  model.objective = number("objective");
  model.relative_gap = number("relative_gap");
  return model;
}

std::uint64_t checksum_of(std::string_view text) {
  return checksum(std::as_bytes(std::span(text.data(), text.size())), 1);
}

// Cuts a line off the front of `rest`, without its end.
std::string_view take_line(std::string_view& rest, const std::string& name) {
  const auto end = rest.find('\n');
  if (end == std::string_view::npos) refuse(name, "a file that ends too early");
  const auto line = rest.substr(0, end);
  rest.remove_prefix(end + 1);
  return line;
}

}  // namespace

void save_model(const Model& model, const std::string& path) {
  std::string body = header_of(model).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
  const auto bytes = std::as_bytes(std::span(model.weights));
  body.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  write_atomically(path, [&](std::ostream& out) {
    out << kMagic << kVersion << "\n" << fmt::format("{:016x}\n", checksum_of(body)) << body;
  });
}

Model load_model_bytes(std::span<const char> bytes, const std::string& name) {
  std::string_view rest(bytes.data(), bytes.size());
  if (rest.substr(0, kMagic.size()) != kMagic) refuse(name, "a file that does not start as a model does");
  const std::string version(take_line(rest, name).substr(kMagic.size(), 9));
  if (version != std::to_string(kVersion))
    throw Error({name, 0, 0}, "model version " + version, "version " + std::to_string(kVersion),
                "use the s3gd that wrote it, or a newer one");
  const std::string_view digits = take_line(rest, name);
  if (digits.size() != kChecksumDigits || digits != fmt::format("{:016x}", checksum_of(rest)))
    refuse(name, "a truncated or damaged model (its checksum does not match)");
  try {
    const auto header = nlohmann::json::parse(take_line(rest, name));
    Model model = from_header(header);
    const auto count = header.at("features").get<std::uint64_t>();
    if (rest.size() % sizeof(double) != 0 || rest.size() / sizeof(double) != count)
      refuse(name, "another number of weights than it announces");
    model.weights.resize(count);
    if (count > 0) std::memcpy(model.weights.data(), rest.data(), rest.size());
    for (const double weight : model.weights)
      if (!std::isfinite(weight)) refuse(name, "a weight that is not finite");
    if (!model.feature_names.empty() && model.feature_names.size() != count)
      refuse(name, "another number of feature names than of weights");
    return model;
  } catch (const nlohmann::json::exception& error) {
    refuse(name, std::string("a header that cannot be read: ") + error.what());
  }
}

Model load_model(const std::string& path) {
  const MappedFile file(path);
  const auto bytes = file.bytes();
  return load_model_bytes({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, path);
}

}  // namespace s3gd
