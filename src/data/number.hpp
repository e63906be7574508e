// Numbers in text, correctly rounded: bit for bit what strtof and strtod give in the C locale.
//
// Short decimals (at most 15 significant digits, no exponent) are read eight characters at a time without a branch
// per digit, which random lengths would mispredict: w / 10^k with w < 2^53 and k <= 22 is one exact division away
// from the right double. The right float is that double rounded once more, unless the double lies exactly half-way
// between two floats: only then could the first rounding have decided the second. Everything else goes to
// std::from_chars.
//
// The text must be followed by a character that is no part of a number and by kNumberPadding readable bytes.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>

namespace s3gd {

constexpr int kNumberPadding = 32;

static_assert(std::endian::native == std::endian::little, "eight characters are taken as one little-endian word");

inline std::uint64_t load_eight(const char* p) {
  std::uint64_t word;
  std::memcpy(&word, p, sizeof word);
  return word;
}

// The top bit of each of the eight characters that is no digit.
inline std::uint64_t other_characters(std::uint64_t word) {
  const std::uint64_t t = word ^ 0x3030303030303030U;  // digits become 0..9
  return (((t & 0x7f7f7f7f7f7f7f7fU) + 0x7676767676767676U) | t) & 0x8080808080808080U;
}

// The first character whose top bit is set, 8 when there is none.
inline int first_of(std::uint64_t marks) { return std::countr_zero(marks) >> 3; }

// How many of the eight characters, from the first on, are digits.
inline int leading_digits(std::uint64_t word) { return first_of(other_characters(word)); }

// The number the first `count` characters spell; 1 <= count <= 8, all of them digits.
inline std::uint32_t digits_value(std::uint64_t word, int count) {
  std::uint64_t t = (word ^ 0x3030303030303030U) << (64 - 8 * count);  // digits at the end, zeros before them
  t = t * 10 + (t >> 8);                                               // pairs
  constexpr std::uint64_t kPairs = 0x000000ff000000ffU;
  return static_cast<std::uint32_t>(((t & kPairs) * 0x000f424000000064U + ((t >> 16) & kPairs) * 0x0000271000000001U) >>
                                    32);
}

// Any number of the grammar [+-]digits[.digits][(e|E)[+-]digits]; one of the two runs of digits may be empty. Returns
// its end, or null when there is no number at p or it is too large for T. Too small becomes zero.
template <class T>
const char* parse_any_number(const char* p, T& value);

// Whether p begins like a number, sign and all.
bool starts_number(const char* p);

// Why parse_any_number gave null: "a number" was expected, or one that fits.
template <class T>
std::string expected_number(const char* p);

template <class T>
inline bool round_from_double(double exact, T& value) {
  value = static_cast<T>(exact);
  if constexpr (std::is_same_v<T, float>)
    return (std::bit_cast<std::uint64_t>(exact) & 0x1fffffffU) != 0x10000000U;
  else
    return true;
}

template <class T>
inline const char* parse_number(const char* p, T& value) {
  static constexpr double kPowers[] = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14};
  static constexpr std::int64_t kWholePowers[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};
  const char* const start = p;
  const bool negative = *p == '-';
  p += negative;
  std::uint64_t word = load_eight(p);
  int count = leading_digits(word);
  if (count == 0 || count == 8) return parse_any_number(start, value);
  std::int64_t whole = digits_value(word, count);
  p += count;
  double magnitude = static_cast<double>(whole);
  if (*p == '.') {
    const int before = count;
    word = load_eight(++p);
    count = leading_digits(word);
    if (count == 0) return parse_any_number(start, value);
    whole = whole * kWholePowers[count] + digits_value(word, count);
    p += count;
    int decimals = count;
    if (count == 8) {
      word = load_eight(p);
      count = leading_digits(word);
      if (before + 8 + count > 15) return parse_any_number(start, value);
      if (count > 0) whole = whole * kWholePowers[count] + digits_value(word, count);
      p += count;
      decimals += count;
    }
    magnitude = static_cast<double>(whole) / kPowers[decimals];
  }
  if ((*p | 0x20) == 'e' || !round_from_double(negative ? -magnitude : magnitude, value))
    return parse_any_number(start, value);
  return p;
}

}  // namespace s3gd
