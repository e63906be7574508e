// `s3gd train` on more than two classes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "command.hpp"
#include "s3gd/dataset.hpp"
#include "s3gd/graph.hpp"
#include "s3gd/scale.hpp"
#include "s3gd/solve.hpp"
#include "train_state.hpp"

namespace s3gd::app {

struct MulticlassRun {
  const Dataset& train;                    // scaled
  const Dataset* test;                     // null: none
  const std::optional<Dataset>& held_out;  // for probabilities, not scaled
  const Scaling& scaling;
  const ProblemSpec& spec;
  std::string penalty;  // as typed
  const SolveOptions& solve;
  const Graph* graph;         // null: none was given
  const StateOptions& state;  // in `solve` already, but for the warm start
  std::string model_path, trace_path, page_path;
  double started = 0, load_seconds = 0;
};

// Fit, write model and trace, print; return the exit code.
int train_one_vs_rest(const MulticlassRun& run, const Common& common);
int train_softmax(const MulticlassRun& run, const Common& common);

}  // namespace s3gd::app
