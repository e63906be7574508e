// What a fit has to say for itself, as JSON: behind `s3gd train --json` and the summaries of the Python package.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>

#include "s3gd/dataset.hpp"
#include "s3gd/solve.hpp"

namespace s3gd {

struct FitFacts {
  const Dataset& data;
  std::string formula;  // what was minimised
  const Summary& summary;
  Index classes = 0;  // 0: regression
  double load_seconds = 0;
  double total_seconds = 0;
  std::uint64_t seed = 0;

  // More than two classes only: "ovr" or "softmax", and the classes; a summary for each, unless they were fitted as one.
  std::string multiclass = {};
  std::span<const std::string> class_names = {};
  std::span<const Summary> class_summaries = {};
  std::optional<Index> rank = {};  // of the matrix of weights, where the penalty looks at it
};

nlohmann::ordered_json to_json(const FitFacts& facts);
nlohmann::ordered_json to_json(const Certificate& certificate);

}  // namespace s3gd
