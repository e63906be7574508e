// What `s3gd train` prints when a run has ended.
#pragma once

#include <string>

#include "fit/fit_json.hpp"
#include "problem_options.hpp"

namespace s3gd::app {

struct TrainReport {
  const Fit& fit;
  FitRun run;
  std::string model_path;  // empty: none was written
  std::string page_path;   // empty: no page
};

// To standard output as text or JSON, remarks to standard error, and the page; returns the exit code.
int print_report(const TrainReport& report, const Common& common);

}  // namespace s3gd::app
