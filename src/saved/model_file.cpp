// The model file (docs/formats.md):
//
//   "s3gd-model 2\n"      magic and version
//   16 hex digits "\n"    checksum of all that follows
//   JSON "\n"             one line: everything but the weights, and how these are stored
//   numbers               the weights, little-endian: all of them as doubles, or, where that takes fewer bytes, the places of
//                         those that are not zero, ascending, as 32-bit numbers (64-bit where one needs it), then these as
//                         doubles. A place counts through outputs x features. Minus zero counts as a weight: other bits
//
// A later version adds keys to the JSON; readers ignore keys they do not know, and refuse a higher version number.
// Version 1 knew one output and dense weights only.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <set>

#include "base/checksum.hpp"
#include "base/file.hpp"
#include "base/json.hpp"
#include "base/memory.hpp"
#include "problem/loss.hpp"
#include "s3gd/error.hpp"
#include "saved/predictor.hpp"

namespace s3gd {

template <>
std::span<const Name<Link>> names() {
  static constexpr std::array table{
      Name<Link>{Link::identity, "identity", "margins have no probabilities"},
      Name<Link>{Link::logistic, "logistic", "1 / (1 + exp(-margin)), brought to a sum of 1"},
      Name<Link>{Link::softmax, "softmax", "exp(margin), brought to a sum of 1"},
      Name<Link>{Link::platt, "platt", "1 / (1 + exp(a margin + b)), brought to a sum of 1"},
      Name<Link>{Link::log, "log", "the prediction is exp(margin)"},
  };
  return table;
}

namespace {

constexpr std::string_view kMagic = "s3gd-model ";
constexpr int kVersion = 2;

[[noreturn]] void refuse(const std::string& name, const std::string& found) {
  throw Error({name, 0, 0}, found, "a model saved by s3gd", "train it again");
}

static_assert(std::endian::native == std::endian::little, "model files are little-endian");

struct StoredWeights {
  bool sparse = false;
  std::uint64_t entries = 0;  // doubles that follow
  std::string bytes;
};

// Of a place among `count`.
std::size_t place_bytes(std::uint64_t count) { return count <= std::numeric_limits<std::uint32_t>::max() ? 4 : 8; }

bool is_stored(double weight) { return std::bit_cast<std::uint64_t>(weight) != 0; }

StoredWeights store_weights(std::span<const double> weights) {
  const auto nonzeros = static_cast<std::uint64_t>(std::count_if(weights.begin(), weights.end(), is_stored));
  const std::size_t width = place_bytes(weights.size());
  StoredWeights stored;
  stored.sparse = nonzeros * (width + sizeof(double)) < weights.size() * sizeof(double);
  stored.entries = stored.sparse ? nonzeros : weights.size();
  if (!stored.sparse) {
    stored.bytes.assign(reinterpret_cast<const char*>(weights.data()), weights.size_bytes());
    return stored;
  }
  stored.bytes.reserve(nonzeros * (width + sizeof(double)));
  for (std::uint64_t place = 0; place < weights.size(); ++place)
    if (is_stored(weights[place])) stored.bytes.append(reinterpret_cast<const char*>(&place), width);
  for (const double& weight : weights)
    if (is_stored(weight)) stored.bytes.append(reinterpret_cast<const char*>(&weight), sizeof weight);
  return stored;
}

// The inverse. Empty text: all is well; otherwise what is wrong with the bytes, and `weights` is of no use.
std::string restore_weights(std::string_view bytes, bool sparse, std::uint64_t entries, std::uint64_t count,
                            std::vector<double>& weights) {
  const std::size_t width = sparse ? place_bytes(count) : 0;
  const std::size_t each = width + sizeof(double);
  if (bytes.size() % each != 0 || bytes.size() / each != entries || (!sparse && entries != count))
    return "another number of weights than it announces";
  weights.assign(count, 0.0);
  if (!sparse && count > 0) std::memcpy(weights.data(), bytes.data(), bytes.size());
  std::uint64_t place = 0, least = 0;  // least: that the next place may be
  for (std::uint64_t k = 0; sparse && k < entries; ++k) {
    std::memcpy(&place, bytes.data() + k * width, width);
    if (place < least || place >= count) return "weights out of order, or beyond the last feature";
    std::memcpy(&weights[place], bytes.data() + entries * width + k * sizeof(double), sizeof(double));
    least = place + 1;
  }
  const bool finite = std::all_of(weights.begin(), weights.end(), [](double weight) { return std::isfinite(weight); });
  return finite ? "" : "a weight that is not finite";
}

std::uint64_t count_at(const Json& header, const char* key, const std::string& name) {
  const auto& value = header.at(key);
  if (!value.is_count()) refuse(name, std::string("a header whose '") + key + "' is no count");
  return value.get<std::uint64_t>();
}

// JSON holds UTF-8 only, but names are whatever bytes the data has: others are written as {"hex": ".."}.
Json name_json(const std::string& name) {
  try {
    const Json json = name;
    static_cast<void>(json.dump());  // throws what it cannot write
    return json;
  } catch (const JsonError&) {
    std::string hex;
    for (const char c : name) hex += fmt::format("{:02x}", static_cast<unsigned char>(c));
    return {{"hex", hex}};
  }
}

std::string name_from(const Json& json) {
  if (!json.is_object()) return json.get<std::string>();
  const auto hex = json.at("hex").get<std::string>();
  std::string name;
  for (std::size_t at = 0; at + 1 < hex.size(); at += 2)
    name += static_cast<char>(std::strtol(hex.substr(at, 2).c_str(), nullptr, 16));
  return name;
}

Json names_json(const std::vector<std::string>& names) {
  auto list = Json::array();
  for (const std::string& name : names) list.push_back(name_json(name));
  return list;
}

std::vector<std::string> names_from(const Json& list) {
  std::vector<std::string> names;
  for (const auto& name : list) names.push_back(name_from(name));
  return names;
}

Json penalty_json(const PenaltySpec& penalty) {
  return {{"penalty", name_of(penalty.kind)}, {"lambda", penalty.lambda}, {"alpha", penalty.alpha}};
}

PenaltySpec penalty_from(const Json& object) {
  PenaltySpec penalty;
  penalty.kind = parse_name<PenaltyKind>("penalty", object.at("penalty").get<std::string>());
  penalty.lambda = object.at("lambda").get<double>();
  penalty.alpha = object.at("alpha").get<double>();
  return penalty;
}

Json header_of(const Model& model, const StoredWeights& stored) {
  Json header = penalty_json(model.penalty);
  for (const PenaltySpec& term : model.penalty.also) header["further_penalties"].push_back(penalty_json(term));
  header.update({{"classes", names_json(model.classes)},
                 {"features", model.features()},
                 {"intercepts", model.intercepts},
                 {"link", name_of(model.link)},
                 {"loss", name_of(model.loss.kind)},
                 {"unit_rows", model.unit_rows},
                 {"feature_names", names_json(model.feature_names)},
                 {"objective", model.objective},
                 {"relative_gap", model.relative_gap},
                 {"storage", stored.sparse ? "sparse" : "dense"},
                 {"stored", stored.entries}});
  for_each_parameter(
      [&](const LossTraits& traits) { header[std::string(traits.parameter_name)] = model.loss.*traits.parameter; });
  if (!model.platt.empty()) header["platt"] = model.platt;
  if (!model.matrix_penalty.empty()) header["matrix_penalty"] = model.matrix_penalty;
  if (model.index_base) header["index_base"] = *model.index_base;
  if (!model.label_column.empty()) header["label_column"] = name_json(model.label_column);
  return header;
}

void read_outputs(const Json& header, Model& model) {
  model.classes = names_from(header.at("classes"));
  model.intercepts = header.at("intercepts").get<std::vector<double>>();
  model.link = parse_name<Link>("link", header.at("link").get<std::string>());
  model.platt = header.value("platt", std::vector<double>{});
  model.matrix_penalty = header.value("matrix_penalty", "");
  for (const auto& term : header.value("further_penalties", Json::array()))
    model.penalty.also.push_back(penalty_from(term));
}

void read_outputs_v1(const Json& header, Model& model) {
  model.intercepts = {header.at("intercept").get<double>()};
  const auto positive = header.at("positive").get<std::string>();
  if (positive.empty()) return;
  model.classes = {header.at("negative").get<std::string>(), positive};
  model.link = traits_of(model.loss.kind).link;
}

Model from_header(const Json& header, int version, const std::string& name) {
  Model model;
  model.loss.kind = parse_name<LossKind>("loss", header.at("loss").get<std::string>());
  for_each_parameter([&](const LossTraits& traits) {
    double& value = model.loss.*traits.parameter;
    value = header.value(std::string(traits.parameter_name), value);
  });
  model.penalty = penalty_from(header);
  model.unit_rows = header.at("unit_rows").get<bool>();
  model.feature_names = names_from(header.at("feature_names"));
  const auto number = [&](const char* key) {
    return header.at(key).is_null() ? std::nan("") : header.at(key).get<double>();
  };
  if (header.contains("index_base")) {
    const auto base = count_at(header, "index_base", name);
    if (base > 1) refuse(name, "features counted from " + std::to_string(base));
    model.index_base = static_cast<Index>(base);
  }
  if (header.contains("label_column")) model.label_column = name_from(header["label_column"]);
  model.objective = number("objective");
  model.relative_gap = number("relative_gap");
  version == 1 ? read_outputs_v1(header, model) : read_outputs(header, model);
  return model;
}

// Do the parts fit each other? Prediction relies on it.
void check_outputs(const Model& model, const std::string& name) {
  const auto outputs = static_cast<std::size_t>(model.outputs());
  if (model.classes.size() == 1) refuse(name, "a single class");
  if (std::set(model.classes.begin(), model.classes.end()).size() != model.classes.size())
    refuse(name, "two classes of the same name");
  if (model.intercepts.size() != outputs) refuse(name, "another number of intercepts than of outputs");
  if (model.platt.size() != (model.link == Link::platt ? 2 * outputs : 0))
    refuse(name, "another number of calibration parameters than there should be");
  for (const auto* numbers : {&model.intercepts, &model.platt})
    if (!std::all_of(numbers->begin(), numbers->end(), [](double value) { return std::isfinite(value); }))
      refuse(name, "an intercept or calibration parameter that is not finite");
}

void read_weights(const Json& header, int version, std::string_view bytes, double most_bytes, const std::string& name,
                  Model& model) {
  const auto features = count_at(header, "features", name);
  const auto outputs = static_cast<std::uint64_t>(model.outputs());
  if (sizeof(double) * static_cast<double>(features) * static_cast<double>(outputs) > most_bytes)
    throw Error(name + " has " + std::to_string(outputs) + " x " + std::to_string(features) +
                    " weights: more than fit into memory",
                "use it on a larger machine");
  if (!model.feature_names.empty() && model.feature_names.size() != features)
    refuse(name, "another number of feature names than of features");
  const bool sparse = version > 1 && header.at("storage").get<std::string>() == "sparse";
  const auto stored = version > 1 ? count_at(header, "stored", name) : features;
  const std::string problem = restore_weights(bytes, sparse, stored, features * outputs, model.weights);
  if (!problem.empty()) refuse(name, problem);
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

int take_version(std::string_view& rest, const std::string& name) {
  const std::string version(take_line(rest, name).substr(kMagic.size(), 9));
  for (int known = 1; known <= kVersion; ++known)
    if (version == std::to_string(known)) return known;
  throw Error({name, 0, 0}, "model version " + version, "at most version " + std::to_string(kVersion),
              "use the s3gd that wrote it, or a newer one");
}

}  // namespace

void save_model(const Model& model, const std::string& path) {
  const StoredWeights stored = store_weights(model.weights);
  std::string body = header_of(model, stored).sorted().dump() + "\n";
  body += stored.bytes;
  write_atomically(path, [&](std::ostream& out) {
    out << kMagic << kVersion << "\n" << fmt::format("{:016x}\n", checksum_of(body)) << body;
  });
}

Model load_model_bytes(std::span<const char> bytes, const std::string& name, double most_bytes) {
  std::string_view rest(bytes.data(), bytes.size());
  if (rest.substr(0, kMagic.size()) != kMagic) refuse(name, "a file that does not start as a model does");
  const int version = take_version(rest, name);
  const std::string_view digits = take_line(rest, name);
  if (digits != fmt::format("{:016x}", checksum_of(rest)))
    refuse(name, "a truncated or damaged model (its checksum does not match)");
  try {
    const auto header = Json::parse(take_line(rest, name));
    Model model = from_header(header, version, name);
    check_outputs(model, name);
    read_weights(header, version, rest, most_bytes > 0 ? most_bytes : physical_memory_bytes(), name, model);
    return model;
  } catch (const JsonError& error) {
    refuse(name, std::string("a header that cannot be read: ") + error.what());
  }
}

bool is_model_file(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return false;  // looking into a pipe would take from it
  std::string start(kMagic.size(), '\0');
  std::ifstream(path, std::ios::binary).read(start.data(), static_cast<std::streamsize>(start.size()));
  return start == kMagic;
}

Model load_model(const std::string& path) {
  const MappedFile file(path);
  const auto bytes = file.bytes();
  return load_model_bytes({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, path);
}

}  // namespace s3gd
