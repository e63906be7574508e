// The text of a generator, gen:KIND?name=value&name=value. Every value is a number.
#pragma once

#include <fmt/core.h>

#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/nearest.hpp"
#include "base/text.hpp"
#include "data/generate.hpp"
#include "s3gd/error.hpp"

namespace s3gd {

// Values by name; a parameter that is not in the text has the kind's default. Errors name the parameter.
class GeneratorParameters {
 public:
  GeneratorParameters(const std::string& spec, const GeneratorKind& kind) : spec_(spec) {
    std::vector<std::string> names;
    for_each_item(" " + kind.parameters, 0, ' ', [&](const std::string& name, const auto& value) {
      values_[name] = number(name, *value);
      names.push_back(name);
    });
    for_each_item(spec, spec.find('?'), '&', [&](const std::string& name, const auto& value) {
      if (!values_.contains(name))
        throw Error({spec}, "'" + name + "'", "a parameter of " + kind.name, suggestion(name, names));
      if (!value) throw Error({spec}, "'" + name + "' without a value", name + "=NUMBER");
      values_[name] = number(name, *value);
    });
  }

  Index whole(const std::string& name, Index lowest) const {
    const double value = values_.at(name);
    if (value != std::floor(value) || value < static_cast<double>(lowest) || value > 0x1.0p53)
      refuse(name, value, fmt::format("a whole number from {} on", lowest));
    return static_cast<Index>(value);
  }
  double real(const std::string& name, double lowest, double highest) const {
    const double value = values_.at(name);
    if (value < lowest || value > highest) refuse(name, value, fmt::format("a number from {} to {}", lowest, highest));
    return value;
  }

 private:
  // Calls take(name, value) for each "name=value"; without a "=" there is no value.
  template <class Take>
  static void for_each_item(const std::string& text, std::size_t at, char between, const Take& take) {
    for (; at != std::string::npos && at + 1 < text.size(); at = text.find(between, at + 1)) {
      const std::string item = text.substr(at + 1, text.find(between, at + 1) - at - 1);
      const std::size_t equals = item.find('=');
      take(item.substr(0, equals), equals == std::string::npos ? std::nullopt : std::optional(item.substr(equals + 1)));
    }
  }
  double number(const std::string& name, const std::string& text) const {
    const auto value = as_number<double>(text);
    if (!value || !std::isfinite(*value)) refuse(name, text, "a number");
    return *value;
  }
  template <class Value>
  [[noreturn]] void refuse(const std::string& name, const Value& value, const std::string& expected) const {
    throw Error({spec_}, fmt::format("{}={}", name, value), expected);
  }

  std::string spec_;
  std::map<std::string, double> values_;
};

}  // namespace s3gd
