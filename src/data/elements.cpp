#include "data/elements.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <concepts>
#include <cstring>
#include <limits>
#include <vector>

#include "base/buffer.hpp"
#include "data/assemble.hpp"
#include "s3gd/error.hpp"

namespace s3gd {
namespace {

constexpr std::size_t kBlockBytes = 1 << 18;

template <class From>
From load(const char* bytes, bool swapped) {
  std::array<char, sizeof(From)> raw;
  std::memcpy(raw.data(), bytes, sizeof(From));
  if (swapped) std::reverse(raw.begin(), raw.end());
  return std::bit_cast<From>(raw);
}

template <class T, class From>
T convert_one(From value, const std::string& name) {
  if constexpr (std::integral<T> && !std::floating_point<From>) {
    if (!std::in_range<T>(value)) throw Error({name}, std::to_string(value), "a smaller whole number");
    return static_cast<T>(value);
  } else if constexpr (std::integral<T>) {
    throw Error({name}, "floating-point numbers", "whole numbers");
  } else {
    return static_cast<T>(value);
  }
}

template <class T, class From>
void convert(const char* bytes, std::size_t count, bool swapped, T* into, const std::string& name) {
  for (std::size_t k = 0; k < count; ++k) into[k] = convert_one<T>(load<From>(bytes + k * sizeof(From), swapped), name);
}

template <class T>
void convert_block(Element element, const char* bytes, std::size_t count, bool swapped, T* into,
                   const std::string& name) {
  switch (element) {
    case Element::b1:
    case Element::u1:
      return convert<T, std::uint8_t>(bytes, count, swapped, into, name);
    case Element::i1:
      return convert<T, std::int8_t>(bytes, count, swapped, into, name);
    case Element::i2:
      return convert<T, std::int16_t>(bytes, count, swapped, into, name);
    case Element::u2:
      return convert<T, std::uint16_t>(bytes, count, swapped, into, name);
    case Element::i4:
      return convert<T, std::int32_t>(bytes, count, swapped, into, name);
    case Element::u4:
      return convert<T, std::uint32_t>(bytes, count, swapped, into, name);
    case Element::i8:
      return convert<T, std::int64_t>(bytes, count, swapped, into, name);
    case Element::u8:
      return convert<T, std::uint64_t>(bytes, count, swapped, into, name);
    case Element::f4:
      return convert<T, float>(bytes, count, swapped, into, name);
    case Element::f8:
      return convert<T, double>(bytes, count, swapped, into, name);
  }
}

}  // namespace

std::size_t size_of(Element element) {
  switch (element) {
    case Element::b1:
    case Element::i1:
    case Element::u1:
      return 1;
    case Element::i2:
    case Element::u2:
      return 2;
    case Element::i4:
    case Element::u4:
    case Element::f4:
      return 4;
    case Element::i8:
    case Element::u8:
    case Element::f8:
      return 8;
  }
  return 0;
}

ByteSource source_of(Input& input) {
  return [&input](std::span<char> into) { return input.read(into); };
}

ByteSource source_of(std::span<const std::byte> bytes) {
  return [bytes](std::span<char> into) mutable {
    const std::size_t count = std::min(into.size(), bytes.size());
    if (count > 0) std::memcpy(into.data(), bytes.data(), count);
    bytes = bytes.subspan(count);
    return count;
  };
}

std::size_t read_fully(const ByteSource& source, std::span<char> into) {
  std::size_t done = 0;
  while (done < into.size()) {
    const std::size_t got = source(into.subspan(done));
    if (got == 0) break;
    done += got;
  }
  return done;
}

template <class T>
Array<T> read_elements(const ByteSource& source, Element element, bool big_endian, Index count,
                       const std::string& name) {
  const std::size_t width = size_of(element);
  std::vector<char> block(std::min(kBlockBytes, static_cast<std::size_t>(count) * width));
  GrowBuffer<T> values;
  while (values.size() < count) {
    const auto wanted = std::min(static_cast<std::size_t>(count - values.size()), kBlockBytes / width);
    const std::size_t got = read_fully(source, std::span(block).first(wanted * width));
    if (got < wanted * width)
      throw Error({name}, std::to_string(values.size() + static_cast<Index>(got / width)) + " numbers",
                  std::to_string(count) + " as its header says", "the file is cut short or its header is wrong");
    const Index at = values.size();
    require_memory(static_cast<double>(at) * sizeof(T), name);
    values.resize(at + static_cast<Index>(wanted));
    convert_block(element, block.data(), wanted, big_endian, values.data() + at, name);
  }
  return std::move(values).finish();
}

template Array<float> read_elements(const ByteSource&, Element, bool, Index, const std::string&);
template Array<double> read_elements(const ByteSource&, Element, bool, Index, const std::string&);
template Array<std::int32_t> read_elements(const ByteSource&, Element, bool, Index, const std::string&);
template Array<std::int64_t> read_elements(const ByteSource&, Element, bool, Index, const std::string&);

Array<char> read_all(Input& input) {
  GrowBuffer<char> bytes;
  for (;;) {
    const Index at = bytes.size();
    require_memory(static_cast<double>(at), input.name());
    bytes.resize(at + static_cast<Index>(kBlockBytes));
    const std::size_t got = input.read({bytes.data() + at, kBlockBytes});
    bytes.resize(at + static_cast<Index>(got));
    if (got == 0) return std::move(bytes).finish();
  }
}

bool is_mappable(const Input& input) { return input.plain_size().has_value() && input.name() != "standard input"; }

void expect_end(const ByteSource& source, const std::string& name) {
  char byte;
  if (source({&byte, 1}) > 0)
    throw Error({name}, "more bytes than its header says", "the end of the data", "the header or the file is wrong");
}

}  // namespace s3gd
