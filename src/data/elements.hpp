// Numbers as they stand in binary files: any of eleven types, either byte order, converted while they are read.
//
// Memory grows with the bytes that really arrive, so a header that promises more than there is costs nothing.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "data/input.hpp"
#include "s3gd/matrix.hpp"

namespace s3gd {

enum class Element : std::uint8_t { b1, i1, u1, i2, u2, i4, u4, i8, u8, f4, f8 };
std::size_t size_of(Element element);

// Fills as much as there is; 0 only at the end.
using ByteSource = std::function<std::size_t(std::span<char>)>;
ByteSource source_of(Input& input);
ByteSource source_of(std::span<const std::byte> bytes);  // must outlive the source

// Reads until `into` is full or the source ends; the number of bytes read.
std::size_t read_fully(const ByteSource& source, std::span<char> into);

// `count` elements as T = float, double, int32 or int64. Throws, naming `name`, when there are fewer.
template <class T>
Array<T> read_elements(const ByteSource& source, Element element, bool big_endian, Index count,
                       const std::string& name);

// Everything up to the end, in memory aligned for any type.
Array<char> read_all(Input& input);
// Whether it is a plain file that can be mapped by its name.
bool is_mappable(const Input& input);
// Throws, naming `name`, when anything is left.
void expect_end(const ByteSource& source, const std::string& name);

}  // namespace s3gd
