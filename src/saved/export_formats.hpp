// The writers behind export_model, and what they share.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "s3gd/model_use.hpp"

namespace s3gd {

using ExportWriter = Exported(const Model& model, const std::string& name);
ExportWriter export_liblinear, export_json, export_onnx, export_vw, export_c;

inline double weight_at(const Model& model, Index output, Index column) {
  return model.weights_of(output)[static_cast<std::size_t>(column)];
}
// The columns that have a weight other than zero in some output.
std::vector<Index> active_columns(const Model& model);

// The classes as numbers, where all of them are whole numbers of at most 32 bits.
std::optional<std::vector<std::int32_t>> numeric_classes(const Model& model);

// A writer for Protocol Buffers' wire format, as much of it as an ONNX file needs. A message is a sequence of fields:
//
//   varint(field number * 8 + wire type), then by wire type
//     0  varint                    whole numbers, enums
//     2  varint(length), bytes     strings, bytes, messages inside messages
//
// A varint holds seven bits a byte, the lowest first, and all but the last byte have the top bit set. Repeated fields
// are written one by one.
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
