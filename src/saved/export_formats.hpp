// The writers behind export_model, one file each, and what they share.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "s3gd/export.hpp"

namespace s3gd {

Exported export_liblinear(const Model& model, const std::string& name);
Exported export_json(const Model& model, const std::string& name);
Exported export_onnx(const Model& model, const std::string& name);
Exported export_vw(const Model& model, const std::string& name);
Exported export_c(const Model& model, const std::string& name);

inline double weight_at(const Model& model, Index output, Index column) {
  return model.weights_of(output)[static_cast<std::size_t>(column)];
}
// The columns that have a weight other than zero in some output.
std::vector<Index> active_columns(const Model& model);

// The classes as numbers, where all of them are whole numbers of at most 32 bits.
std::optional<std::vector<std::int32_t>> numeric_classes(const Model& model);

// Programs that predict margins alone.
void refuse_log_link(const Model& model, const std::string& program);
// Formats that apply the weights to rows as they are cannot scale them first.
void refuse_unit_rows(const Model& model, const std::string& program);
// Formats that count features with 32 bits.
void refuse_many_features(const Model& model, const std::string& program);

// "0 = ham, 1 = spam": how the classes are numbered, counted from `first`.
std::string numbering(const Model& model, int first);

}  // namespace s3gd
