// Words put together, numbers in text, and the time as files say it.
#pragma once

#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace s3gd {

std::string join(const std::vector<std::string>& words, const char* between = ", ");

std::string lower_case(std::string_view text);  // of the letters A to Z

// All of the text as a number; none where it is anything else.
template <class T>
std::optional<T> as_number(std::string_view text) {
  T value{};
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::string utc_now();  // 2026-01-31T23:59:59Z

}  // namespace s3gd
