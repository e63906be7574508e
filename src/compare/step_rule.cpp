#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "s3gd/compare.hpp"
#include "s3gd/error.hpp"

namespace s3gd {
namespace {

constexpr std::string_view kDecay = "decay:";

double positive_number(std::string_view text, const std::string& whole) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value) || !(value > 0))
    throw Error("'" + whole + "' is no step",
                "give a positive NUMBER, NUMBERx for a multiple of 1/L(p), auto, or decay:STEP,T0");
  return value;
}

}  // namespace

StepRule parse_step_rule(const std::string& text) {
  StepRule rule;
  if (text == "auto") return rule;
  if (text.starts_with(kDecay)) {
    const std::string_view both = std::string_view(text).substr(kDecay.size());
    const auto comma = std::min(both.find(','), both.size());
    rule.value = positive_number(both.substr(0, comma), text);
    rule.decay = positive_number(both.substr(std::min(comma + 1, both.size())), text);
    return rule;
  }
  rule.relative = text.ends_with('x');
  rule.value = positive_number(std::string_view(text).substr(0, text.size() - (rule.relative ? 1 : 0)), text);
  return rule;
}

std::string text_of(const StepRule& rule) {
  if (rule.value == 0) return "auto";
  if (rule.decay > 0) return fmt::format("decay:{},{}", rule.value, rule.decay);
  return fmt::format("{}{}", rule.value, rule.relative ? "x" : "");
}

}  // namespace s3gd
