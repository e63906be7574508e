#include "s3gd/class_weights.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <sstream>

#include "base/index.hpp"
#include "base/json.hpp"
#include "base/text.hpp"
#include "s3gd/error.hpp"

namespace s3gd {
namespace {

const std::string kForm = "a class and its weight, as in  spam 3";

std::optional<double> number_in(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  return as_number<double>(text);
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r";
  const auto first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

void add(ClassWeights& weights, const Place& place, std::string_view name, double weight) {
  if (!std::isfinite(weight) || weight < 0)
    throw Error(place, "a weight of " + std::to_string(weight), "a finite number, not negative");
  if (name.size() >= 2 && name.front() == '"' && name.back() == '"') name = name.substr(1, name.size() - 2);
  for (const ClassWeightEntry& entry : weights.entries)
    if (entry.name == name) throw Error(place, "the class " + entry.name + " a second time", "each class once");
  weights.entries.push_back({std::string(name), weight});
}

void read_lines(ClassWeights& weights, std::istream& in) {
  std::string text;
  for (std::int64_t number = 1; std::getline(in, text); ++number) {
    const std::string_view line = trimmed(text);
    if (line.empty() || (number == 1 && line == "class,weight")) continue;
    const Place place{weights.source, number, 0};
    const auto border = line.find_last_of(" \t,");
    const auto weight = border == std::string_view::npos ? std::nullopt : number_in(line.substr(border + 1));
    std::string_view name = border == std::string_view::npos ? line : trimmed(line.substr(0, border));
    if (name.ends_with(',')) name = trimmed(name.substr(0, name.size() - 1));  // "spam, 3"
    if (!weight || name.empty()) throw Error(place, "'" + std::string(line.substr(0, 40)) + "'", kForm);
    add(weights, place, name, *weight);
  }
}

void read_json(ClassWeights& weights, const std::string& text) {
  const Place place{weights.source, 0, 0};
  Json json;
  try {
    json = Json::parse(text);
  } catch (const JsonParseError&) {
    // refused below, as what is no object
  }
  if (!json.is_object()) throw Error(place, "JSON that cannot be read", "an object as {\"spam\": 3, \"ham\": 1}");
  for (const auto& [name, weight] : json.items()) {
    if (!weight.is_number()) throw Error(place, "no number for the class " + name, "its weight");
    add(weights, place, name, weight.get<double>());
  }
}

// The label value behind a name; none when no row has it.
std::optional<double> label_named(const Labels& labels, const std::vector<double>& present, const std::string& name) {
  for (const double value : present)
    if (labels.name_of(value) == name) return value;
  if (!labels.class_names.empty()) return std::nullopt;
  const auto number = number_in(name);
  if (number && std::find(present.begin(), present.end(), *number) != present.end()) return number;
  return std::nullopt;
}

}  // namespace

ClassWeights read_class_weights(const std::string& path) {
  std::ifstream in(path);
  if (!in) throw Error(ErrorCode::unusable_file, {}, "cannot open " + path, "check the path");
  std::stringstream all;
  all << in.rdbuf();
  ClassWeights weights{path, {}};
  const std::string text = all.str();
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first != std::string::npos && text[first] == '{')
    read_json(weights, text);
  else
    read_lines(weights, all);
  if (weights.entries.empty()) throw Error({path, 0, 0}, "no classes", kForm);
  return weights;
}

Dataset with_class_weights(Dataset data, const ClassWeights& weights, bool absent_is_fine) {
  if (data.y.kind == LabelKind::none) throw Error(data.source + ": no labels", "class weights need them");
  const std::vector<double> present = data.y.distinct();
  std::map<double, double> factors;
  for (const ClassWeightEntry& entry : weights.entries) {
    const auto label = label_named(data.y, present, entry.name);
    if (label) factors[*label] = entry.weight;
    if (!label && !absent_is_fine)
      throw Error(weights.source + ": no row has the label \"" + entry.name + "\"",
                  "write classes as in the data: " + data.y.name_of(present.front()) + ", " +
                      data.y.name_of(present.back()) + " ..");
  }
  std::vector<double> product(at(data.rows()));
  for (Index i = 0; i < data.rows(); ++i) {
    const auto factor = factors.find(data.y.values[i]);
    product[at(i)] = (data.weights.empty() ? 1.0 : data.weights[i]) * (factor == factors.end() ? 1.0 : factor->second);
  }
  data.weights = Array<double>(std::move(product));
  return data;
}

}  // namespace s3gd
