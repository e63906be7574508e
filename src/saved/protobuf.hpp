// A writer for Protocol Buffers' wire format, as much of it as an ONNX file needs. A message is a sequence of fields:
//
//   varint(field number * 8 + wire type), then by wire type
//     0  varint                    whole numbers, enums
//     2  varint(length), bytes     strings, bytes, messages inside messages
//
// A varint holds seven bits a byte, the lowest first, and all but the last byte have the top bit set. Repeated fields
// are written one by one.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace s3gd {

class ProtobufMessage {
 public:
  void number(std::uint64_t field, std::uint64_t value) {
    varint(field * 8);
    varint(value);
  }
  void bytes(std::uint64_t field, std::string_view value) {
    varint(field * 8 + 2);
    varint(value.size());
    text_ += value;
  }
  void message(std::uint64_t field, const ProtobufMessage& value) { bytes(field, value.text_); }

  const std::string& text() const { return text_; }

 private:
  void varint(std::uint64_t value) {
    for (; value >= 128; value >>= 7) text_ += static_cast<char>(value | 128);
    text_ += static_cast<char>(value);
  }

  std::string text_;
};

}  // namespace s3gd
