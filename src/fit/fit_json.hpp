// What a fit has to say for itself, as JSON: behind `s3gd train --json` and the summaries of the Python package.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "s3gd/dataset.hpp"
#include "s3gd/solve.hpp"

namespace s3gd {

// Rows the fit was watched by, and the mean loss over them (penalty left out) at the parameters it ended with. One-vs-rest:
// the sum over the classes.
struct ValidationFacts {
  Index rows = 0;
  Index left_out = 0;  // of classes that were not trained on
  double loss = 0;
};

// Platt scaling: rows it was fitted on, and a and b of each output in turn.
struct CalibrationFacts {
  Index rows = 0;
  std::vector<double> sigmoids;
};

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
  std::optional<ValidationFacts> validation = {};
  std::optional<CalibrationFacts> calibration = {};
};

nlohmann::ordered_json to_json(const FitFacts& facts);
nlohmann::ordered_json to_json(const Certificate& certificate);

}  // namespace s3gd
