// `s3gd train` on more than two classes.
#pragma once

#include <optional>
#include <string>

#include "command.hpp"
#include "s3gd/dataset.hpp"
#include "s3gd/graph.hpp"
#include "s3gd/scale.hpp"
#include "s3gd/solve.hpp"

namespace s3gd::app {

// How the classes of the data are dealt with: "ovr", "softmax", or nothing where there is one binary problem or a
// regression. `asked` is what --multiclass says, which may be nothing.
std::string multiclass_kind(const std::string& asked, const ProblemSpec& spec, const Dataset& data);

struct MulticlassRun {
  const Dataset& train;                    // scaled
  const Dataset* test;                     // null: none
  const std::optional<Dataset>& held_out;  // for probabilities, not scaled
  const Scaling& scaling;
  const ProblemSpec& spec;
  const SolveOptions& solve;
  const Graph* graph;  // null: none was given
  std::string model_path, trace_path;
  double started = 0, load_seconds = 0;
};

// Fits, writes model and trace, prints; returns the exit code.
int train_one_vs_rest(const MulticlassRun& run, const Common& common);

}  // namespace s3gd::app
