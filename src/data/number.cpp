#include "data/number.hpp"

#include <algorithm>
#include <charconv>
#include <string_view>

namespace s3gd {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Whether a number that std::from_chars found out of range is beyond the largest rather than below the smallest:
// looks at the power of ten of its first digit that is not zero.
bool is_huge(std::string_view number) {
  std::int64_t power = 0;
  bool point = false, found = false;
  std::size_t i = 0;
  for (; i < number.size() && (is_digit(number[i]) || number[i] == '.' || number[i] == '-'); ++i) {
    if (number[i] == '.') point = true;
    if (!is_digit(number[i])) continue;
    found = found || number[i] != '0';
    if (found && !point) ++power;
    if (!found && point) --power;
  }
  std::int64_t exponent = 0;
  if (i < number.size()) {
    const bool negative = number[++i] == '-';
    for (; i < number.size(); ++i)
      if (is_digit(number[i]))
        exponent = std::min<std::int64_t>(exponent * 10 + (number[i] - '0'), std::int64_t{1} << 40);
    if (negative) exponent = -exponent;
  }
  return found && power + exponent > 0;
}

}  // namespace

bool starts_number(const char* p) {
  if (*p == '+' || *p == '-') ++p;
  return is_digit(*p) || (*p == '.' && is_digit(p[1]));
}

template <class T>
const char* parse_any_number(const char* p, T& value) {
  if (!starts_number(p)) return nullptr;
  if (*p == '+') ++p;  // std::from_chars takes no plus
  const char* end = p;
  while (is_digit(*end) || *end == '.' || *end == 'e' || *end == 'E' || *end == '+' || *end == '-') ++end;
  const auto [stop, problem] = std::from_chars(p, end, value);
  if (problem == std::errc::result_out_of_range) {
    if (is_huge(std::string_view(p, static_cast<std::size_t>(stop - p)))) return nullptr;
    value = *p == '-' ? -T{0} : T{0};
  }
  return stop;
}

template <class T>
std::string expected_number(const char* p) {
  if (!starts_number(p)) return "a number";
  return std::is_same_v<T, float> ? "a number that fits a float, at most 3.4e38"
                                  : "a number that fits a double, at most 1.8e308";
}

template const char* parse_any_number(const char*, float&);
template const char* parse_any_number(const char*, double&);
template std::string expected_number<float>(const char*);
template std::string expected_number<double>(const char*);

}  // namespace s3gd
