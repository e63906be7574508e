// What `s3gd train` prints when a run has ended.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "command.hpp"
#include "fit/fit_json.hpp"
#include "s3gd/dataset.hpp"
#include "s3gd/solve.hpp"

namespace s3gd::app {

struct TrainReport {
  const Dataset& data;
  std::string formula;  // what was minimised
  const Summary& summary;
  Index classes = 0;  // 0: regression
  double load_seconds = 0;
  double total_seconds = 0;
  std::string model_path = {};  // empty: none was written

  // More than two classes only: how they were dealt with, as --multiclass names it, and the classes; a summary for each,
  // unless they were fitted as one.
  std::string multiclass = {};
  std::span<const std::string> class_names = {};
  std::span<const Summary> class_summaries = {};
  std::optional<Index> rank = {};  // of the matrix of weights, where the penalty looks at it
  std::optional<ValidationFacts> validation = {};
  std::optional<CalibrationFacts> calibration = {};

  std::string page_path = {};  // empty: no page
  std::span<const TraceRow> trace = {};
};

// To standard output as text or JSON, remarks to standard error, and the page; returns the exit code.
int print_report(const TrainReport& report, const Common& common);

}  // namespace s3gd::app
