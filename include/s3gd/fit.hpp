// fit(): from rows to a model, in one call:
//
//     rows --prepare--> FitRows --state--> Task --solve--> Solution --calibrate--> Fit
//
// Its parts are there for whoever needs a step in between, or several fits over the same rows.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "s3gd/class_weights.hpp"
#include "s3gd/scale.hpp"
#include "s3gd/solve.hpp"

namespace s3gd {

struct FitOptions {
  SolveOptions solve;  // its seed also deals the rows that are held out
  Scale scale = Scale::none;
  std::optional<ClassWeights> class_weights;  // of the rows, but for those held out for probabilities

  // Rows the fit is watched and judged by, and stops by (SolveOptions::patience): given, or a share of the rows.
  std::optional<Dataset> validation;
  double validation_fraction = 0;
  // The share of the rows that probabilities are fitted on afterwards (s3gd/model_use.hpp); 0 = none.
  double calibration_fraction = 0;

  const Model* start = nullptr;  // begin there, not at solve.start: a model of the same classes and features
  const Graph* graph = nullptr;  // as in SolveInput, and what is told
  std::function<bool(const TraceRow&)> watch;
  std::function<bool(const std::string& name, const Summary&)> watch_class;
};

struct FitRows {
  Dataset train;                       // scaled
  std::optional<Dataset> validation;   // likewise
  std::optional<Dataset> calibration;  // as they were
  Scaling scaling;
};
// Holds out, weighs and scales.
FitRows prepare(Dataset data, const FitOptions& options = {}, int threads = 0);

struct Validation {
  Index rows = 0;
  Index left_out = 0;  // of classes that were not trained on
  double loss = 0;     // mean over the rows, without the penalty; one-vs-rest: the sum over the classes
};

struct Calibration {
  Index rows = 0;
  std::vector<double> sigmoids;  // a and b of each output in turn
};

// w are the parameters over the scaled rows; in the model, the scaling is folded in.
struct Fit : Solution {
  Task task;
  Model model;
  std::optional<Validation> validation;
  std::optional<Calibration> calibration;
};

Fit fit(const FitRows& rows, const Task& task, const FitOptions& options = {});
Fit fit(const Dataset& data, const TaskSpec& spec = {}, const FitOptions& options = {});

}  // namespace s3gd
