// Reading the rows of `s3gd train`: those to fit, those to judge by (--validate), those to fit probabilities on (--calibrate).
#pragma once

#include "fit_options.hpp"

namespace s3gd::app {

struct RowOptions {
  std::string data;
  std::string sample_weight;
  std::string validate;  // other DATA, or a FRACTION
  double calibrate = 0;  // a share of the rows; 0: none
  LoadOptions load;
};

void add_row_options(Arguments& app, RowOptions& options);  // all but DATA itself

// Reads, holds out, weighs and scales. What is held out goes into `with`.
FitRows read_rows(RowOptions options, FitOptions& with, const Common& common);

// Throws UsageError where the task has no probabilities to fit; says where there are few rows to fit them on.
void check_calibration(const FitRows& rows, const Task& task, const TaskSpec& spec, const Common& common);

}  // namespace s3gd::app
