// `s3gd train` on more than two classes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "command.hpp"
#include "fit_options.hpp"
#include "s3gd/dataset.hpp"
#include "s3gd/graph.hpp"
#include "s3gd/scale.hpp"
#include "s3gd/solve.hpp"

namespace s3gd::app {

// What the options ask for together: "ovr", "softmax", or nothing. --loss softmax (which is read as logistic) and penalties of
// the whole matrix of weights mean softmax. Throws UsageError where they contradict each other.
struct MulticlassOptions {
  std::string multiclass;  // as typed, or nothing
  bool softmax_loss = false;
  void add(CLI::App& app);  // after --loss and --binary are there
};
std::string asked_multiclass(const MulticlassOptions& options, const ProblemOptions& problem);

// How the classes of the data are dealt with: "ovr", "softmax", or nothing where there is one binary problem or a
// regression. `asked` is that of the options; where it is nothing, logistic regression is softmax, as users of other
// libraries expect, and what softmax does not have is ovr.
std::string multiclass_kind(const std::string& asked, const ProblemSpec& spec, const std::string& solver,
                            const Dataset& data);

// Solvers that only softmax has.
std::vector<SolverInfo> softmax_only_solvers();

// --penalty group, nuclear: of the matrix of weights of all classes.
bool is_matrix_penalty(const std::string& name);

struct MulticlassRun {
  const Dataset& train;                    // scaled
  const Dataset* test;                     // null: none
  const std::optional<Dataset>& held_out;  // for probabilities, not scaled
  const Scaling& scaling;
  const ProblemSpec& spec;
  std::string penalty;  // as typed
  const SolveOptions& solve;
  const Graph* graph;  // null: none was given
  std::string model_path, trace_path;
  double started = 0, load_seconds = 0;
};

// Fit, write model and trace, print; return the exit code.
int train_one_vs_rest(const MulticlassRun& run, const Common& common);
int train_softmax(const MulticlassRun& run, const Common& common);

}  // namespace s3gd::app
