#include "data/number.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdlib>
#include <string>

#include "base/random.hpp"

namespace s3gd {
namespace {

template <class T>
T c_library_value(const std::string& text, char** end) {
  if constexpr (std::is_same_v<T, float>) return std::strtof(text.c_str(), end);
  return static_cast<T>(std::strtod(text.c_str(), end));
}

template <class T>
auto bits(T value) {
  return std::bit_cast<std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>(value);
}

template <class T>
void expect_like_the_c_library(const std::string& text) {
  const std::string padded = text + "\n" + std::string(kNumberPadding, '\0');
  char* end = nullptr;
  const T expected = c_library_value<T>(padded, &end);
  T value = -1;
  const char* const stop = parse_number(padded.data(), value);
  if (std::isinf(expected)) {
    EXPECT_EQ(stop, nullptr) << text;
    return;
  }
  ASSERT_EQ(stop - padded.data(), end - padded.data()) << text;
  EXPECT_EQ(bits(value), bits(expected)) << text;
}

std::string random_decimal(Rng& rng) {
  std::string text;
  const char* signs[] = {"", "", "-", "+"};
  text += signs[rng.below(4)];
  const auto digits = [&](Index count) {
    for (Index i = 0; i < count; ++i) text += static_cast<char>('0' + rng.below(10));
  };
  const Index before = rng.below(4) == 0 ? rng.below(25) : rng.below(4);
  digits(before);
  if (before == 0 || rng.below(3) > 0) {
    text += '.';
    digits((before == 0) + (rng.below(4) == 0 ? rng.below(30) : rng.below(10)));
  }
  if (rng.below(4) == 0) {
    text += rng.below(2) == 0 ? 'e' : 'E';
    text += signs[rng.below(4)];
    text += std::to_string(rng.below(rng.below(3) == 0 ? 400 : 40));
  }
  return text;
}

TEST(Number, RandomDecimalsAreRoundedLikeTheCLibrary) {
  Rng rng(11);
  for (int i = 0; i < 60000; ++i) {
    const std::string text = random_decimal(rng);
    expect_like_the_c_library<float>(text);
    expect_like_the_c_library<double>(text);
  }
}

// Decimals on and right beside the middle between two floats: where rounding twice would go wrong.
TEST(Number, HalfwayCasesAreRoundedLikeTheCLibrary) {
  Rng rng(12);
  for (int i = 0; i < 6000; ++i) {
    const auto low = static_cast<float>(rng.below(1 << 24)) / static_cast<float>(1 << rng.below(20));
    const double middle = (static_cast<double>(low) + std::nextafterf(low, 1e30f)) / 2;
    for (const double value : {middle, std::nextafter(middle, 0.0), std::nextafter(middle, 1e30)}) {
      char text[64];
      for (const int precision : {6, 9, 12, 15, 17, 25}) {
        std::snprintf(text, sizeof text, "%.*g", precision, value);
        expect_like_the_c_library<float>(text);
        std::snprintf(text, sizeof text, "%.*f", precision, value);
        expect_like_the_c_library<float>(text);
        expect_like_the_c_library<double>(text);
      }
    }
  }
}

TEST(Number, TheEdgesOfTheRangeAreRoundedLikeTheCLibrary) {
  for (const char* text : {"0",
                           "-0",
                           "+0",
                           "0.0",
                           "-0.0",
                           "00000000000000000000001",
                           "0000000012.5",
                           "3.4028234e38",
                           "3.4028235e38",
                           "3.4028236e38",
                           "3.5e38",
                           "-1e39",
                           "1e-37",
                           "1.17549435e-38",
                           "1e-38",
                           "1e-40",
                           "1.4e-45",
                           "7.1e-46",
                           "7e-46",
                           "6.9e-46",
                           "1e-46",
                           "-1e-46",
                           "1e-400",
                           "-1e-400",
                           "1e400",
                           "1.7976931348623157e308",
                           "1.7976931348623159e308",
                           "2.2250738585072011e-308",
                           "5e-324",
                           "2.4e-324",
                           "0e999999999999999999999",
                           "1e99999999999999999999",
                           "1e-99999999999999999999",
                           "0.00000000000000000000000000000000000000000000000001e60",
                           "99999999",
                           "999999999",
                           "16777217",
                           "16777219",
                           "9007199254740993",
                           "123456.7890123456789",
                           "1.",
                           "1.e5",
                           ".5",
                           "-.5e-3",
                           "5e",
                           "5e+",
                           "1.5.2",
                           "12345678",
                           "1234567.",
                           "1234567.12345678",
                           "1.12345678",
                           "1.123456789012345",
                           "0.1e1"}) {
    expect_like_the_c_library<float>(text);
    expect_like_the_c_library<double>(text);
  }
}

TEST(Number, WhatIsNoNumberIsRefused) {
  for (const char* text :
       {"", "x", "-", "+", ".", "-.", "e5", "nan", "inf", "-inf", "NaN", "+-1", "-+1", "--1", " 1"}) {
    const std::string padded = std::string(text) + "\n" + std::string(kNumberPadding, '\0');
    double value = 0;
    EXPECT_EQ(parse_number(padded.data(), value), nullptr) << text;
  }
}

}  // namespace
}  // namespace s3gd
