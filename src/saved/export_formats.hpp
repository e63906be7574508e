// The writers behind export_model, and what they share.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "s3gd/model_use.hpp"

namespace s3gd {

Exported export_liblinear(const Model& model);
Exported export_json(const Model& model);
Exported export_onnx(const Model& model);
Exported export_vw(const Model& model);
Exported export_c(const Model& model, const std::string& name);

inline double weight_at(const Model& model, Index output, Index column) {
  return model.weights_of(output)[static_cast<std::size_t>(column)];
}
// The columns that have a weight other than zero in some output.
std::vector<Index> active_columns(const Model& model);

// The classes as numbers, where all of them are whole numbers of at most 32 bits.
std::optional<std::vector<std::int32_t>> numeric_classes(const Model& model);

}  // namespace s3gd
